import type { StepCheckpoint } from "../../../executions/execution.ts";
import { stepsOf } from "../../../executions/step-checkpoint.ts";
import { listTurns } from "../../../executions/turns/list-turns.ts";
import { stepsOfTurnIn } from "../../../executions/turns/turn-execution.ts";
import { parseTurnName, turnName } from "../../../executions/turns/turn-id.ts";
import { headerOf, viewSession } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { CheckpointNumber, SessionId } from "../../../record/ids.ts";
import type { Frame } from "../../command/frame.ts";
import { closest } from "../../command/suggestion.ts";

/** An execution that the person named. */
export interface FoundExecution {
  readonly id: string;
  readonly view: SessionView;
  /** By index, then attempt. */
  readonly steps: readonly StepCheckpoint[];
  /** Of a turn: the checkpoint that it began at. A program has none. */
  readonly begins?: CheckpointNumber;
}

/** How many turns are looked through for the beginning of an id. */
const MOST_TURNS = 200;
const MOST_NAMED = 8;

/**
 * The execution that a person means by an id, or by the beginning of one. A whole id always wins: `exec-1` is never
 * `exec-10`. What is in this workspace comes before what is elsewhere. Undefined where there is none.
 */
export async function findExecution(
  frame: Frame,
  store: LogStore,
  text: string,
): Promise<FoundExecution | undefined> {
  const programs = await programsIn(store, await frame.workspace());
  const exact = onlyOne(
    text,
    nearestOf(programs.filter(({ id, session }) => id === text || session === text)),
  );
  if (exact !== undefined) return openProgram(store, exact);
  const turn = await openTurnNamed(store, text);
  if (turn !== undefined) return turn;
  const begun = onlyOne(text, nearestOf(programs.filter(({ id }) => text !== "" && id.startsWith(text))));
  if (begun !== undefined) return openProgram(store, begun);
  const turns = await turnsBegun(frame, store, text);
  if (turns.length > 1) throw ambiguous(text, turns);
  return turns[0] === undefined ? undefined : openTurnNamed(store, turns[0]);
}

/** As `findExecution`, for who needs one. */
export async function requireExecution(frame: Frame, store: LogStore, text: string): Promise<FoundExecution> {
  const found = await findExecution(frame, store, text);
  if (found !== undefined) return found;
  const known = (await programsIn(store, await frame.workspace())).map(({ id }) => id);
  const near = closest(text, known);
  const hint = near === undefined ? "See them: worldline executions --all" : `Did you mean ${near}?`;
  throw new WorldlineError("EXECUTION_UNKNOWN", `There is no execution "${text}".`, { hint });
}

interface Program {
  readonly id: string;
  readonly session: SessionId;
  readonly place: "here" | "elsewhere";
}

async function programsIn(store: LogStore, workspace: string): Promise<readonly Program[]> {
  const programs: Program[] = [];
  for (const session of await store.list({ mode: "execution" })) {
    const header = await headerOf(store, session);
    const place = header.workspace === workspace ? "here" : "elsewhere";
    // A fork of one is known by its session.
    programs.push({ id: header.execution?.id ?? session, session, place });
  }
  return programs;
}

function nearestOf(programs: readonly Program[]): readonly Program[] {
  const here = programs.filter(({ place }) => place === "here");
  return here.length > 0 ? here : programs;
}

function onlyOne(text: string, programs: readonly Program[]): Program | undefined {
  if (programs.length <= 1) return programs[0];
  const isOneName = programs.every(({ id }) => id === programs[0]?.id);
  throw ambiguous(
    text,
    programs.map(({ id, session }) => (isOneName ? session : id)),
  );
}

function ambiguous(text: string, names: readonly string[]): WorldlineError {
  const some = names.slice(0, MOST_NAMED).join(", ");
  return new WorldlineError("EXECUTION_UNKNOWN", `"${text}" may be any of ${names.length} executions.`, {
    hint: `Name one of them: ${some}${names.length > MOST_NAMED ? ", …" : ""}`,
  });
}

async function openProgram(store: LogStore, { id, session }: Program): Promise<FoundExecution> {
  const view = await viewSession(store, session);
  return { id, view, steps: await stepsOf(view) };
}

async function openTurnNamed(store: LogStore, name: string): Promise<FoundExecution | undefined> {
  const id = parseTurnName(name);
  if (id === undefined) return undefined;
  try {
    const view = await viewSession(store, id.session);
    const steps = await stepsOfTurnIn(view, id.number);
    return steps && { id: turnName(id), view, steps, begins: id.number };
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

async function turnsBegun(frame: Frame, store: LogStore, text: string): Promise<readonly string[]> {
  if (!text.startsWith("turn-")) return [];
  const turns = await listTurns(store, { workspace: await frame.workspace(), limit: MOST_TURNS });
  return turns.map(({ id }) => id).filter((id) => id.startsWith(text));
}
