import type { Entry, EntryOf } from "../../record/entry.ts";
import { type CheckpointNumber, type Seq, toCheckpointNumber } from "../../record/ids.ts";
import { type ToolCallPart, textOf } from "../../record/parts.ts";
import { isPersonCall, typedFor } from "../../timeline/calls.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { StepCheckpoint } from "../execution.ts";
import { checkpointId } from "../step-records.ts";
import { type TurnId, type TurnPlace, turnName } from "./read-turns.ts";

/** The data that is needed to show a turn. */
export interface TurnData {
  readonly id: TurnId;
  readonly place: TurnPlace;
  readonly rows: readonly Row[];
  readonly entries: ReadonlyMap<Seq, Entry>;
  /** The state of a checkpoint's files; "none" if no state is recorded. */
  readonly filesOf: (checkpoint: number) => EntryOf<"snapshot">["state"];
  readonly isHere: (row: Row) => boolean;
}

/**
 * The steps of a turn, sorted by index and then by attempt. Each model call is a step. A turn that consists of a user's
 * command has a single step.
 */
export function stepsOfTurn(material: TurnData): readonly StepCheckpoint[] {
  if (material.place.by === "command") return [commandStep(material)];
  const attempts = new Map<number, number>();
  const steps = walkTurn(material.rows, material.entries).map((step) => {
    const attempt = (attempts.get(step.index) ?? 0) + 1;
    attempts.set(step.index, attempt);
    return checkpointOf(material, step, attempt);
  });
  return steps.sort((a, b) => a.index - b.index || a.attempt - b.attempt);
}

/**
 * How the turn ended, as determined from its last entry on this branch. "between-steps": all its calls have ended, and
 * a model call would come next. "open": the turn is in a step or was cut off in one.
 */
type TurnEnding = "done" | "failed" | "interrupted" | "between-steps" | "open";

export function endingOf({ place, rows, entries, isHere }: TurnData): TurnEnding {
  const here = rows.filter(isHere);
  const walked = here.length > 0 ? here : rows;
  const last = walked.findLastIndex(({ seq }) => isProgress(entries.get(seq), place));
  const entry = entries.get(walked[last]?.seq ?? place.start.seq);
  switch (entry?.kind) {
    case "error":
      return "failed";
    case "interrupt":
      return "interrupted";
    case "reply":
      if (isFinal(entry)) return "done";
      break;
    case "tool-end":
      if (place.by === "command") return COMMAND_ENDS[entry.outcome];
      break;
    default:
  }
  // A rewind is not possible during a turn, so a rewind after this point means that the turn has ended.
  if (walked.slice(last + 1).some(({ kind }) => kind === "rewind" || kind === "redo")) return "interrupted";
  return entry?.kind === "tool-end" ? "between-steps" : "open";
}

const COMMAND_ENDS = { ok: "done", error: "failed", denied: "failed", interrupted: "interrupted" } as const;

function isFinal({ end, parts }: EntryOf<"reply">): boolean {
  return end !== "interrupted" && parts.every(({ type }) => type !== "tool-call");
}

/**
 * Checks whether the entry shows that the turn progressed. A command that the user ran during an agent's turn is not
 * progress.
 */
function isProgress(entry: Entry | undefined, { by }: TurnPlace): boolean {
  if (entry === undefined) return false;
  const isCall = entry.kind === "tool-start" || entry.kind === "tool-end";
  return by === "command" || !isCall || !isPersonCall(entry.call);
}

/** The user's prompt, or the command that the user ran with "!". */
export function titleOfTurn({ place, entries }: Pick<TurnData, "place" | "entries">): string {
  const entry = entries.get(place.start.seq);
  if (entry?.kind === "prompt") return textOf(entry.parts);
  return entry?.kind === "tool-start" ? typedFor(entry.name, aboutCall(entry.input)) : "";
}

