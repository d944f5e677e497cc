import type { SessionView } from "../machine/view.ts";
import { type EntryOf, isKind, type SavedBody } from "../record/entry.ts";
import { type CheckpointNumber, type Seq, toCheckpointNumber } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import { linesOfBranch } from "../timeline/outline.ts";
import { requireCheckpointId } from "./check-calls.ts";
import type { StepCheckpoint } from "./execution.ts";
import { restoreValue } from "./values/values.ts";

/** `ckpt-<execution>-<index>@<attempt>`. */
export function checkpointId(execution: string, index: number, attempt: number): string {
  return `ckpt-${execution}-${index}@${attempt}`;
}

interface CheckpointName {
  readonly index: number;
  /** The attempt; undefined for the latest one. */
  readonly attempt: number | undefined;
}

const PLACE = /^(0|[1-9]\d{0,15})(?:@([1-9]\d{0,15}))?$/u;

/**
 * The step that an id names within this execution; undefined if the id belongs to another execution, or names no step.
 */
export function checkpointNamed(execution: string, id: string): CheckpointName | undefined {
  requireCheckpointId(id);
  const prefix = `ckpt-${execution}-`;
  // Splits by length rather than by a pattern, because an execution may have any id, and `exec-1` is not `exec-10`.
  const [, index, attempt] = (id.startsWith(prefix) && PLACE.exec(id.slice(prefix.length))) || [];
  if (index === undefined) return undefined;
  return { index: Number(index), attempt: attempt === undefined ? undefined : Number(attempt) };
}

/** One attempt of a step, without its values, which are read on demand. */
export interface StepRecord {
  readonly index: number;
  readonly attempt: number;
  readonly name: string;
  readonly status: SavedBody["status"];
  /** All lines about the attempt, in order. The last one decides its status. */
  readonly lines: readonly Seq[];
  /**
   * Set if the checkpoint was deleted. The attempt is then not shown, and the execution cannot return to it; only its
   * existence is known.
   */
  readonly isDeleted: boolean;
}

type Saved = Pick<EntryOf<"saved">, "seq" | "index" | "attempt" | "name" | "status">;

/**
 * Everything that the log says about the steps. An attempt is "here" if its last line is on the branch of the head. An
 * attempt that ended after the checkpoint of a rollback therefore counts as left, even if its beginning is still on the
 * branch.
 */
export class StepRecords {
  readonly #outline: Outline;
  /** Attempts by index, in order. */
  readonly #byIndex = new Map<number, StepRecord[]>();
  /** Sorted. */
  readonly #indices: number[] = [];
  #here: Set<number>;
  readonly #deleted = new Set<string>();

  constructor(outline: Outline) {
    this.#outline = outline;
    this.#here = new Set(linesOfBranch(outline));
  }

  static async read(view: SessionView): Promise<StepRecords> {
    const records = new StepRecords(view.outline);
    for (const entry of await view.storedEntries(view.outline.linesOf("checkpoint-delete"))) {
      if (entry.kind === "checkpoint-delete") records.delete(entry);
    }
    for (const entry of await view.storedEntries(view.outline.linesOf("saved"))) {
      if (entry.kind !== "saved") continue;
      // A very long name is stored in a blob.
      const [whole] = typeof entry.name === "string" ? [entry] : await view.entries([entry.seq]);
      if (whole?.kind === "saved") records.#note(whole);
    }
    return records;
  }

  /** Adds a line of a step that was written at the head. */
  add(saved: Saved): void {
    this.#here.add(saved.seq);
    this.#note(saved);
  }

  /** Adds another line that was written at the head. */
  addLine(line: Seq): void {
    this.#here.add(line);
  }

  /** Called after the head moved. */
  moved(): void {
    this.#here = new Set(linesOfBranch(this.#outline));
  }

  /** Records that the checkpoint of an attempt was deleted. */
  delete({ index, attempt }: Pick<StepRecord, "index" | "attempt">): void {
    this.#deleted.add(`${index}@${attempt}`);
    const attempts = this.#byIndex.get(index);
    if (attempts === undefined) return;
    const changed = attempts.map((each) => (each.attempt === attempt ? { ...each, isDeleted: true } : each));
    this.#byIndex.set(index, changed);
  }

  /** The attempts, sorted by index and then by number, excluding deleted ones. */
  all(): readonly StepRecord[] {
    return this.#indices.flatMap((index) => this.of(index)).filter(({ isDeleted }) => !isDeleted);
  }

  /** All attempts at an index, including deleted ones. */
  of(index: number): readonly StepRecord[] {
    return this.#byIndex.get(index) ?? [];
  }

  isHere({ lines }: StepRecord): boolean {
    return this.#here.has(lines.at(-1) ?? 0);
  }

  /** The attempt that the execution continues from at this index. It may have been deleted. */
  here(index: number): StepRecord | undefined {
    return this.of(index).findLast((record) => this.isHere(record));
  }

  /**
   * The attempt that an id names. Without an attempt number, that is the latest one on this branch or, if there is
   * none, the latest of all.
   */
  named({ index, attempt }: CheckpointName): StepRecord | undefined {
    const attempts = this.of(index).filter(({ isDeleted }) => !isDeleted);
    if (attempt !== undefined) return attempts.find((record) => record.attempt === attempt);
    return attempts.findLast((record) => this.isHere(record)) ?? attempts.at(-1);
  }

