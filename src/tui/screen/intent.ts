import type { Doing } from "../../ports/agent-events.ts";
import type { KeyPress } from "../terminal/keys.ts";
import type { Phase, ViewState } from "../view/view-state.ts";

/** What a key means where no dialog has the keys. */
export type Intent =
  | { readonly do: "interrupt" }
  | { readonly do: "stop-waiting" }
  | { readonly do: "rewind" }
  /** What is typed goes into the history, and out of the editor. */
  | { readonly do: "clear" }
  | { readonly do: "leave" }
  | { readonly do: "hint"; readonly hint: "leave" | "leaveByD" | "clear" | "rewind" }
  | { readonly do: "cycle-mode" }
  | { readonly do: "unfold" }
  | { readonly do: "panel"; readonly panel: ViewState["panel"] }
  | { readonly do: "edit-outside" }
  | { readonly do: "paste-image" }
  | { readonly do: "search-history" }
  | { readonly do: "scroll"; readonly by: Scroll }
  | { readonly do: "redraw" }
  | { readonly do: "go-on-without-capture" }
  | { readonly do: "first-step"; readonly step: number }
  | { readonly do: "nothing" }
  /** Everything else is the editor's. */
  | { readonly do: "edit" };

export type Scroll =
  | "line-up"
  | "line-down"
  | "page-up"
  | "page-down"
  | "wheel-up"
  | "wheel-down"
  | "end"
  | "start";

/** What the meaning of a key depends on. */
export interface Situation {
  readonly phase: Phase;
  readonly waiting: "yes" | "no";
  readonly doing: Doing["what"] | undefined;
  readonly editor: "empty" | "text";
  /** Whether the editor has something open that this key is for: completions, the search in the history. */
  readonly editorWants: "yes" | "no";
  readonly panel: ViewState["panel"];
  readonly scrolled: "yes" | "no";
  /** Whether the first screen stands there, whose rows digits choose. */
  readonly firstScreen: "yes" | "no";
  /** The key before this one, and when. */
  readonly previous: { readonly key: string; readonly at: number } | undefined;
  readonly now: number;
  readonly doubleEscapeMs: number;
}

/** How long a second Ctrl+C or Ctrl+D counts as the second. */
export const LEAVE_MS = 2_000;

const FIXED: Readonly<Record<string, Intent>> = {
  "shift+tab": { do: "cycle-mode" },
  "ctrl+o": { do: "unfold" },
  "ctrl+g": { do: "edit-outside" },
  "ctrl+v": { do: "paste-image" },
  "ctrl+r": { do: "search-history" },
  "ctrl+l": { do: "redraw" },
  pageUp: { do: "scroll", by: "page-up" },
  pageDown: { do: "scroll", by: "page-down" },
  "shift+up": { do: "scroll", by: "line-up" },
  "shift+down": { do: "scroll", by: "line-down" },
  "ctrl+home": { do: "scroll", by: "start" },
  "ctrl+end": { do: "scroll", by: "end" },
  "wheel-up": { do: "scroll", by: "wheel-up" },
  "wheel-down": { do: "scroll", by: "wheel-down" },
};

export function intentOf({ key }: KeyPress, situation: Situation): Intent {
  if (situation.editorWants === "yes") return { do: "edit" };
  if (key === "ctrl+c") return ofControlC(situation);
  if (key === "escape") return ofEscape(situation);
  if (key === "ctrl+t") return { do: "panel", panel: situation.panel === "todos" ? "none" : "todos" };
  if (key === "ctrl+p" && situation.doing === "waiting-for-capture") return { do: "go-on-without-capture" };
  return FIXED[key] ?? ofEmptyEditor(key, situation);
}

function ofEmptyEditor(key: string, situation: Situation): Intent {
  const { editor, panel, firstScreen, phase, scrolled } = situation;
  if (editor === "text") return { do: "edit" };
  if (key === "ctrl+d") return ofControlD(situation);
  if (key === "?") return { do: "panel", panel: panel === "keys" ? "none" : "keys" };
  if (key === "end" && scrolled === "yes") return { do: "scroll", by: "end" };
  if (firstScreen === "yes" && phase === "idle" && /^[1-5]$/u.test(key)) {
    return { do: "first-step", step: Number(key) };
  }
  return { do: "edit" };
}

function ofEscape(situation: Situation): Intent {
  const { phase, waiting, panel, editor } = situation;
  if (waiting === "yes") return phase === "opening" ? { do: "nothing" } : { do: "stop-waiting" };
  if (phase === "turn") return { do: "interrupt" };
  if (panel !== "none") return { do: "panel", panel: "none" };
  const isSecond = isRepeated("escape", situation, situation.doubleEscapeMs);
  if (editor === "text") return isSecond ? { do: "clear" } : { do: "hint", hint: "clear" };
  return isSecond ? { do: "rewind" } : { do: "hint", hint: "rewind" };
}

/** Interrupts, then clears, then leaves: for terminals that hold Esc back too. */
function ofControlC(situation: Situation): Intent {
  const { phase, waiting, editor } = situation;
  if (waiting === "yes" && phase !== "opening") return { do: "stop-waiting" };
  if (phase === "turn") return { do: "interrupt" };
  if (editor === "text") return { do: "clear" };
  return isRepeated("ctrl+c", situation, LEAVE_MS) ? { do: "leave" } : { do: "hint", hint: "leave" };
}

function ofControlD(situation: Situation): Intent {
  if (situation.phase === "turn") return { do: "nothing" };
  return isRepeated("ctrl+d", situation, LEAVE_MS) ? { do: "leave" } : { do: "hint", hint: "leaveByD" };
}

function isRepeated(key: string, { previous, now }: Situation, withinMs: number): boolean {
  return previous?.key === key && now - previous.at <= withinMs;
}
