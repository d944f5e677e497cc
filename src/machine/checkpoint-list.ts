import type { LogStore, PublishedCheckpoint } from "../ports/log-store.ts";
import type { Entry, EntryOf } from "../record/entry.ts";
import { isWorldlineError, type WorldlineError } from "../record/error.ts";
import { isUuid, type Seq } from "../record/ids.ts";
import { isJsonObject } from "../record/parts.ts";
import { SHELL_TOOL } from "../timeline/calls.ts";
import {
  type CheckpointPlace,
  commandOf,
  hostLineOf,
  promptOf,
  promptsAbove,
} from "../timeline/checkpoints.ts";
import { NearestAbove } from "../timeline/outline.ts";
import type { Row } from "../timeline/row.ts";
import type { SessionView } from "./view.ts";

/** A checkpoint as it is shown to users in a list. */
export interface CheckpointView {
  readonly number: number;
  readonly entry: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** "command": the checkpoint was created before a command that the user ran. */
  readonly on: "prompt" | "manual" | "step" | "command";
  readonly branch: "here" | "left";
  readonly label?: string;
  /** The beginning of the prompt that the checkpoint was created for or that its step is part of. */
  readonly prompt?: string;
  /** The beginning of the command that the user ran at this checkpoint. */
  readonly command?: string;
  /** The name of the step in the user's program that the checkpoint follows. */
  readonly step?: string;
}

export async function describeCheckpoints(
  places: readonly CheckpointPlace[],
  view: SessionView,
): Promise<readonly CheckpointView[]> {
  const labels = await view.labels(places[0]?.row.seq);
  const prompts = promptsAbove(view.outline);
  const leads = places.map(({ row }) => leadOf(view, row, prompts));
  const starts = await startsOf(
    view,
    leads.flatMap(({ line }) => line ?? []),
  );
  const steps = await programSteps(
    view,
    places.map(({ row }) => row),
  );
  return places.map(({ row, number, branch }, index) => {
    const step = steps.get(row.seq)?.name;
    const label = labels.get(row.id);
    const { on, line, begins } = leads[index] ?? leadOf(view, row, prompts);
    const start = line === undefined ? undefined : starts.get(line);
    return {
      number,
      entry: row.id,
      at: row.at,
      on,
      branch,
      ...(label === undefined ? {} : { label }),
      ...(start === undefined ? {} : { [begins]: start }),
      ...(step === undefined ? {} : { step }),
    };
  });
}

/** What a checkpoint was created for, and the line of the entry with the details. */
interface Lead {
  readonly on: CheckpointView["on"];
  readonly line: Seq | undefined;
  readonly begins: "prompt" | "command";
}

function leadOf({ outline }: SessionView, row: Row, prompts: NearestAbove): Lead {
  const prompt = promptOf(outline, row, prompts)?.seq;
  if (row.kind === "step") return { on: "step", line: prompt, begins: "prompt" };
  if (prompt !== undefined) return { on: "prompt", line: prompt, begins: "prompt" };
  const command = commandOf(outline, row)?.seq;
  return { on: command === undefined ? "manual" : "command", line: command, begins: "command" };
}

async function startsOf(view: SessionView, lines: readonly Seq[]): Promise<ReadonlyMap<Seq, string>> {
  const entries = await view.storedEntries([...new Set(lines)]);
  return new Map(
    entries.map((entry) => [
      entry.seq,
      entry.kind === "tool-start" ? startOfCommand(entry) : startOfPrompt(entry),
    ]),
  );
}

/** Returns at most 80 characters of the prompt's first text block, with spaces instead of line breaks. */
export function startOfPrompt(entry: Entry): string {
  const part = entry.kind === "prompt" ? entry.parts.find(({ type }) => type === "text") : undefined;
  return startOfText(part?.type === "text" ? part.text : "");
}

function startOfCommand({ input }: EntryOf<"tool-start">): string {
  return startOfText(input !== undefined && isJsonObject(input) ? input["command"] : "");
}

/** The step in the user's program that a checkpoint follows. */
export interface NamedStep {
  readonly name: string;
  readonly status: EntryOf<"saved">["status"];
}

/**
 * The program's steps, keyed by the log lines of their checkpoints. Checkpoints before the first step are not included.
 * The result is empty if the session is not an execution.
 */
export async function programSteps(
  view: SessionView,
  checkpoints: readonly Row[] = view.outline.ofKind("checkpoint"),
): Promise<ReadonlyMap<Seq, NamedStep>> {
  const { outline, header } = view;
  if (header.mode !== "execution") return new Map();
  const lines = new Map<Seq, Seq>();
  const savedAbove = new NearestAbove(outline, (kind) => kind === "saved");
  for (const row of checkpoints) {
    const saved = savedAbove.of(row);
    if (saved !== undefined) lines.set(row.seq, saved.seq);
  }
  const steps = new Map<Seq, NamedStep>();
  for (const entry of await view.storedEntries([...new Set(lines.values())].sort((a, b) => a - b))) {
    if (entry.kind === "saved") steps.set(entry.seq, { name: startOfText(entry.name), status: entry.status });
  }
  return new Map(
    [...lines].flatMap(([line, saved]) => {
      const step = steps.get(saved);
      return step === undefined ? [] : [[line, step] as const];
    }),
  );
}

