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

/** Listeners must not be able to stop the writer, a turn or the process: what they throw becomes a warning of the process. */
export class Listeners<Event = SessionEvent> {
  readonly #listeners = new Set<(event: Event) => void>();

  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        // One that is asynchronous, against its type, may reject.
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch(warnOf);
      } catch (error) {
        warnOf(error);
      }
    }
  }
}

function warnOf(error: unknown): void {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener threw: ${why}`, "WorldlineWarning");
}
