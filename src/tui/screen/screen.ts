import type { App } from "../../app/app.ts";
import type { Doing } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { completeSlash, runSlash } from "../commands/slash-commands.ts";
import { fileMentions } from "../editor/completion.ts";
import { readLocalFile } from "../editor/images.ts";
import type { Submission } from "../editor/inputs.ts";
import type { EditorEnds, PromptEditor } from "../editor/prompt-editor.ts";
import { sayError } from "../flows/command-context.ts";
import { takeFirstStep } from "../flows/opening.ts";
import { rewindFlow } from "../flows/rewind.ts";
import type { KeyPress } from "../terminal/keys.ts";
import { isFirstScreen, TO_THE_START } from "../view/conversation.ts";
import type { Board, Phase, ViewState } from "../view/view-state.ts";
import type { OpenDialogs, ScreenDesk } from "./screen-commands.ts";
import type { Conversing } from "./turn-controller.ts";

export interface ScreenParts extends ActsParts {
  readonly dialogs: OpenDialogs;
  readonly now: () => number;
  /** Leaves without waiting for what is being closed. */
  readonly hurry: () => void;
}

const DOUBLE_ESCAPE_MS = 500;
/** How long nothing must have been typed before a key answers a question of the agent's. */
const QUIET_MS = 350;

/** Where keys arrive: a dialog's, the screen's own, or the editor's. */
export class Screen {
  readonly #parts: ScreenParts;
  readonly #acts: Omit<Acts, "edit">;
  /** When a key was last taken for one that was meant for the editor. */
  #typedAhead = 0;
  #previous: { readonly key: string; readonly at: number } | undefined;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#acts = actsOf(parts);
  }

  press(key: KeyPress): void {
    const { dialogs, board, now } = this.#parts;
    if (board.view.phase === "leaving") {
      if (key.key === "ctrl+c") this.#parts.hurry();
      return;
    }
    const { current } = dialogs;
    if (current !== undefined) {
      this.#answer(current, key);
      return;
    }
    const intent = intentOf(key, this.#situation(key));
    this.#previous = intent.do === "hint" ? { key: key.key, at: now() } : undefined;
    // Each intent is handed to the act of its own name.
    if (intent.do === "edit") this.#edit(key);
    else (this.#acts[intent.do] as (meant: typeof intent) => void)(intent);
  }

  #answer(dialog: NonNullable<OpenDialogs["current"]>, key: KeyPress): void {
    const isAsked = dialog.by === "agent";
    if (key.key === "ctrl+c") {
      // Where a terminal holds Esc back, it leaves too; the agent's question it leaves with the turn.
      if (isAsked && this.#parts.board.view.phase === "turn") this.#acts.interrupt({ do: "interrupt" });
      else dialog.press({ key: "escape" });
    } else if (isAsked && key.key !== "escape" && this.#isTypedAhead(dialog.since)) {
      this.#edit(key);
    } else dialog.press(key);
  }

  /** Whoever is in the middle of a word does not answer a question with it that has only just come up. */
  #isTypedAhead(since: number): boolean {
    const now = this.#parts.now();
    const isEarly = now - Math.max(since, this.#typedAhead) < QUIET_MS;
    if (isEarly) this.#typedAhead = now;
    return isEarly;
  }

  #edit(key: KeyPress): void {
    const { board, editor, paint } = this.#parts;
    if (board.view.hint !== undefined) board.set({ hint: undefined });
    editor.press(key);
    paint();
  }

  #situation({ key }: KeyPress): Situation {
    const { board, editor, station, now } = this.#parts;
    const { view } = board;
    return {
      phase: view.phase,
      waiting: view.waiting === undefined ? "no" : "yes",
      doing: view.doing?.doing.what,
      editor: editor.text === "" ? "empty" : "text",
      editorWants: editor.wantsKey(key) ? "yes" : "no",
      panel: view.panel,
      scrolled: view.scroll > 0 ? "yes" : "no",
      firstScreen: isFirstScreen(view) ? "yes" : "no",
      previous: this.#previous,
      now: now(),
      doubleEscapeMs: station()?.settings.doubleEscapeMs ?? DOUBLE_ESCAPE_MS,
    };
  }
}

interface ActsParts {
  readonly board: Board;
  readonly desk: ScreenDesk;
  readonly conversing: Conversing;
  readonly editor: PromptEditor;
  /** Undefined until it is open. */
  readonly station: () => App | undefined;
  readonly paint: () => void;
  /** For when something else has written over the screen. */
  readonly repaint: () => void;
  /** How many rows of the conversation are seen. */
  readonly page: () => number;
}

