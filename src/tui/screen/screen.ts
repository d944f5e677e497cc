import type { App } from "../../app/app.ts";
import type { Doing } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { completeSlash, runSlash } from "../commands/slash-commands.ts";
import { fileMentions } from "../editor/completion.ts";
import { readLocalFile } from "../editor/images.ts";
import type { Submission } from "../editor/inputs.ts";
import type { EditorDeps, PromptEditor } from "../editor/prompt-editor.ts";
import { showError } from "../flows/command-context.ts";
import { takeFirstStep } from "../flows/opening.ts";
import { rewindFlow } from "../flows/rewind.ts";
import type { KeyPress } from "../terminal/keys.ts";
import { isFirstScreen, TO_THE_START } from "../view/conversation.ts";
import type { Phase, ViewState, ViewStore } from "../view/view-state.ts";
import type { OpenDialogs, ScreenCommands } from "./screen-commands.ts";
import type { TurnController } from "./turn-controller.ts";

export interface ScreenDeps extends ActionDeps {
  readonly dialogs: OpenDialogs;
  readonly now: () => number;
  /** Exits without waiting until everything is closed. */
  readonly hurry: () => void;
}

const DOUBLE_ESCAPE_MS = 500;
/** How long the user must have stopped typing before a key can answer a question from the agent. */
const QUIET_MS = 350;

/** Routes keys to the open dialog, to the screen's own actions, or to the editor. */
export class Screen {
  readonly #parts: ScreenDeps;
  readonly #acts: Omit<Actions, "edit">;
  /** The time when a key was last ignored because it was probably meant for the editor. */
  #typedAhead = 0;
  #previous: { readonly key: string; readonly at: number } | undefined;

  constructor(parts: ScreenDeps) {
    this.#parts = parts;
    this.#acts = actionsOf(parts);
  }

  press(key: KeyPress): void {
    const { dialogs, store, now } = this.#parts;
    if (store.view.phase === "leaving") {
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
    // Each intent is passed to the action with the same name.
    if (intent.do === "edit") this.#edit(key);
    else (this.#acts[intent.do] as (meant: typeof intent) => void)(intent);
  }

  #answer(dialog: NonNullable<OpenDialogs["current"]>, key: KeyPress): void {
    const isAsked = dialog.by === "agent";
    if (key.key === "ctrl+c") {
      // Some terminals intercept Esc, so Ctrl+C leaves the dialog too. If the agent asked the question, Ctrl+C
      // interrupts the turn instead.
      if (isAsked && this.#parts.store.view.phase === "turn") this.#acts.interrupt({ do: "interrupt" });
      else dialog.press({ key: "escape" });
    } else if (isAsked && key.key !== "escape" && this.#isTypedAhead(dialog.since)) {
      this.#edit(key);
    } else dialog.press(key);
  }

  /**
   * Checks whether the key was probably meant for the editor. A letter that the user is typing must not answer a
   * question that has just opened.
   */
  #isTypedAhead(since: number): boolean {
    const now = this.#parts.now();
    const isEarly = now - Math.max(since, this.#typedAhead) < QUIET_MS;
    if (isEarly) this.#typedAhead = now;
    return isEarly;
  }

  #edit(key: KeyPress): void {
    const { store, editor, paint } = this.#parts;
    if (store.view.hint !== undefined) store.set({ hint: undefined });
    editor.press(key);
    paint();
  }

  #situation({ key }: KeyPress): Situation {
    const { store, editor, app, now } = this.#parts;
    const { view } = store;
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
      doubleEscapeMs: app()?.settings["ui.doubleEscapeMs"] ?? DOUBLE_ESCAPE_MS,
    };
  }
}

interface ActionDeps {
  readonly store: ViewStore;
  readonly context: ScreenCommands;
  readonly turns: TurnController;
  readonly editor: PromptEditor;
  /** Opens the text in $VISUAL or $EDITOR, which takes over the terminal. Returns the edited text. */
  readonly editExternally: (text: string) => Promise<string>;
  /** Returns the app, or undefined until the session is open. */
  readonly app: () => App | undefined;
  readonly paint: () => void;
  /** Redraws the screen after something else has written over it. */
  readonly repaint: () => void;
  /** Returns how many rows of the conversation are visible. */
  readonly page: () => number;
}

/** The action for each intent. */
type Actions = { readonly [Do in Intent["do"]]: (intent: Extract<Intent, { do: Do }>) => void };

const WHEEL_LINES = 3;
const MIN_SHOWN_MS = 800;
/**
 * The mode that Shift+Tab changes to from each mode. Auto mode can be entered only by name. From there, Shift+Tab
 * changes to manual mode.
 */
const NEXT_MODE: Readonly<Record<PermissionMode, PermissionMode>> = {
  manual: "accept-edits",
  "accept-edits": "plan",
  plan: "manual",
  auto: "manual",
};

function actionsOf(parts: ActionDeps): Omit<Actions, "edit"> {
  const { store, context, turns, editor, app, paint, repaint } = parts;
  /** Starts work in the background after a key press. */
  const start = (work: Promise<void>): void => {
    work.catch((error: unknown) => showError(context, error));
  };
  const openApp = (work: () => Promise<void>): void => {
    if (app() !== undefined) start(work());
  };
  return {
    interrupt: () => start(turns.interrupt()),
    "stop-waiting": () => context.stopWaiting(),
    rewind: () => {
      store.set({ hint: undefined });
      openApp(async () => rewindFlow(context));
    },
    clear: () => clear(parts),
    leave: () => context.leave(),
    hint: ({ hint }) => showHint(parts, hint),
    "cycle-mode": () => cycleMode(parts),
    unfold: () => context.toggle("unfold"),
    panel: ({ panel }) => store.set({ panel }),
    "edit-outside": () => openApp(async () => editOutside(parts)),
    "paste-image": () => openApp(async () => pasteImage(parts)),
    "search-history": () => {
      editor.searchHistory();
      paint();
    },
    scroll: ({ by }) => scroll(parts, by),
    redraw: () => repaint(),
    "go-on-without-capture": () => app()?.agent.skipCaptureWait(),
    "first-step": ({ step }) => start(takeFirstStep(context, step)),
    nothing: () => undefined,
  };
}

