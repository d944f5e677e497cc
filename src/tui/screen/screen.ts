import { intentOf, type Situation } from "../keys/intent.ts";
import type { KeyPress } from "../view/key-press.ts";
import { type Acts, type ActsParts, actsOf } from "./acts.ts";
import type { OpenDialogs } from "./open-dialogs.ts";
import { isFirstScreen } from "./opening/first-screen.ts";

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
