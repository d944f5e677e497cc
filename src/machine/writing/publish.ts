import type { LogStore, PublishedCheckpoint } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type CheckpointView, describeCheckpoints } from "../looking/checkpoint-view.ts";
import type { SessionView } from "../view.ts";

/** How long a list may lag behind the log. A prompt must not wait for what people may look at later. */
const LAG_MS = 100;

/** Publishes one at a time: of two that ran side by side, the older list could be written last, and stay. */
export class Publisher {
  readonly #publish: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #due: NodeJS.Timeout | undefined;

  constructor(view: SessionView, store: LogStore, keep: number) {
    this.#publish = () => publishCheckpoints(view, store, keep);
  }

  /** Whoever asks while another one is due is served by that one: the list is made when its time comes. */
  soon(): void {
    this.#due ??= setTimeout(() => void this.finish(), LAG_MS).unref();
  }

  /** Publishes what is due, and resolves when nothing is under way. */
  async finish(): Promise<void> {
    if (this.#due !== undefined) {
      clearTimeout(this.#due);
      this.#due = undefined;
      this.#running = this.#running.then(this.#publish);
    }
    await this.#running;
  }
}

/**
 * Writes the newest checkpoints to where people and scripts look for them, newest first. It is
 * a copy of what the log says, so a full disk may cost it, but never the entry it follows.
 */
export async function publishCheckpoints(view: SessionView, store: LogStore, keep: number): Promise<void> {
  try {
    await store.publish(view.id, (await newestCheckpoints(view, keep)).reverse());
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

async function newestCheckpoints(view: SessionView, keep: number): Promise<PublishedCheckpoint[]> {
  const lines = view.outline.linesOf("checkpoint").slice(-keep);
  const newest = lines.flatMap((line) => view.outline.at(line) ?? []);
  const places = newest.map((row) => ({ row, number: row.number, branch: "here" as const }));
  const described = await describeCheckpoints(places, view);
  return described.map((checkpoint) => ({
    id: `${view.id}:${checkpoint.number}`,
    timestamp: new Date(checkpoint.at).toISOString(),
    description: checkpoint.label ?? checkpoint.prompt ?? commandText(checkpoint) ?? timeOf(checkpoint.at),
    sessionId: view.id,
  }));
}

function commandText({ command }: CheckpointView): string | undefined {
  return command === undefined ? undefined : `! ${command}`;
}

/** As the clock on the person's wall shows it: the exact time stands beside it. */
function timeOf(at: number): string {
  return `Checkpoint at ${new Date(at).toTimeString().slice(0, 8)}`;
}
