import type { LogStore } from "../ports/log-store.ts";
import { isWorldlineError } from "../record/error.ts";
import { describeCheckpoints } from "./checkpoint-view.ts";
import type { SessionView } from "./view.ts";

/** Publishes one at a time: of two that ran side by side, the older list could be written last, and stay. */
export class Publisher {
  readonly #publish: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(view: SessionView, store: LogStore, keep: number) {
    this.#publish = async () => {
      this.#next = undefined;
      await publishCheckpoints(view, store, keep);
    };
  }

  /** Whoever asks while another one waits its turn is served by that one: the list is made when its turn comes. */
  async publish(): Promise<void> {
    this.#next ??= this.#running.then(this.#publish, this.#publish);
    this.#running = this.#next;
    await this.#next;
  }
}

/**
 * Writes the newest checkpoints to where people and scripts look for them, newest first. It is
 * a copy of what the log says, so a full disk may cost it, but never the entry it follows.
 */
async function publishCheckpoints(view: SessionView, store: LogStore, keep: number): Promise<void> {
  const newest = view.outline.ofKind("checkpoint").slice(-keep);
  const places = newest.map((row) => ({ row, number: row.number, branch: "here" as const }));
  const described = await describeCheckpoints(places, view);
  const published = described.map((checkpoint) => ({
    id: `${view.id}:${checkpoint.number}`,
    timestamp: new Date(checkpoint.at).toISOString(),
    description: checkpoint.label ?? checkpoint.prompt ?? timeOf(checkpoint.at),
    sessionId: view.id,
  }));
  try {
    await store.publish(view.id, published.reverse());
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

function timeOf(at: number): string {
  return `Checkpoint at ${new Date(at).toISOString().slice(11, 19)}`;
}
