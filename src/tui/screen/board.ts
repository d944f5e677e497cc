import type { ViewState } from "../view/view-state.ts";

/** What is on the screen now. Whoever changes it has it drawn. */
export class Board {
  #view: ViewState;
  readonly #drawn: () => void;

  constructor(view: ViewState, drawn: () => void) {
    this.#view = view;
    this.#drawn = drawn;
  }

  get view(): ViewState {
    return this.#view;
  }

  change(next: (view: ViewState) => ViewState): void {
    const changed = next(this.#view);
    if (changed === this.#view) return;
    this.#view = changed;
    this.#drawn();
  }

  /** For who draws just now, and has found out how it really is. */
  settle(fields: Partial<ViewState>): void {
    this.#view = { ...this.#view, ...fields };
  }

  set(fields: Partial<ViewState>): void {
    this.change((view) => ({ ...view, ...fields }));
  }
}
