import type { Entry } from "../record/entry.ts";
import type { WorldlineError } from "../record/error.ts";

/** What a session tells those who listen. Entry events come when the entry is durable, in the order of the log. */
export type SessionEvent =
  | { readonly type: "entry"; readonly entry: Entry }
  /** Entries wait in memory because the store cannot take them; they are written as soon as it can. */
  | { readonly type: "storage-trouble"; readonly error: WorldlineError; readonly waiting: number }
  | { readonly type: "storage-healed"; readonly written: number }
  /** The list of checkpoints beside the log could not be written. Told once; the log itself is not concerned. */
  | { readonly type: "publish-failed"; readonly error: WorldlineError };

export type Listener = (event: SessionEvent) => void;

/** Listeners must not be able to stop the writer, or a turn, so what they throw is handed to the process, later. */
export class Listeners<Event = SessionEvent> {
  readonly #listeners = new Set<(event: Event) => void>();

  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: Event): void {
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