function checkpointOf(material: TurnData, step: WalkedStep, attempt: number): StepCheckpoint {
  const calls = callsOf(step);
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  const { reply } = step;
  return {
    ...commonOf(material, step.row, { index: step.index, attempt }),
    name: names === "" ? "reply" : names,
    status: statusOf(step, calls),
    error: errorOf(step, calls),
    metadata: { model: reply?.model, calls },
    output: reply !== undefined && calls.length === 0 ? textOf(reply.parts) : undefined,
  };
}

type CommonField =
  | "id"
  | "execution"
  | "index"
  | "attempt"
  | "state"
  | "context"
  | "variables"
  | "time"
  | "branch";

function commonOf(
  material: TurnData,
  row: Row,
  { index, attempt }: Pick<StepCheckpoint, "index" | "attempt">,
): Pick<StepCheckpoint, CommonField | "checkpoint"> {
  const { id, isHere, filesOf } = material;
  const execution = turnName(id);
  const checkpoint: CheckpointNumber = toCheckpointNumber(row.number);
  return {
    id: checkpointId(execution, index, attempt),
    execution,
    index,
    attempt,
    state: { checkpoint, files: filesOf(checkpoint) },
    context: { session: id.session, prompt: titleOfTurn(material) },
    variables: {},
    time: new Date(row.at),
    checkpoint,
    branch: isHere(row) ? "here" : "left",
  };
}

/**
 * The status of a step. "pending" takes precedence, because the effect of an open call is unknown. A denied call does
 * not count as a failure, because it ended as the user wanted.
 */
function statusOf({ reply, stopped }: WalkedStep, calls: readonly TurnCall[]): StepCheckpoint["status"] {
  if (calls.some(({ outcome }) => outcome === "open")) return "pending";
  if (stopped !== undefined || calls.some(isFailed)) return "failed";
  const isCut = reply === undefined || reply.end === "interrupted";
  return isCut || calls.some(({ outcome }) => outcome === "unstarted") ? "pending" : "success";
}

function isFailed({ outcome }: TurnCall): boolean {
  return outcome === "error" || outcome === "interrupted";
}

function errorOf({ stopped, ends }: WalkedStep, calls: readonly TurnCall[]): unknown {
  if (stopped?.kind === "error") return { code: stopped.code, message: stopped.message };
  if (stopped?.kind === "interrupt") return { message: `Interrupted: ${stopped.by}` };
  const failed = calls.find(isFailed);
  if (failed === undefined) return undefined;
  const end = ends.findLast(({ call }) => call === failed.call);
  return { message: `${failed.name}: ${startOf(end)}` };
}

/** The maximum length of an error's text. A result can be long, and the log contains all of it. */
const MAX_ERROR_TEXT = 300;

function startOf(end: EntryOf<"tool-end"> | undefined): string {
  return [...resultText(end)].slice(0, MAX_ERROR_TEXT).join("");
}

/**
 * Returns a result's text. If long text was not read from its blob, returns the beginning that the entry itself
 * contains.
 */
function resultText(end: EntryOf<"tool-end"> | undefined): string {
  const texts = (end?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text as unknown] : []));
  return texts
    .map((text) =>
      typeof text === "string" ? text : String((text as { start?: unknown } | null)?.start ?? ""),
    )
    .join("\n");
}

/** Creates the only step of a turn that is a user's command. This step has no model call. */
function commandStep(material: TurnData): StepCheckpoint {
  const { place, entries, rows } = material;
  const start = entries.get(place.start.seq);
  const told = rows.map(({ seq }) => entries.get(seq));
  const end = told.find((entry): entry is EntryOf<"tool-end"> => entry?.kind === "tool-end");
  const begun = start?.kind === "tool-start" ? start : undefined;
  const call: TurnCall = {
    call: begun?.call ?? "",
    name: begun?.name ?? "",
    about: aboutCall(begun?.input),
    outcome: end?.outcome ?? "open",
  };
  const isOk = call.outcome === "ok";
  const status = call.outcome === "open" ? "pending" : isOk ? "success" : "failed";
  return {
    ...commonOf(material, place.checkpoint, { index: 0, attempt: 1 }),
    name: call.name,
    status,
    error: status === "failed" ? { message: `${call.name}: ${startOf(end)}` } : undefined,
    metadata: { model: undefined, calls: [call] },
    output: end === undefined ? undefined : resultText(end),
  };
}