  /** The success with the highest index below `before`, on this branch. */
  lastSuccess(before: number): StepRecord | undefined {
    for (let at = this.#indices.length - 1; at >= 0; at -= 1) {
      const index = this.#indices[at] ?? 0;
      if (index >= before) continue;
      const found = this.of(index).findLast(
        (record) => record.status === "success" && !record.isDeleted && this.isHere(record),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The attempt that was written last on this branch. */
  newest(): StepRecord | undefined {
    return this.#visible().reduce<StepRecord | undefined>(
      (newest, record) => (lastLine(record) > lastLine(newest) ? record : newest),
      undefined,
    );
  }

  /** How many indices have a step on this branch. */
  get count(): number {
    return new Set(this.#visible().map(({ index }) => index)).size;
  }

  /** Whether the program continued after this attempt had ended: another step began, or the program called `finish`. */
  wentOnAfter(record: StepRecord): boolean {
    const end = lastLine(record);
    const isLater = (other: StepRecord): boolean => (other.lines[0] ?? 0) > end && this.isHere(other);
    // Goes from the last index on, because that step usually began last.
    for (let at = this.#indices.length - 1; at >= 0; at -= 1) {
      const index = this.#indices[at] ?? 0;
      if (index !== record.index && this.of(index).some(isLater)) return true;
    }
    return this.#outline.linesOf("execution-finish").some((line) => line > end && this.#here.has(line));
  }

  /** Whether the program called `finish`, and nothing came after that on this branch. */
  get isFinished(): boolean {
    const finished = this.#outline.linesOf("execution-finish").findLast((line) => this.#here.has(line));
    if (finished === undefined) return false;
    return !this.#outline.linesOf("saved").some((line) => line > finished && this.#here.has(line));
  }

  /** The latest attempt at each index on this branch. */
  latest(): readonly StepRecord[] {
    return this.#indices.flatMap((index) => this.here(index) ?? []);
  }

  #visible(): readonly StepRecord[] {
    return this.all().filter((record) => this.isHere(record));
  }

  /** Numbers attempts over all branches, so that their ids are unique. */
  nextAttempt(index: number): number {
    return (this.of(index).at(-1)?.attempt ?? 0) + 1;
  }

  /** How many times the step has been tried since its last success. */
  triedSince(index: number): number {
    const attempts = this.of(index);
    return attempts.length - 1 - attempts.findLastIndex(({ status }) => status === "success");
  }

  /** The checkpoint after the attempt's last line. Both are written together. */
  checkpointOf(record: StepRecord): CheckpointNumber | undefined {
    const line = lastLine(record);
    const row = this.#outline.at(line + 1);
    const isOurs = row?.kind === "checkpoint" && row.parent === line;
    return isOurs ? toCheckpointNumber(row.number) : undefined;
  }

  #note({ seq, index, attempt, name, status }: Saved): void {
    const attempts = this.#byIndex.get(index) ?? [];
    if (attempts.length === 0) this.#addIndex(index);
    const known = attempts.findIndex((each) => each.attempt === attempt);
    const lines = [...(attempts[known]?.lines ?? []), seq];
    const isDeleted = this.#deleted.has(`${index}@${attempt}`);
    const record = { index, attempt, name, status, lines, isDeleted };
    if (known === -1) attempts.push(record);
    else attempts[known] = record;
    this.#byIndex.set(index, attempts);
  }

  #addIndex(index: number): void {
    const at = this.#indices.findLastIndex((each) => each < index) + 1;
    this.#indices.splice(at, 0, index);
  }
}

function lastLine(record: StepRecord | undefined): number {
  return record?.lines.at(-1) ?? 0;
}

/** Reads the values of an attempt. Values that its last line lacks come from an earlier line. */
export async function readStep(
  view: SessionView,
  records: StepRecords,
  record: StepRecord,
): Promise<StepCheckpoint> {
  const { index, attempt, name, status } = record;
  const lines = (await view.entries(record.lines)).filter((entry) => isKind(entry, "saved"));
  const saved: Partial<EntryOf<"saved">> = Object.assign({}, ...lines);
  const execution = executionIdOf(view);
  return {
    id: checkpointId(execution, index, attempt),
    execution,
    name,
    index,
    attempt,
    status,
    ...(saved.decided === undefined ? {} : { decided: saved.decided }),
    error: restoreValue(saved.error),
    state: restoreValue(saved.state),
    context: restoreValue(saved.context),
    variables: restoreValue(saved.variables),
    metadata: restoreValue(saved.metadata),
    output: restoreValue(saved.output),
    ...(saved.unstored === undefined || saved.decided !== undefined ? {} : { unstored: saved.unstored }),
    time: new Date(saved.at ?? view.header.at),
    checkpoint: records.checkpointOf(record),
    branch: records.isHere(record) ? "here" : "left",
  };
}

/** All steps of a session, for display: by index and then attempt. */
export async function stepsOf(view: SessionView): Promise<readonly StepCheckpoint[]> {
  const records = await StepRecords.read(view);
  const steps: StepCheckpoint[] = [];
  for (const record of records.all()) steps.push(await readStep(view, records, record));
  return steps;
}

/** No program can open a fork of an execution, so a fork is named by its session. */
export function executionIdOf({ header }: SessionView): string {
  return header.execution?.id ?? header.session;
}
