import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import type { Suggested } from "../../../../src/tui/editor/completion.ts";
import { fileMentions } from "../../../../src/tui/editor/completion.ts";
import type { Submission } from "../../../../src/tui/editor/inputs.ts";
import { PromptEditor } from "../../../../src/tui/editor/prompt-editor.ts";
import { readKeys } from "../../../../src/tui/terminal/keys.ts";
import type { ClipboardImage } from "../../../../src/tui/terminal/prompt-input.ts";
import { plainLook } from "../../support/plain-look.ts";

/** A line as the user sees it; `|` marks the cursor. */
export function seen(line: string): string {
  return line.replaceAll(CURSOR_MARKER, "|").replaceAll("\x1b[7m", "").replaceAll("\x1b[0m", "").trimEnd();
}

export interface World {
  readonly files?: readonly string[];
  readonly slash?: (before: string, how: "typed" | "tab") => Promise<Suggested | undefined>;
  /** File contents by path. */
  readonly disk?: Readonly<Record<string, Uint8Array>>;
  readonly clipboard?: ClipboardImage;
}

/** An editor and its output; input arrives as the bytes that a terminal sends. */
export function typing(world: World = {}) {
  const sent: Submission[] = [];
  const typed: string[] = [];
  let redrawn = 0;
  const editor = new PromptEditor({
    slash: world.slash ?? (async () => undefined),
    files: fileMentions(async () => world.files ?? [], Date.now),
    readBytes: async (path) => world.disk?.[path],
    clipboardImage: async () => world.clipboard,
    submit: (submission, text) => {
      sent.push(submission);
      typed.push(text);
    },
    redraw: () => {
      redrawn += 1;
    },
  });
  return {
    editor,
    sent,
    typed,
    redrawn: () => redrawn,
    type: (...chunks: readonly string[]) => {
      for (const key of chunks.flatMap(readKeys)) editor.press(key);
    },
    screen: (width = 40, rows = 12) => editor.draw({ width, rows }, plainLook(), "say something"),
    lines: (width = 40, rows = 12) => editor.draw({ width, rows }, plainLook(), "say something").map(seen),
  };
}

export const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const PNG_PART = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;

export function paste(text: string): string {
  return `\x1b[200~${text}\x1b[201~`;
}