/** What is done for each intent. */
type Acts = { readonly [Do in Intent["do"]]: (intent: Extract<Intent, { do: Do }>) => void };

const WHEEL_LINES = 3;
const LEAST_SHOWN_MS = 800;
/** Auto is entered by its name alone, and left to manual. */
const NEXT_MODE: Readonly<Record<PermissionMode, PermissionMode>> = {
  manual: "accept-edits",
  "accept-edits": "plan",
  plan: "manual",
  auto: "manual",
};

function actsOf(parts: ActsParts): Omit<Acts, "edit"> {
  const { board, desk, conversing, editor, station, paint, repaint } = parts;
  /** Work that a key begins, and nobody waits for. */
  const start = (work: Promise<void>): void => {
    work.catch((error: unknown) => sayError(desk, error));
  };
  const seated = (work: () => Promise<void>): void => {
    if (station() !== undefined) start(work());
  };
  return {
    interrupt: () => start(conversing.interrupt()),
    "stop-waiting": () => desk.stopWaiting(),
    rewind: () => {
      board.set({ hint: undefined });
      seated(async () => rewindFlow(desk));
    },
    clear: () => clear(parts),
    leave: () => desk.leave(),
    hint: ({ hint }) => showHint(parts, hint),
    "cycle-mode": () => cycleMode(parts),
    unfold: () => desk.toggle("unfold"),
    panel: ({ panel }) => board.set({ panel }),
    "edit-outside": () => seated(async () => editOutside(parts)),
    "paste-image": () => seated(async () => pasteImage(parts)),
    "search-history": () => {
      editor.searchHistory();
      paint();
    },
    scroll: ({ by }) => scroll(parts, by),
    redraw: () => repaint(),
    "go-on-without-capture": () => station()?.agent.goOn(),
    "first-step": ({ step }) => start(takeFirstStep(desk, step)),
    nothing: () => undefined,
  };
}

/** It goes when it stops being true; but it must be there long enough to be read. */
function showHint(
  { board, desk, station }: ActsParts,
  hint: "leave" | "leaveByD" | "clear" | "rewind",
): void {
  const text = desk.strings.terminal.screen.hints[hint];
  const escapeMs = station()?.settings.doubleEscapeMs ?? 0;
  const shownMs = hint === "leave" || hint === "leaveByD" ? LEAVE_MS : Math.max(escapeMs, LEAST_SHOWN_MS);
  board.set({ hint: text });
  setTimeout(() => {
    if (board.view.hint === text) board.set({ hint: undefined });
  }, shownMs).unref();
}

/** What is cleared can be found in the history, in later sessions too. */
function clear({ board, desk, editor, station, paint }: ActsParts): void {
  const typed = editor.clear();
  board.set({ hint: undefined });
  paint();
  if (typed !== "")
    station()
      ?.upkeep.remember(typed)
      .catch((error: unknown) => sayError(desk, error));
}

function cycleMode({ board, station }: ActsParts): void {
  const agent = station()?.agent;
  if (agent === undefined) return;
  const next = NEXT_MODE[agent.mode];
  agent.setMode(next);
  board.set({ mode: next });
}

async function editOutside({ desk, editor }: ActsParts): Promise<void> {
  const text = await desk.aside(async () => desk.station.upkeep.editExternally(editor.takeOut()));
  editor.putBack(text);
}

async function pasteImage({ desk, editor }: ActsParts): Promise<void> {
  const pasted = await editor.pasteImage();
  if (pasted === "none") desk.say({ tone: "quiet", line: desk.strings.terminal.screen.noImage });
}

function scroll({ board, page }: ActsParts, by: Scroll): void {
  const rows = Math.max(1, page() - 2);
  const moves: Readonly<Record<Scroll, number>> = {
    "line-up": 1,
    "line-down": -1,
    "page-up": rows,
    "page-down": -rows,
    "wheel-up": WHEEL_LINES,
    "wheel-down": -WHEEL_LINES,
    start: TO_THE_START,
    end: Number.MIN_SAFE_INTEGER,
  };
  board.change((view) => ({ ...view, scroll: Math.min(TO_THE_START, Math.max(0, view.scroll + moves[by])) }));
}

interface EditorEndsParts {
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

/** What a key means where no dialog has the keys. */
type Intent =
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

type Scroll = "line-up" | "line-down" | "page-up" | "page-down" | "wheel-up" | "wheel-down" | "end" | "start";

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
const LEAVE_MS = 2_000;

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
