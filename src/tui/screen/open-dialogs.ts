import type { Dialog, Room } from "../dialogs/dialog.ts";
import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../view/key-press.ts";

/** A dialog whose types nobody needs to know any more. */
interface Standing {
  readonly extent: "full" | "part";
  readonly draw: (space: Space, look: Look) => readonly string[];
  readonly press: (key: KeyPress) => void;
  readonly leave: () => void;
}

/** The dialogs that wait for the person, one after the other. */
export class OpenDialogs {
  readonly #waiting: Standing[] = [];
  readonly #drawn: () => void;
  readonly #room: () => Room;

  constructor(drawn: () => void, room: () => Room) {
    this.#drawn = drawn;
    this.#room = room;
  }

  get current(): Standing | undefined {
    return this.#waiting[0];
  }

  /** Undefined when the person left, or the signal made the question void. */
  async ask<State, Answer>(dialog: Dialog<State, Answer>, signal?: AbortSignal): Promise<Answer | undefined> {
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const standing = this.#stand(dialog, (answer) => {
        const index = this.#waiting.indexOf(standing);
        if (index === -1) return;
        this.#waiting.splice(index, 1);
        signal?.removeEventListener("abort", standing.leave);
        resolve(answer);
        this.#drawn();
      });
      signal?.addEventListener("abort", standing.leave, { once: true });
      this.#waiting.push(standing);
      this.#drawn();
    });
  }

  /** Whoever asked is told that the person left. */
  leaveAll(): void {
    for (const { leave } of [...this.#waiting]) leave();
  }

  #stand<State, Answer>(
    dialog: Dialog<State, Answer>,
    answered: (answer: Answer | undefined) => void,
  ): Standing {
    let { start: state } = dialog;
    let isOpen = true;
    const beside = dialog.beside?.((change) => {
      if (!isOpen) return;
      state = change(state);
      this.#drawn();
    });
    const close = (answer: Answer | undefined): void => {
      if (!isOpen) return;
      isOpen = false;
      beside?.end();
      answered(answer);
    };
    beside?.see(state);
    return {
      extent: dialog.extent,
      draw: (space, look) => dialog.draw(state, space, look),
      press: (key) => {
        const pressed = dialog.press(state, key, this.#room());
        if ("answer" in pressed) return close(pressed.answer);
        state = pressed.state;
        beside?.see(state);
        this.#drawn();
      },
      leave: () => close(undefined),
    };
  }
}
