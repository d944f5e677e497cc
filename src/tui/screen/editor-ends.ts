import type { App } from "../../app/app-types.ts";
import { completeSlash } from "../commands/complete-slash.ts";
import { runSlash } from "../commands/run-slash.ts";
import { sayError } from "../commands/say-error.ts";
import { fileMentions } from "../editor/file-mentions.ts";
import { readLocalFile } from "../editor/images/read-local-file.ts";
import type { EditorEnds } from "../editor/prompt-editor.ts";
import type { Submission } from "../editor/submission.ts";
import type { Board } from "./board.ts";
import type { Conversing } from "./conversing.ts";
import type { ScreenDesk } from "./desk/screen-desk.ts";

export interface EditorEndsParts {
  readonly board: Board;
  readonly desk: ScreenDesk;
  readonly conversing: Conversing;
  readonly seated: () => App | undefined;
  readonly now: () => number;
  readonly redraw: () => void;
}

/** What the editor is connected to: the station for completions, and whoever does what is sent off. */
export function editorEnds(parts: EditorEndsParts): EditorEnds {
  const { desk, seated, now, redraw } = parts;
  return {
    slash: async (before, how) => (seated() === undefined ? undefined : completeSlash(desk, before, how)),
    files: fileMentions(async () => (await seated()?.queries.files()) ?? [], now),
    readBytes: readLocalFile,
    clipboardImage: async () => seated()?.upkeep.clipboardImage(),
    submit: (submission, typed) => submit(parts, submission, typed),
    redraw,
  };
}

function submit(parts: EditorEndsParts, submission: Submission, typed: string): void {
  const { board, desk, seated } = parts;
  const station = seated();
  if (submission.kind === "nothing") return;
  if (station === undefined) {
    // Sent before the session was there: it stays to be sent again.
    desk.edit(typed);
    return;
  }
  station.upkeep.remember(typed).catch((error: unknown) => sayError(desk, error));
  board.set({ scroll: 0, hint: undefined, panel: board.view.panel === "keys" ? "none" : board.view.panel });
  perform(parts, submission).catch((error: unknown) => sayError(desk, error));
}

async function perform({ board, desk, conversing }: EditorEndsParts, submission: Submission): Promise<void> {
  switch (submission.kind) {
    case "prompt":
      return conversing.send(submission.parts);
    case "shell":
      return conversing.run(submission.command, submission.told);
    case "slash":
      return runSlash(desk, submission, board.view.phase);
    case "nothing":
      return undefined;
  }
}
