import type { Entry } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";

/** What a session tells those who listen. Entry events come when the entry is durable, in the order of the log. */
export type SessionEvent =
  | { readonly type: "entry"; readonly entry: Entry }
  /** Entries wait in memory because the store cannot take them; they are written as soon as it can. */
  | { readonly type: "storage-trouble"; readonly error: WorldlineError; readonly waiting: number }
  | { readonly type: "storage-healed"; readonly written: number };

export type Listener = (event: SessionEvent) => void;

/** Listeners must not be able to stop the writer, so what they throw is handed to the process, later. */
export class Listeners {
  readonly #listeners = new Set<Listener>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: SessionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
