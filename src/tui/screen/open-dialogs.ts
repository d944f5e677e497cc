import type { Dialog, Room } from "../dialogs/dialog.ts";
import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../terminal/keys.ts";

/** "agent": it stands there by itself, perhaps in the middle of a word that the person types. */
export type Asker = "person" | "agent";

/** A dialog whose types nobody needs to know any more. */
interface Standing {
  readonly by: Asker;
  readonly extent: "full" | "part";
  readonly draw: (space: Space, look: Look) => readonly string[];
  readonly press: (key: KeyPress) => void;
  readonly leave: () => void;
  /** When it was first on the screen, with nothing before it; infinite until it is. */
  since: number;
}

interface DialogsParts {
  readonly drawn: () => void;
  readonly room: () => Room;
  readonly now: () => number;
}

/** The dialogs that wait for the person, one after the other. */
export class OpenDialogs {
  readonly #waiting: Standing[] = [];
  readonly #parts: DialogsParts;

  constructor(parts: DialogsParts) {
    this.#parts = parts;
  }

  get current(): Standing | undefined {
    return this.#waiting[0];
  }

  /** Undefined when the person left. `signal`: it is the agent's, and void when that aborts. */
  async ask<State, Answer>(dialog: Dialog<State, Answer>, signal?: AbortSignal): Promise<Answer | undefined> {
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const by = signal === undefined ? "person" : "agent";
      const standing = this.#stand(dialog, by, (answer) => {
        signal?.removeEventListener("abort", standing.leave);
        this.#remove(standing);
        resolve(answer);
      });
      signal?.addEventListener("abort", standing.leave, { once: true });
      this.#waiting.push(standing);
      this.#parts.drawn();
    });
  }

  #remove(standing: Standing): void {
    this.#waiting.splice(this.#waiting.indexOf(standing), 1);
    this.#parts.drawn();
  }

  /** Whoever asked is told that the person left. */
  leaveAll(): void {
    for (const { leave } of [...this.#waiting]) leave();
  }

  #stand<State, Answer>(
    dialog: Dialog<State, Answer>,
    by: Asker,
    answered: (answer: Answer | undefined) => void,
  ): Standing {
    let { start: state } = dialog;
    let isOpen = true;
    let drawn: Space | undefined;
    const beside = dialog.beside?.((change) => {
      if (!isOpen) return;
      state = change(state);
      this.#parts.drawn();
    });
    const close = (answer: Answer | undefined): void => {
      if (!isOpen) return;
      isOpen = false;
      beside?.end();
      answered(answer);
    };
    beside?.see(state);
    const standing: Standing = {
      by,
      since: Number.POSITIVE_INFINITY,
      extent: dialog.extent,
      draw: (space, look) => {
        const lines = dialog.draw(state, space, look);
        // A long text takes its time, in which keys may have been typed.
        if (drawn === undefined) standing.since = this.#parts.now();
        drawn = space;
        return lines;
      },
      press: (key) => {
        const pressed = dialog.press(state, key, { ...this.#parts.room(), ...drawn });
        if ("answer" in pressed) return close(pressed.answer);
        state = pressed.state;
        beside?.see(state);
        this.#parts.drawn();
      },
      leave: () => close(undefined),
    };
    return standing;
  }
}