/** Shows a hint. The hint is removed when it no longer applies, but stays long enough to be read. */
function showHint(
  { store, context, app }: ActionDeps,
  hint: "leave" | "leaveByD" | "clear" | "rewind",
): void {
  const text = context.strings.terminal.screen.hints[hint];
  const escapeMs = app()?.settings["ui.doubleEscapeMs"] ?? 0;
  const shownMs = hint === "leave" || hint === "leaveByD" ? LEAVE_MS : Math.max(escapeMs, MIN_SHOWN_MS);
  store.showHint(text, shownMs);
}

/** Clears the editor. The text is added to the history, where later sessions can find it too. */
function clear({ store, context, editor, app, paint }: ActionDeps): void {
  const typed = editor.clear();
  store.set({ hint: undefined });
  paint();
  if (typed !== "")
    app()
      ?.upkeep.remember(typed)
      .catch((error: unknown) => showError(context, error));
}

function cycleMode({ store, app }: ActionDeps): void {
  const agent = app()?.agent;
  if (agent === undefined) return;
  const next = NEXT_MODE[agent.mode];
  agent.setMode(next);
  store.set({ mode: next });
}

async function editOutside({ context, editor, editExternally }: ActionDeps): Promise<void> {
  const text = await context.withTerminalReleased(async () => editExternally(editor.takeOut()));
  editor.putBack(text);
}

async function pasteImage({ context, editor }: ActionDeps): Promise<void> {
  const pasted = await editor.pasteImage();
  if (pasted === "none") context.say({ tone: "quiet", line: context.strings.terminal.screen.noImage });
}

function scroll({ store, page }: ActionDeps, by: Scroll): void {
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
  store.update((view) => ({ ...view, scroll: Math.min(TO_THE_START, Math.max(0, view.scroll + moves[by])) }));
}

interface EditorConnections extends Pick<EditorDeps, "clipboardImage"> {
  readonly store: ViewStore;
  readonly context: ScreenCommands;
  readonly turns: TurnController;
  readonly openApp: () => App | undefined;
  readonly now: () => number;
  readonly redraw: () => void;
}

/** Connects the editor to the app for completions, and to the functions that handle submissions. */
export function editorDeps(parts: EditorConnections): EditorDeps {
  const { context, openApp, now, redraw, clipboardImage } = parts;
  return {
    slash: async (before, how) => (openApp() === undefined ? undefined : completeSlash(context, before, how)),
    files: fileMentions(async () => (await openApp()?.queries.files()) ?? [], now),
    readBytes: readLocalFile,
    clipboardImage,
    submit: (submission, typed) => submit(parts, submission, typed),
    redraw,
  };
}

function submit(parts: EditorConnections, submission: Submission, typed: string): void {
  const { store, context, openApp } = parts;
  const app = openApp();
  if (submission.kind === "nothing") return;
  if (app === undefined) {
    // The prompt was sent before the session was open, so it is returned to the editor.
    context.edit(typed);
    return;
  }
  app.upkeep.remember(typed).catch((error: unknown) => showError(context, error));
  store.set({ scroll: 0, hint: undefined, panel: store.view.panel === "keys" ? "none" : store.view.panel });
  perform(parts, submission).catch((error: unknown) => showError(context, error));
}

async function perform({ store, context, turns }: EditorConnections, submission: Submission): Promise<void> {
  switch (submission.kind) {
    case "prompt":
      return turns.send(submission.parts);
    case "shell":
      return turns.run(submission.command, submission.visibility);
    case "slash":
      return runSlash(context, submission, store.view.phase);
    case "nothing":
      return undefined;
  }
}

/** The meaning of a key press while no dialog is open. */
type Intent =
  | { readonly do: "interrupt" }
  | { readonly do: "stop-waiting" }
  | { readonly do: "rewind" }
  /** Moves the text from the editor into the history. */
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
  /** All other keys go to the editor. */
  | { readonly do: "edit" };

type Scroll = "line-up" | "line-down" | "page-up" | "page-down" | "wheel-up" | "wheel-down" | "end" | "start";

/** The state of the screen that decides what a key does. */
export interface Situation {
  readonly phase: Phase;
  readonly waiting: "yes" | "no";
  readonly doing: Doing["what"] | undefined;
  readonly editor: "empty" | "text";
  /** Whether the completions or the history search are open in the editor and use this key. */
  readonly editorWants: "yes" | "no";
  readonly panel: ViewState["panel"];
  readonly scrolled: "yes" | "no";
  /** Whether the first screen is shown. On that screen, digits choose a step. */
  readonly firstScreen: "yes" | "no";
  /** The key before this one, and when it was pressed. */
  readonly previous: { readonly key: string; readonly at: number } | undefined;
  readonly now: number;
  readonly doubleEscapeMs: number;
}

/** Maximum time between two presses of Ctrl+C or Ctrl+D that together exit the program. */
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

/**
 * Returns the meaning of Ctrl+C. Ctrl+C interrupts the turn, clears the text, or exits, because some terminals
 * intercept Esc.
 */
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
