import type { SessionView } from "../machine/view.ts";
import { type EntryOf, isKind, type SavedBody } from "../record/entry.ts";
import { type CheckpointNumber, type Seq, toCheckpointNumber } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import { linesOfBranch } from "../timeline/outline.ts";
import { requireCheckpointId } from "./check-calls.ts";
import type { StepCheckpoint } from "./execution.ts";
import { restoreValue } from "./values/values.ts";

/** Returns the id of an attempt's checkpoint, in the form `ckpt-<execution>-<index>@<attempt>`. */
export function checkpointId(execution: string, index: number, attempt: number): string {
  return `ckpt-${execution}-${index}@${attempt}`;
}

interface CheckpointName {
  readonly index: number;
  /** The number of the attempt, or undefined for the latest attempt. */
  readonly attempt: number | undefined;
}

const PLACE = /^(0|[1-9]\d{0,15})(?:@([1-9]\d{0,15}))?$/u;

/**
 * Returns the step that an id names within this execution, or undefined if the id belongs to another execution or does
 * not name a step.
 */
export function checkpointNamed(execution: string, id: string): CheckpointName | undefined {
  requireCheckpointId(id);
  const prefix = `ckpt-${execution}-`;
  // The id is split by length rather than with a pattern, because an execution may have any id, and `exec-1` must not
  // match `exec-10`.
  const [, index, attempt] = (id.startsWith(prefix) && PLACE.exec(id.slice(prefix.length))) || [];
  if (index === undefined) return undefined;
  return { index: Number(index), attempt: attempt === undefined ? undefined : Number(attempt) };
}

/** One attempt at a step. The values are not included; they are read on demand. */
export interface StepRecord {
  readonly index: number;
  readonly attempt: number;
  readonly name: string;
  readonly status: SavedBody["status"];
  /** All lines about the attempt, in order. The last line determines the attempt's status. */
  readonly lines: readonly Seq[];
  /**
   * Whether the checkpoint was deleted. If so, the attempt is not shown, and the execution cannot return to it. The log
   * shows only that the attempt existed.
   */
  readonly isDeleted: boolean;
}

type Saved = Pick<EntryOf<"saved">, "seq" | "index" | "attempt" | "name" | "status">;

/**
 * Everything that the log says about the steps. An attempt is "here" if its last line is on the current branch. An
 * attempt therefore counts as "left" if it ended after the checkpoint that a rollback returned to, even if its first
 * line is still on the branch.
 */
export class StepRecords {
  readonly #outline: Outline;
  /** The attempts at each index, in order. */
  readonly #byIndex = new Map<number, StepRecord[]>();
  /** All indices, sorted. */
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

  /** Adds a line about a step. The line must have been written at the head. */
  add(saved: Saved): void {
    this.#here.add(saved.seq);
    this.#note(saved);
  }

  /** Adds a line that is not about a step. The line must have been written at the head. */
  addLine(line: Seq): void {
    this.#here.add(line);
  }

  /** Must be called after the head has moved. */
  moved(): void {
    this.#here = new Set(linesOfBranch(this.#outline));
  }

  /** Records that an attempt's checkpoint was deleted. */
  delete({ index, attempt }: Pick<StepRecord, "index" | "attempt">): void {
    this.#deleted.add(`${index}@${attempt}`);
    const attempts = this.#byIndex.get(index);
    if (attempts === undefined) return;
    const changed = attempts.map((each) => (each.attempt === attempt ? { ...each, isDeleted: true } : each));
    this.#byIndex.set(index, changed);
  }

  /** Returns the attempts, sorted by index and then by number, excluding deleted attempts. */
  all(): readonly StepRecord[] {
    return this.#indices.flatMap((index) => this.of(index)).filter(({ isDeleted }) => !isDeleted);
  }

  /** Returns all attempts at an index, including deleted attempts. */
  of(index: number): readonly StepRecord[] {
    return this.#byIndex.get(index) ?? [];
  }

