import type { LogStore, PublishedCheckpoint } from "../../ports/log-store.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import { isUuid, type Seq } from "../../record/ids.ts";
import { hostLineOf } from "../../timeline/host-line.ts";
import { SHELL_TOOL } from "../../timeline/person-command.ts";
import type { Row } from "../../timeline/row.ts";
import { type CheckpointView, describeCheckpoints } from "../looking/checkpoint-view.ts";
import type { SessionView } from "../view.ts";

/** How long a list in a database may lag behind the log: there it costs a transaction, which the next append would wait for. */
const DATABASE_LAG_MS = 100;

/**
 * Publishes the list of checkpoints. The caller never waits for it. In files it is written as soon as a checkpoint is in the
 * log, so that a kill leaves no stale list. One at a time: if two ran side by side, the older list could be written last, and stay.
 */
export class Publisher {
  readonly #parts: PublisherParts;
  #running: Promise<void> | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  /** Why it is due: somebody must look on before a failure is worth reporting. */
  #after: "opening" | "change" = "opening";
  #isReported = false;
  /** An unexpected fault, kept for `finish`: nobody waits for what it came from. */
  #fault: { readonly error: unknown } | undefined;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * What comes while a list is being written goes into one more list after that. "opening": a run that was killed may
   * have left an older list.
   */
  start(after: "opening" | "change" = "change"): void {
    if (after === "change") this.#after = "change";
    this.#isDue = true;
    if (this.#parts.store.place.kind === "files") this.#run();
    else this.#timer ??= setTimeout(() => this.#run(), DATABASE_LAG_MS).unref();
  }

  /** Publishes what is due, and resolves when nothing is under way. */
  async finish(): Promise<void> {
    this.#run();
    await this.#running;
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw fault.error;
  }

  #run(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#publishDue();
  }

  async #publishDue(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false;
        await this.#publish();
      }
    } catch (error) {
      this.#fault = { error };
    } finally {
      this.#running = undefined;
    }
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

/** Whether an entry may change the list: what is listed, and what names it. */
export function isPublished(entry: Entry): boolean {
  return NAMING.has(entry.kind) || (entry.kind === "tool-start" && entry.name === SHELL_TOOL);
}

const NAMING: ReadonlySet<Entry["kind"]> = new Set(["checkpoint", "prompt", "label", "host"]);

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
