import type { RawKey } from "../editor/read-keys.ts";
import { intentOf, type Situation } from "../keys/intent.ts";
import { type Acts, type ActsParts, actsOf } from "./acts.ts";
import type { OpenDialogs } from "./open-dialogs.ts";
import { isFirstScreen } from "./opening/first-screen.ts";

export interface ScreenParts extends ActsParts {
  readonly dialogs: OpenDialogs;
  readonly now: () => number;
}

const DOUBLE_ESCAPE_MS = 500;

/** Where keys arrive: a dialog's, the screen's own, or the editor's. */
export class Screen {
  readonly #parts: ScreenParts;
  readonly #acts: Omit<Acts, "edit">;
  #previous: { readonly key: string; readonly at: number } | undefined;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#acts = actsOf(parts);
  }

  press(key: RawKey): void {
    const { dialogs, board, now } = this.#parts;
    if (board.view.phase === "leaving") return;
    const { current } = dialogs;
    if (current !== undefined) {
      // Where a terminal holds Esc back, Ctrl+C leaves too.
      current.press(key.key === "ctrl+c" ? { key: "escape" } : key);
      return;
    }
    const intent = intentOf(key, this.#situation(key));
    this.#previous = intent.do === "hint" ? { key: key.key, at: now() } : undefined;
    // Each intent is handed to the act of its own name.
    if (intent.do === "edit") this.#edit(key);
    else (this.#acts[intent.do] as (meant: typeof intent) => void)(intent);
  }

  #edit(key: RawKey): void {
    const { board, editor, paint } = this.#parts;
    if (board.view.hint !== undefined) board.set({ hint: undefined });
    editor.press(key);
    paint();
  }

  #situation({ key }: RawKey): Situation {
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
