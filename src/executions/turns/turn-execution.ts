import { type Ground, type Holding, headerOf, holdSession, viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf, ExecutionOf, Scope } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { findCheckpoint } from "../../timeline/checkpoints.ts";
import type { Execution, ExecutionResult, RolledBack, StepCheckpoint } from "../execution.ts";
import { checkpointNotFound, noSuccessBefore } from "../execution-error.ts";
import { sessionOfExecution } from "../execution-session.ts";
import { readTurns } from "./read-turns.ts";
import { parseTurnName, type TurnId, turnName } from "./turn-id.ts";
import { turnBehind } from "./turn-rows.ts";
import { stepsOfTurn } from "./turn-steps.ts";

/** How to hold the session of a turn, for as long as going back in it takes. */
export interface TurnHolding extends Omit<Holding, "onClose"> {
  /** Called when the turn is closed: the moment to close what was opened for it. */
  readonly onClose?: () => Promise<void>;
}

/**
 * The first entry of the session of a turn. Undefined where the id is not one's, where there is no such turn, and where a
 * program has an execution of that name: that was there first.
 */
export async function headerOfTurn(
  store: LogStore,
  { id, scope }: ExecutionOf,
): Promise<EntryOf<"session"> | undefined> {
  const turn = parseTurnName(id);
  if (turn === undefined || (await stepsIn(store, turn)) === undefined) return undefined;
  if ((await headerIn(store, sessionOfExecution({ id, scope }))) !== undefined) return undefined;
  return headerIn(store, turn.session);
}

async function headerIn(store: LogStore, id: SessionId): Promise<EntryOf<"session"> | undefined> {
  try {
    return await headerOf(store, id);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

/**
 * A turn of an agent with the calls of an execution, or undefined where the name is not one's, or there is no such turn.
 * Its steps are the agent's: they can be looked at and gone back to, and no program can run or write one.
 */
export async function openTurn(
  ground: Ground,
  name: string,
  holding: TurnHolding = { name: "a program that uses worldline" },
): Promise<Execution | undefined> {
  const id = parseTurnName(name);
  if (id === undefined || (await stepsIn(ground.store, id)) === undefined) return undefined;
  return turnExecution(ground, id, holding);
}

/** The steps of a turn as they are now; undefined where there is no such turn. */
async function stepsIn(store: LogStore, id: TurnId): Promise<readonly StepCheckpoint[] | undefined> {
  try {
    return await stepsOfTurnIn(await viewSession(store, id.session), id.number);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

/** The steps of the turn behind a checkpoint; undefined where none stands there. */
export async function stepsOfTurnIn(
  view: SessionView,
  number: number,
): Promise<readonly StepCheckpoint[] | undefined> {
  const row = findCheckpoint(view.outline, number);
  const place = row === undefined ? undefined : turnBehind(view.outline, row);
  if (place === undefined) return undefined;
  const [material] = await readTurns(view, [place], "whole");
  return material === undefined ? undefined : stepsOfTurn(material);
}

function turnExecution(ground: Ground, id: TurnId, { onClose, ...holding }: TurnHolding): Execution {
  const name = turnName(id);
  const all = async (): Promise<readonly StepCheckpoint[]> => (await stepsIn(ground.store, id)) ?? [];
  const find = async (wanted: string): Promise<StepCheckpoint | undefined> =>
    (await all()).findLast((each) => each.id === wanted || each.id.replace(/@\d+$/u, "") === wanted);
  const lastBefore = async (before = Number.POSITIVE_INFINITY): Promise<StepCheckpoint | undefined> =>
    (await all()).findLast(
      ({ status, branch, index }) => status === "success" && branch === "here" && index < before,
    );
  const goTo = async (checkpoint: StepCheckpoint, scope: Scope): Promise<RolledBack> => {
    const session = await holdSession(ground, id.session, holding);
    try {
      const { files } = await session.rewind({ to: checkpoint.checkpoint ?? id.number, scope });
      const { restored, kept, failed } = files;
      return { checkpoint, files: scope === "conversation" ? undefined : { restored, kept, failed } };
    } finally {
      await session.close();
    }
  };
  const found = async (wanted: string): Promise<StepCheckpoint> => {
    const checkpoint = await find(wanted);
    if (checkpoint === undefined)
      throw checkpointNotFound(
        wanted,
        (await all()).map((each) => each.id),
      );
    return checkpoint;
  };
  const resume = async <Output>(
    checkpoint: StepCheckpoint,
    restore: ((checkpoint: StepCheckpoint) => Output | Promise<Output>) | undefined,
  ): Promise<Output> => {
    await goTo(checkpoint, "conversation");
    return restore === undefined ? (checkpoint as Output) : restore(checkpoint);
  };
  return {
    id: name,
    session: id.session,
    step: async () => Promise.reject(agentsOwn(name)),
    save: async () => Promise.reject(agentsOwn(name)),
    checkpoints: async ({ branch = "all" } = {}) =>
      (await all()).filter((each) => branch === "all" || each.branch === "here"),
    checkpoint: find,
    lastSuccessful: async ({ before } = {}) => lastBefore(before),
    resumeFrom: async (wanted, restore) => resultOf(async () => resume(await found(wanted), restore)),
    retryFrom: async (index, { restore, run } = {}) =>
      resultOf(async () => {
        if (run !== undefined) throw agentsOwn(name);
        const checkpoint = await lastBefore(index);
        if (checkpoint === undefined) throw noSuccessBefore(index, (await lastBefore())?.id);
        const into = restore && (async () => void (await restore(checkpoint)));
        await resume(checkpoint, into);
        // Without `run` nothing else can have been asked for.
        return checkpoint as never;
      }),
    rollbackTo: async (wanted) =>
      resultOf(async () => goTo(await found(wanted), ground.files === undefined ? "conversation" : "both")),
    delete: async () => Promise.reject(notAlone(name, id)),
    close: async () => onClose?.(),
  };
}

/** What goes wrong is part of the answer; what nobody foresaw is not. */
async function resultOf<Output>(work: () => Promise<Output>): Promise<ExecutionResult<Output>> {
  try {
    return { success: true, output: await work() };
  } catch (error) {
    if (isWorldlineError(error)) return { success: false, error };
    throw error;
  }
}

function agentsOwn(name: string): WorldlineError {
  return new WorldlineError(
    "INPUT_INVALID",
    `${name} is a turn of an agent: its steps are the agent's own.`,
    {
      hint: "Open an execution with an id of your own. Those of a turn can be looked at, and gone back to.",
    },
  );
}

function notAlone(name: string, { session }: TurnId): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `${name} is part of its session, and cannot be deleted alone.`, {
    hint: `Delete the session: worldline sessions delete ${session}`,
  });
}
