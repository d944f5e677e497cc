import { type Holding, holdSession, type SessionContext, viewSession } from "../../machine/open.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf, ExecutionOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { findCheckpoint } from "../../timeline/checkpoints.ts";
import { checkpointFilter, requireRetry, successFilter } from "../check-calls.ts";
import type { Execution, StepCheckpoint } from "../execution.ts";
import { checkpointNotFound } from "../execution-error.ts";
import { isBegun, sessionOfExecution } from "../hold-execution.ts";
import { type Restore, resultOf, takeBack, takeFilesBack } from "../running/going-back.ts";
import { requireIndex } from "../running/run-step.ts";
import { checkpointNamed } from "../step-records.ts";
import { parseTurnName, readTurns, type TurnId, type TurnPlace, turnAt, turnName } from "./read-turns.ts";
import { stepsOfTurn } from "./turn-steps.ts";

/** Options for holding a turn's session in order to go back to one of its steps. */
export interface TurnHoldOptions extends Omit<Holding, "onClose"> {
  /** Called when the turn is closed, so that the caller can close whatever it opened for the turn. */
  readonly onClose?: () => Promise<void>;
}

/** An existing turn, and the first entry of its session. */
export interface FoundTurn {
  readonly id: TurnId;
  readonly header: EntryOf<"session">;
}

/**
 * Finds the turn with this id. Returns undefined if there is no such turn. Also returns undefined if a program has an
 * execution with this id, because executions take precedence. Reads only the outline.
 */
export async function findTurn(store: LogStore, { id, scope }: ExecutionOf): Promise<FoundTurn | undefined> {
  const turn = parseTurnName(id);
  const view = turn && (await viewIn(store, turn.session));
  if (turn === undefined || view === undefined || placeOf(view, turn.number) === undefined) return undefined;
  if (await isBegun(store, sessionOfExecution({ id, scope }))) return undefined;
  return { id: turn, header: view.header };
}

async function viewIn(store: LogStore, id: SessionId): Promise<SessionView | undefined> {
  try {
    return await viewSession(store, id);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

/** The current steps of a turn; undefined if there is no such turn. */
async function stepsIn(store: LogStore, id: TurnId): Promise<readonly StepCheckpoint[] | undefined> {
  const view = await viewIn(store, id.session);
  return view && stepsOfTurnIn(view, id.number);
}

function placeOf(view: SessionView, number: number): TurnPlace | undefined {
  const row = findCheckpoint(view.outline, number);
  return row === undefined ? undefined : turnAt(view.outline, row);
}

/** The steps of the turn at a checkpoint; undefined if there is none. */
export async function stepsOfTurnIn(
  view: SessionView,
  number: number,
): Promise<readonly StepCheckpoint[] | undefined> {
  const place = placeOf(view, number);
  if (place === undefined) return undefined;
  const [material] = await readTurns(view, [place], "whole");
  return material === undefined ? undefined : stepsOfTurn(material);
}

/**
 * Presents an agent's turn as an execution. The steps are the agent's, so a program can read them and go back to them,
 * but cannot run or write steps.
 */
export function turnExecution(
  context: SessionContext,
  id: TurnId,
  { onClose, ...holding }: TurnHoldOptions,
): Execution {
  const name = turnName(id);
  const all = async (): Promise<readonly StepCheckpoint[]> => (await stepsIn(context.store, id)) ?? [];
  const back = async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
    const session = await holdSession(context, id.session, holding);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  };
  const resume = async <Output>(
    checkpoint: StepCheckpoint,
    restore: Restore<Output> | undefined,
  ): Promise<Output> =>
    back(async (session) => takeBack(session, placeIn(id, checkpoint), { checkpoint, restore }));
  const agentsOwn = (): WorldlineError => new WorldlineError("turn-execution", { execution: name });
  return {
    id: name,
    session: id.session,
    step: async () => Promise.reject(agentsOwn()),
    save: async () => Promise.reject(agentsOwn()),
    checkpoints: async (filter) => {
      const { branch } = checkpointFilter(filter);
      return (await all()).filter((each) => branch === "all" || each.branch === "here");
    },
    checkpoint: async (wanted) => named(await all(), name, wanted),
    lastSuccessful: async (filter) => {
      const { before } = successFilter(filter);
      return lastSuccess(await all(), before);
    },
    resumeFrom: async (wanted, restore) =>
      resultOf(async () => resume(requireNamed(await all(), name, wanted), restore)),
    retryFrom: async (index, options = {}) =>
      resultOf(async () => {
        requireRetry(options);
        const { restore, run } = options;
        if (run !== undefined) throw agentsOwn();
        const checkpoint = requireSuccess(await all(), requireIndex(index));
        await resume(checkpoint, async (found) => restore?.(found));
        // Turns do not accept `run`, so the checkpoint is the only possible result.
        return checkpoint as never;
      }),
    rollbackTo: async (wanted) =>
      resultOf(async () => {
        const checkpoint = requireNamed(await all(), name, wanted);
        if (context.files === undefined) {
          return { checkpoint: await resume<StepCheckpoint>(checkpoint, undefined), files: undefined };
        }
        const to = placeIn(id, checkpoint);
        return { checkpoint, files: await back(async (session) => takeFilesBack(session, { to })) };
      }),
    deleteCheckpoint: async () => Promise.reject(agentsOwn()),
    delete: async () =>
      Promise.reject(new WorldlineError("turn-not-deleted-alone", { execution: name, session: id.session })),
    finish: async () => Promise.reject(agentsOwn()),
    close: async () => onClose?.(),
  };
}

/** Going back to a step of a turn means going to the step's beginning. */
function placeIn({ number }: TurnId, { checkpoint }: StepCheckpoint): number {
  return checkpoint ?? number;
}

/**
 * The attempt that an id refers to. If the id has no attempt number, returns the latest attempt on this branch or, if
 * there is none, the latest on any branch, as in a program's execution.
 */
function named(steps: readonly StepCheckpoint[], turn: string, id: string): StepCheckpoint | undefined {
  const name = checkpointNamed(turn, id);
  const attempts = steps.filter(({ index }) => index === name?.index);
  if (name?.attempt !== undefined) return attempts.find(({ attempt }) => attempt === name.attempt);
  return attempts.findLast(({ branch }) => branch === "here") ?? attempts.at(-1);
}

function requireNamed(steps: readonly StepCheckpoint[], turn: string, id: string): StepCheckpoint {
  const found = named(steps, turn, id);
  if (found !== undefined) return found;
  throw checkpointNotFound(
    id,
    steps.map((each) => each.id),
  );
}

function lastSuccess(
  steps: readonly StepCheckpoint[],
  before = Number.POSITIVE_INFINITY,
): StepCheckpoint | undefined {
  return steps.findLast(
    ({ status, branch, index }) => status === "success" && branch === "here" && index < before,
  );
}

function requireSuccess(steps: readonly StepCheckpoint[], before: number): StepCheckpoint {
  const found = lastSuccess(steps, before);
  if (found === undefined)
    throw new WorldlineError("no-success-before", { index: before, last: lastSuccess(steps)?.id });
  return found;
}