  isHere({ lines }: StepRecord): boolean {
    return this.#here.has(lines.at(-1) ?? 0);
  }

  /** Returns the attempt that the execution continues from at this index, even if the attempt was deleted. */
  here(index: number): StepRecord | undefined {
    return this.of(index).findLast((record) => this.isHere(record));
  }

  /**
   * Returns the attempt that an id names. If the id does not contain an attempt number, returns the latest attempt on
   * this branch or, if there is none, the latest attempt on any branch.
   */
  named({ index, attempt }: CheckpointName): StepRecord | undefined {
    const attempts = this.of(index).filter(({ isDeleted }) => !isDeleted);
    if (attempt !== undefined) return attempts.find((record) => record.attempt === attempt);
    return attempts.findLast((record) => this.isHere(record)) ?? attempts.at(-1);
  }

  /** Returns the successful attempt on this branch with the highest index below `before`. */
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

  /** Returns the attempt on this branch that was written last. */
  newest(): StepRecord | undefined {
    return this.#visible().reduce<StepRecord | undefined>(
      (newest, record) => (lastLine(record) > lastLine(newest) ? record : newest),
      undefined,
    );
  }

  /** The number of indices that have a step on this branch. */
  get count(): number {
    return new Set(this.#visible().map(({ index }) => index)).size;
  }

  /**
   * Checks whether the program continued after this attempt ended, either by beginning another step or by calling
   * `finish`.
   */
  wentOnAfter(record: StepRecord): boolean {
    const end = lastLine(record);
    const isLater = (other: StepRecord): boolean => (other.lines[0] ?? 0) > end && this.isHere(other);
    // The search starts at the last index, because the step at that index usually began last.
    for (let at = this.#indices.length - 1; at >= 0; at -= 1) {
      const index = this.#indices[at] ?? 0;
      if (index !== record.index && this.of(index).some(isLater)) return true;
    }
    return this.#outline.linesOf("execution-finish").some((line) => line > end && this.#here.has(line));
  }

  /** Whether the program called `finish` with no later step on this branch. */
  get isFinished(): boolean {
    const finished = this.#outline.linesOf("execution-finish").findLast((line) => this.#here.has(line));
    if (finished === undefined) return false;
    return !this.#outline.linesOf("saved").some((line) => line > finished && this.#here.has(line));
  }

  /** Returns the latest attempt at each index on this branch. */
  latest(): readonly StepRecord[] {
    return this.#indices.flatMap((index) => this.here(index) ?? []);
  }

  #visible(): readonly StepRecord[] {
    return this.all().filter((record) => this.isHere(record));
  }

  /**
   * Returns the number for the next attempt. Attempts are numbered across all branches, so that their ids are unique.
   */
  nextAttempt(index: number): number {
    return (this.of(index).at(-1)?.attempt ?? 0) + 1;
  }

  /** Returns how many times the step has been tried since its last success. */
  triedSince(index: number): number {
    const attempts = this.of(index);
    return attempts.length - 1 - attempts.findLastIndex(({ status }) => status === "success");
  }

  /**
   * Returns the number of the checkpoint after the attempt's last line. The line and the checkpoint are written
   * together.
   */
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

/** Reads an attempt's values. Values that are missing from the attempt's last line come from earlier lines. */
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

/** Returns all steps in a session for display, sorted by index and then by attempt. */
export async function stepsOf(view: SessionView): Promise<readonly StepCheckpoint[]> {
  const records = await StepRecords.read(view);
  const steps: StepCheckpoint[] = [];
  for (const record of records.all()) steps.push(await readStep(view, records, record));
  return steps;
}

/**
 * Returns an execution's id. A program cannot open a fork of an execution, so a fork is identified by its session's id.
 */
export function executionIdOf({ header }: SessionView): string {
  return header.execution?.id ?? header.session;
}