/** A model call in a turn, with its results. */
interface WalkedStep {
  readonly row: Row;
  /** The index of the call within its turn, starting at 0. A retried call keeps the index of the first try. */
  readonly index: number;
  reply: EntryOf<"reply"> | undefined;
  readonly starts: EntryOf<"tool-start">[];
  readonly ends: EntryOf<"tool-end">[];
  /** What stopped the turn at this call; undefined if the turn continued. */
  stopped: EntryOf<"interrupt"> | EntryOf<"error"> | undefined;
}

/** The turn's progress as of a given row. */
interface Spot {
  readonly step: WalkedStep | undefined;
  readonly done: number;
}

/** Returns the model calls of one turn on all its branches, oldest first. */
function walkTurn(rows: readonly Row[], entries: ReadonlyMap<Seq, Entry>): readonly WalkedStep[] {
  const steps: WalkedStep[] = [];
  const spots = new Map<number, Spot>();
  for (const row of rows) {
    const above = spots.get(row.parent) ?? { step: undefined, done: 0 };
    const spot = spotOf(row, above, entries.get(row.seq));
    if (row.kind === "step" && spot.step !== undefined) steps.push(spot.step);
    spots.set(row.seq, spot);
  }
  return steps;
}

function spotOf(row: Row, above: Spot, entry: Entry | undefined): Spot {
  switch (row.kind) {
    case "step":
      return { step: newStep(row, above.done), done: above.done };
    // After an entry of these kinds, the model is called again, so later entries do not belong to the current step.
    case "backtrack":
    case "rewind":
    case "checkpoint":
      return { step: undefined, done: above.done };
    default:
      return entry === undefined || above.step === undefined ? above : noted(above.step, above.done, entry);
  }
}

function newStep(row: Row, index: number): WalkedStep {
  return { row, index, reply: undefined, starts: [], ends: [], stopped: undefined };
}

function noted(step: WalkedStep, done: number, entry: Entry): Spot {
  switch (entry.kind) {
    case "reply":
      step.reply = entry;
      step.stopped = undefined;
      return { step, done: entry.end === "interrupted" ? done : step.index + 1 };
    case "tool-start":
      if (!isPersonCall(entry.call)) step.starts.push(entry);
      break;
    case "tool-end":
      if (!isPersonCall(entry.call)) step.ends.push(entry);
      break;
    case "interrupt":
    case "error":
      step.stopped = entry;
      break;
    default:
  }
  return { step, done };
}

/**
 * A tool call in a step. "open": the call started, and its effect is unknown. "unstarted": the call was requested, but
 * never started.
 */
interface TurnCall {
  readonly call: string;
  readonly name: string;
  /** The call's subject, such as a path or a command; empty if it has none. */
  readonly about: string;
  readonly outcome: EntryOf<"tool-end">["outcome"] | "open" | "unstarted";
}

/** The tool calls in a step, in the order in which the model requested them. */
function callsOf({ reply, starts, ends }: WalkedStep): readonly TurnCall[] {
  const asked = (reply?.parts ?? []).filter((part): part is ToolCallPart => part.type === "tool-call");
  return asked.map(({ call, name, input }) => {
    const start = starts.find((each) => each.call === call);
    const end = ends.findLast((each) => each.call === call);
    const begun = start === undefined ? "unstarted" : "open";
    return {
      call,
      name,
      about: aboutCall(start?.input ?? input),
      outcome: end?.outcome ?? begun,
    };
  });
}
