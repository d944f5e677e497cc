import type { LogStore, PublishedCheckpoint } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import { isUuid, type Seq } from "../../record/ids.ts";
import { hostLineOf } from "../../timeline/host-line.ts";
import type { Row } from "../../timeline/row.ts";
import { type CheckpointView, describeCheckpoints } from "../looking/checkpoint-view.ts";
import type { SessionView } from "../view.ts";

/** How long a list may lag behind the log. A prompt must not wait for what people may look at later. */
const LAG_MS = 100;

/** Publishes one at a time: of two that ran side by side, the older list could be written last, and stay. */
export class Publisher {
  readonly #parts: PublisherParts;
  #running: Promise<void> = Promise.resolve();
  #due: NodeJS.Timeout | undefined;
  /** Why it is due: somebody must look on before a failure is worth reporting. */
  #after: "opening" | "change" = "opening";
  #isReported = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * Whoever asks while another one is due is served by that one: the list is made when its time comes. "opening": a run that
   * was killed may have left an older list.
   */
  soon(after: "opening" | "change" = "change"): void {
    if (after === "change") this.#after = "change";
    // An unexpected fault is kept for `finish`: thrown from a timer, it would end the program.
    this.#due ??= setTimeout(() => void this.finish().catch(() => undefined), LAG_MS).unref();
  }

  /** Publishes what is due, and resolves when nothing is under way. */
  async finish(): Promise<void> {
    if (this.#due !== undefined) {
      clearTimeout(this.#due);
      this.#due = undefined;
      this.#running = this.#running.then(() => this.#publish());
    }
    await this.#running;
  }

  async #publish(): Promise<void> {
    const { view, store, keep, onFailure } = this.#parts;
    const after = this.#after;
    this.#after = "opening";
    const failure = await publishCheckpoints(view, store, keep);
    if (failure === undefined) this.#isReported = false;
    else if (after === "change" && !this.#isReported) {
      this.#isReported = true;
      onFailure(failure);
    }
  }
}

export interface PublisherParts {
  readonly view: SessionView;
  readonly store: LogStore;
  /** How many checkpoints are listed. */
  readonly keep: number;
  /** Called once, and again only after it has gone well in between. */
  readonly onFailure: (error: WorldlineError) => void;
}

/**
 * Writes the newest checkpoints to where people and scripts look for them, newest first. It is
 * a copy of what the log says, so a full disk may cost it, but never the entry it follows: resolves with what went wrong.
 */
export async function publishCheckpoints(
  view: SessionView,
  store: LogStore,
  keep: number,
): Promise<WorldlineError | undefined> {
  try {
    await store.publish(view.id, (await newestCheckpoints(view, keep)).reverse());
    return undefined;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return error;
  }
}

/** Oldest first. */
export async function newestCheckpoints(view: SessionView, keep: number): Promise<PublishedCheckpoint[]> {
  const lines = view.outline.linesOf("checkpoint").slice(-keep);
  const newest = lines.flatMap((line) => view.outline.at(line) ?? []);
  const places = newest.map((row) => ({ row, number: row.number, branch: "here" as const }));
  const described = await describeCheckpoints(places, view);
  const idsElsewhere = await idsOfHost(view, newest);
  return described.map((checkpoint) => {
    const ids = idsElsewhere.get(checkpoint.entry);
    return {
      id: ids?.message ?? `${view.id}:${checkpoint.number}`,
      timestamp: new Date(checkpoint.at).toISOString(),
      description: textOf(checkpoint) ?? timeOf(checkpoint.at),
      sessionId: ids?.hostSession ?? view.id,
    };
  });
}

type HostIds = Required<Pick<EntryOf<"host">, "hostSession" | "message">>;

/**
 * What another agent calls a prompt that was given to it: with these, scripts ask that agent itself. Other ids than UUIDs
 * could not be told from labels by whoever reads them back, and after a `forget` that agent is not to be asked.
 */
async function idsOfHost(
  view: SessionView,
  checkpoints: readonly Row[],
): Promise<ReadonlyMap<string, HostIds>> {
  const checkpointsByLine = new Map<Seq, string>();
  for (const row of checkpoints) {
    const line = hostLineOf(view.outline, row);
    if (line !== undefined) checkpointsByLine.set(line.seq, row.id);
  }
  const ids = new Map<string, HostIds>();
  for (const entry of await view.storedEntries([...checkpointsByLine.keys()])) {
    const checkpoint = checkpointsByLine.get(entry.seq);
    if (checkpoint === undefined || entry.kind !== "host" || entry.forgotten !== undefined) continue;
    const { hostSession, message } = entry;
    if (isUuid(message) && isUuid(hostSession)) ids.set(checkpoint, { hostSession, message });
  }
  return ids;
}

/** Undefined where there is none: a prompt may be a picture alone. */
function textOf({ label, prompt, command }: CheckpointView): string | undefined {
  return [label, prompt, command === undefined ? undefined : `! ${command}`].find(
    (text) => text !== undefined && text !== "",
  );
}

/** As the clock on the person's wall shows it: the exact time stands beside it. */
function timeOf(at: number): string {
  return `Checkpoint at ${new Date(at).toTimeString().slice(0, 8)}`;
}