const LENGTH = 80;

/**
 * Returns at most 80 characters of the text, with spaces instead of line breaks. If the text is stored in a blob, uses
 * the beginning that the log line contains.
 */
function startOfText(text: unknown): string {
  const start = typeof text === "string" ? text : String((text as { start?: unknown } | null)?.start ?? "");
  return [...start.replace(/\s+/gu, " ").trim()].slice(0, LENGTH).join("");
}

/**
 * The maximum time that a list in a database can lag behind the log. Publishing is delayed, because it requires a
 * transaction that would hold up the next append.
 */
const DATABASE_LAG_MS = 100;

/**
 * Publishes the list of checkpoints without making the caller wait. A file store gets the new list as soon as a
 * checkpoint is in the log, so that a killed process does not leave an outdated list behind. Lists are written one at a
 * time, so that an older list is never written last.
 */
export class Publisher {
  readonly #parts: PublisherDeps;
  #running: Promise<void> | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  /** Why the list is being written. A failure is reported only if the session has changed. */
  #after: "opening" | "change" = "opening";
  #isReported = false;
  /** An unexpected error. `finish` throws it, because no caller awaits the work that caused the error. */
  #fault: { readonly error: unknown } | undefined;

  constructor(parts: PublisherDeps) {
    this.#parts = parts;
  }

  /**
   * Requests a new list. If a list is already being written, the new list is written after it. `after` is "opening"
   * when the session is opened, because a killed process may have left an outdated list.
   */
  start(after: "opening" | "change" = "change"): void {
    if (after === "change") this.#after = "change";
    this.#isDue = true;
    if (this.#parts.store.place.kind === "files") this.#run();
    else this.#timer ??= setTimeout(() => this.#run(), DATABASE_LAG_MS).unref();
  }

  /** Publishes any pending list, and resolves when no work is in progress. */
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

/** Checks whether an entry may change the list, because it is a checkpoint or determines how a checkpoint is shown. */
export function isPublished(entry: Entry): boolean {
  return NAMING.has(entry.kind) || (entry.kind === "tool-start" && entry.name === SHELL_TOOL);
}

const NAMING: ReadonlySet<Entry["kind"]> = new Set(["checkpoint", "prompt", "label", "host"]);

interface PublisherDeps {
  readonly view: SessionView;
  readonly store: LogStore;
  /** The maximum number of checkpoints in the list. */
  readonly keep: number;
  /** Called when publishing fails. Not called again until publishing has succeeded and then failed again. */
  readonly onFailure: (error: WorldlineError) => void;
}

/**
 * Writes the newest checkpoints, newest first, to the file that users and scripts read. The list only repeats what is
 * in the log, so a problem such as a full disk must not affect the entry that caused the update. The promise therefore
 * resolves with the error instead of rejecting.
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

/** The newest checkpoints, listed oldest first. */
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
 * The ids that another agent uses for the prompts that it received, so that scripts can query that agent directly. Only
 * UUIDs are included, because readers could mistake other ids for labels. Ids of forgotten prompts are left out,
 * because the agent must not be queried for them.
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

/** The text that is shown for a checkpoint; undefined if its prompt consists only of an image. */
function textOf({ label, prompt, command }: CheckpointView): string | undefined {
  return [label, prompt, command === undefined ? undefined : `! ${command}`].find(
    (text) => text !== undefined && text !== "",
  );
}

/** Checks whether a published list matches the log, regardless of the time zone of the program that published it. */
export function isSameList(
  inLog: readonly PublishedCheckpoint[],
  published: readonly Pick<PublishedCheckpoint, "id" | "description">[],
): boolean {
  return (
    inLog.length === published.length &&
    inLog.every((checkpoint, index) => {
      const listed = published[index];
      return listed?.id === checkpoint.id && describesSame(checkpoint, listed.description);
    })
  );
}

const DAY_MS = 24 * 60 * 60_000;
/** All time zone offsets are multiples of this value. */
const ZONE_STEP_MS = 15 * 60_000;

function describesSame({ description, timestamp }: PublishedCheckpoint, listed: string): boolean {
  const at = Date.parse(timestamp);
  if (description === listed || description !== timeOf(at)) return description === listed;
  const shifts = Array.from({ length: DAY_MS / ZONE_STEP_MS }, (_, step) => step * ZONE_STEP_MS);
  return shifts.some((shift) => listed === timeText(new Date(at + shift).toISOString().slice(11, 19)));
}

/** The time of day in the user's time zone. The list also contains the exact time. */
function timeOf(at: number): string {
  return timeText(new Date(at).toTimeString().slice(0, 8));
}

function timeText(clock: string): string {
  return `Checkpoint at ${clock}`;
}
