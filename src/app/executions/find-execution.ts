import type { StepCheckpoint } from "../../executions/execution.ts";
import { checkpointNotFound } from "../../executions/execution-error.ts";
import { headerWhereKnown, sessionOfExecution } from "../../executions/hold-execution.ts";
import { stepsOf } from "../../executions/step-records.ts";
import { listTurns } from "../../executions/turns/list-turns.ts";
import { parseTurnName, turnName } from "../../executions/turns/read-turns.ts";
import { stepsOfTurnIn } from "../../executions/turns/turn-execution.ts";
import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { ExecutionOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { CheckpointNumber, SessionId } from "../../record/ids.ts";
import { closest } from "../../record/options.ts";
import { graphemesIn, oneLine } from "../../record/visible-text.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { FoundCheckpoint } from "../checkpoints/find-checkpoint.ts";
import type { AppContext } from "../context.ts";
import { openStore } from "../sessions/store.ts";

/** An execution that the user named. */
export interface FoundExecution {
  readonly id: string;
  readonly view: SessionView;
  /** The steps, sorted by index and then by attempt. */
  readonly steps: readonly StepCheckpoint[];
  /** The checkpoint where a turn began; absent for programs. */
  readonly begins?: CheckpointNumber;
}

/** Maximum number of turns to search for an id that begins with the given text. */
const MAX_TURNS = 200;

interface NamedExecution {
  readonly text: string;
  /**
   * "beginning": any unique prefix of an id is enough. "whole": the complete id is required, for commands that change
   * something. Otherwise, `exec-1` would match `exec-10` after `exec-1` has been deleted.
   */
  readonly naming: "whole" | "beginning";
}

/**
 * Finds the execution that the user named. A complete id takes precedence, so `exec-1` never matches `exec-10` while
 * `exec-1` exists. Executions in this workspace take precedence over executions in other workspaces. Returns undefined
 * if there is no match.
 */
export async function findExecution(
  context: AppContext,
  store: LogStore,
  { text, naming }: NamedExecution,
): Promise<FoundExecution | undefined> {
  const workspace = await context.workspace();
  const own = await ownProgram(store, { id: text, scope: workspace });
  if (own !== undefined) return openProgram(store, own);
  const programs = await programsIn(store);
  const nearestOf = (found: readonly Program[]) => {
    const here = found.filter((program) => program.workspace === workspace);
    return here.length > 0 ? here : found;
  };
  const exact = onlyOne(
    text,
    nearestOf(programs.filter(({ id, session }) => id === text || session === text)),
  );
  if (exact !== undefined) return openProgram(store, exact);
  const turn = await openTurnNamed(store, text);
  if (turn !== undefined || naming === "whole") return turn;
  const begun = onlyOne(text, nearestOf(programs.filter(({ id }) => text !== "" && id.startsWith(text))));
  if (begun !== undefined) return openProgram(store, begun);
  const turns = await turnsBegun(context, store, text);
  if (turns.length > 1) {
    const names = turns.map((name) => ({ name }));
    throw new WorldlineError("execution-named-ambiguous", { given: shortId(text), names, places: "one" });
  }
  return turns[0] === undefined ? undefined : openTurnNamed(store, turns[0]);
}

/** Works like `findExecution`, but throws if there is no match. */
export async function requireExecution(
  context: AppContext,
  store: LogStore,
  named: NamedExecution,
): Promise<FoundExecution> {
  const found = await findExecution(context, store, named);
  if (found !== undefined) return found;
  const near = await nearExecution(store, named.text);
  throw new WorldlineError("execution-named-unknown", { given: named.text, near });
}

/**
 * Returns an execution that the user may have meant: the only execution whose id begins with the text, or the one with
 * the most similar id.
 */
async function nearExecution(store: LogStore, text: string): Promise<string | undefined> {
  const known = (await programsIn(store)).map(({ id }) => id);
  const begun = known.filter((id) => text !== "" && id.startsWith(text));
  return begun.length === 1 ? begun[0] : closest(text, known);
}

interface Program {
  readonly id: string;
  readonly session: SessionId;
  readonly workspace: string;
}

/**
 * Finds the execution that a program in this folder opens with this id. The id of the execution's session is derived
 * from the folder and the execution's id, so no search is needed.
 */
async function ownProgram(store: LogStore, { id, scope }: ExecutionOf): Promise<Program | undefined> {
  const session = sessionOfExecution({ id, scope });
  const header = await headerWhereKnown(store, session);
  const isOwn = header?.execution?.id === id && header.execution.scope === scope;
  return isOwn ? { id, session, workspace: header.workspace } : undefined;
}

async function programsIn(store: LogStore): Promise<readonly Program[]> {
  const programs: Program[] = [];
  for (const session of await store.list({ mode: "execution" })) {
    const header = await headerWhereKnown(store, session);
    if (header === undefined) continue;
    // A fork of an execution has no execution id, so its session's id is used.
    programs.push({ id: header.execution?.id ?? session, session, workspace: header.workspace });
  }
  return programs;
}

function onlyOne(text: string, programs: readonly Program[]): Program | undefined {
  if (programs.length <= 1) return programs[0];
  const isOneName = programs.every(({ id }) => id === programs[0]?.id);
  const isOnePlace = programs.every(({ workspace }) => workspace === programs[0]?.workspace);
  const names = programs.map(({ id, session, workspace }) => {
    const name = isOneName ? session : shortId(id);
    return isOnePlace ? { name } : { name, workspace };
  });
  throw new WorldlineError("execution-named-ambiguous", {
    given: shortId(text),
    names,
    places: isOnePlace ? "one" : "several",
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

async function turnsBegun(context: AppContext, store: LogStore, text: string): Promise<readonly string[]> {
  if (!text.startsWith("turn-")) return [];
  const turns = await listTurns(store, { workspace: await context.workspace(), limit: MAX_TURNS });
  return turns.map(({ id }) => id).filter((id) => id.startsWith(text));
}

/** The execution or step that the user named. */
export interface FoundPlace {
  readonly found: FoundExecution;
  readonly step?: StepCheckpoint;
}

const CHECKPOINT = /^ckpt-(.+)-(\d+)(?:@(\d+))?$/su;

/**
 * Finds an execution by its id, or a step by the id of its checkpoint. A checkpoint's id without an attempt means the
 * latest attempt. A checkpoint's id must contain the complete id of its execution, even if `naming` allows a beginning.
 */
export async function findPlace(
  context: AppContext,
  store: LogStore,
  wanted: NamedExecution,
): Promise<FoundPlace> {
  const { text } = wanted;
  if (!text.startsWith("ckpt-")) return { found: await requireExecution(context, store, wanted) };
  // The id of an execution may itself begin with `ckpt-`.
  const named = await findExecution(context, store, { text, naming: "whole" });
  if (named !== undefined) return { found: named };
  const [, execution, index, attempt] = CHECKPOINT.exec(text) ?? [];
  if (execution === undefined) throw executionNotFound(text, undefined, undefined);
  const found = await findExecution(context, store, { text: execution, naming: "whole" });
  if (found === undefined) {
    const near = await nearExecution(store, execution);
    throw executionNotFound(text, execution, near && checkpointLike(text, execution, near));
  }
  const meant = found.steps.filter(
    (each) => each.index === Number(index) && (attempt === undefined || each.attempt === Number(attempt)),
  );
  const step = meant.findLast(({ branch }) => branch === "here") ?? meant.at(-1);
  if (step !== undefined) return { found, step };
  throw checkpointNotFound(
    text,
    found.steps.map(({ id }) => id),
  );
}

function executionNotFound(
  given: string,
  execution: string | undefined,
  near: string | undefined,
): WorldlineError {
  return new WorldlineError("checkpoint-named-unknown", { given, execution, near });
}

/** Returns the id of the same step's checkpoint in another execution. */
function checkpointLike(text: string, execution: string, near: string): string {
  return `ckpt-${near}${text.slice("ckpt-".length + execution.length)}`;
}

function severalSteps(id: string, name: string, places: readonly number[]): WorldlineError {
  return new WorldlineError("steps-of-same-name", { execution: shortId(id), name, places });
}

/** Finds the step that `--step` specifies by index or name: the latest attempt that can be restored. */
function namedStep({ id, steps }: FoundExecution, wanted: string): StepCheckpoint {
  const placed = steps.filter(({ index }) => String(index) === wanted);
  const meant = placed.length > 0 ? placed : steps.filter(({ name }) => name === wanted);
  const here = meant.filter(({ branch }) => branch === "here");
  const places = [...new Set((here.length > 0 ? here : meant).map(({ index }) => index))];
  if (places.length > 1) throw severalSteps(id, wanted, places);
  const step =
    (here.length > 0 ? here : meant).findLast(({ status }) => status === "success") ?? meant.at(-1);
  if (step !== undefined) return step;
  const known = [...new Set(steps.map(({ index, name }) => `${index} ${name}`))];
  throw new WorldlineError("step-named-unknown", { execution: id, step: wanted, known });
}

/**
 * Finds the checkpoint to restore an execution to: the checkpoint of the given step or, by default, that of the newest
 * successful step.
 */
export async function findRestorePoint(
  context: AppContext,
  { id, step }: { readonly id: string; readonly step: string | undefined },
): Promise<FoundCheckpoint> {
  const place = await findPlace(context, openStore(context), { text: id, naming: "whole" });
  const { view } = place.found;
  return { view, row: requireCheckpoint(view.outline, numberOf(place, step)) };
}

function numberOf({ found, step: given }: FoundPlace, wanted: string | undefined): CheckpointNumber {
  if (given !== undefined && wanted !== undefined) throw new WorldlineError("two-steps-named", {});
  const step = wanted === undefined ? given : namedStep(found, wanted);
  if (step !== undefined) {
    if (step.checkpoint !== undefined) return step.checkpoint;
    throw new WorldlineError("step-not-ended", { execution: found.id, step: step.name });
  }
  if (found.begins !== undefined) return found.begins;
  const newest = found.steps.findLast(
    ({ status, branch, checkpoint }) => status === "success" && branch === "here" && checkpoint !== undefined,
  );
  if (newest?.checkpoint !== undefined) return newest.checkpoint;
  throw new WorldlineError("no-successful-checkpoint", { execution: found.id });
}

const VISIBLE = /[^\p{Mn}\p{Me}\p{Cf}\p{Cc}\s]/u;

/** Quotes and escapes an id that would otherwise be invisible or ambiguous, because an id can be any text. */
export function visibleId(id: string): string {
  const line = oneLine(id);
  if (id === id.trim() && VISIBLE.test(line)) return line;
  return JSON.stringify(id).replace(/[^\x20-\x7e]/gu, escaped);
}

const MAX_CHARACTERS = 60;

/** Returns the id as `visibleId` does, shortened so that it fits into a sentence. */
function shortId(id: string): string {
  const characters = [...graphemesIn(visibleId(id), new Intl.Segmenter())];
  if (characters.length <= MAX_CHARACTERS) return characters.join("");
  return `${characters
    .slice(0, MAX_CHARACTERS - 1)
    .join("")
    .trimEnd()}…`;
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
