import { headerOf, viewSession } from "../../machine/open.ts";
import { listedWorkspace } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Holder } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { type ExecutionStatus, type ExecutionSummary, lastUsedFirst } from "../execution.ts";
import { readTurns, type TurnPlace, turnName, turnPlaces } from "./read-turns.ts";
import { endingOf, stepsOfTurn, type TurnData, titleOfTurn } from "./turn-steps.ts";

export interface TurnsRequest {
  /** The real path of the folder whose turns are listed. If absent, turns in all folders are listed. */
  readonly workspace?: string;
  readonly limit: number;
  /** Includes only turns that began before this time, in milliseconds since 1970. Used to load the next page. */
  readonly before?: number;
}

/**
 * Lists agents' turns, newest first. Reads only the part of each session that the page shows. Sub-agents' turns are not
 * listed separately, because they are part of the turn that started them. Sessions that cannot be opened are left out.
 */
export async function listTurns(store: LogStore, wanted: TurnsRequest): Promise<readonly ExecutionSummary[]> {
  const { workspace, limit } = wanted;
  const found: FoundTurn[] = [];
  for (const id of await store.list({ mode: "agent", ...(workspace === undefined ? {} : { workspace }) })) {
    const view = await agentsView(store, id, workspace);
    if (view !== undefined) found.push(...newestOf(view, wanted));
  }
  const page = found.sort(newestFirst).slice(0, limit);
  const summaries = new Map<TurnPlace, ExecutionSummary>();
  for (const view of new Set(page.map((each) => each.view))) {
    const places = page.filter((each) => each.view === view).map(({ place }) => place);
    const turns = await readTurns(view, places, "starts");
    const statuses = statusesOf(view, turns, await store.holder(view.id));
    for (const turn of turns)
      summaries.set(turn.place, summaryOf(view, turn, statuses.get(turn) ?? "interrupted"));
  }
  return page.flatMap(({ place }) => summaries.get(place) ?? []);
}

interface FoundTurn {
  readonly view: SessionView;
  readonly place: TurnPlace;
}

/** The newest turns of a session, at most as many as fit on the page. */
function newestOf(
  view: SessionView,
  { limit, before = Number.POSITIVE_INFINITY }: TurnsRequest,
): FoundTurn[] {
  const found: FoundTurn[] = [];
  for (const place of turnPlaces(view.outline)) {
    if (found.length >= limit) break;
    if (place.checkpoint.at < before) found.push({ view, place });
  }
  return found;
}

function newestFirst(a: FoundTurn, b: FoundTurn): number {
  return lastUsedFirst(orderOf(a), orderOf(b)) || b.place.start.seq - a.place.start.seq;
}

function orderOf({ view, place }: FoundTurn): Parameters<typeof lastUsedFirst>[0] {
  return { used: believed(view, place.checkpoint.at), ...unconfirmedIn(view) };
}

/**
 * If this home did not write the session, a turn's time is capped at the time when the session was last used, because
 * such a session could claim any time.
 */
function believed({ header, used }: SessionView, at: number): number {
  return header.confirmation === undefined ? at : Math.min(at, used);
}

function unconfirmedIn({ header }: SessionView): Pick<ExecutionSummary, "unconfirmed"> {
  return header.confirmation?.state === "needed" ? { unconfirmed: true } : {};
}

/**
 * Returns undefined if the session belongs to a sub-agent or to another workspace, is not an agent's session, or cannot
 * be opened.
 */
async function agentsView(
  store: LogStore,
  id: SessionId,
  workspace: string | undefined,
): Promise<SessionView | undefined> {
  try {
    if ((await headerOf(store, id)).task !== undefined) return undefined;
    const view = await viewSession(store, id);
    const { header } = view;
    const isMeant = workspace === undefined || listedWorkspace(header) === workspace;
    return isMeant && header.mode === "agent" ? view : undefined;
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

/**
 * Checks whether a running program may still be working on the turn. That program must hold the session, and must have
 * held it when the turn last progressed. A holder whose process cannot be checked, such as one on another machine,
 * counts as running, because its clock may differ from this machine's.
 */
function isAtWork({ place, rows, isHere }: TurnData, holder: Holder | undefined): boolean {
  if (holder === undefined || holder.life === "dead" || !isHere(place.start)) return false;
  const last = Math.max(place.start.at, ...rows.map(({ at }) => at));
  return holder.life !== "living" || !(Date.parse(holder.owner?.since ?? "") > last);
}

/**
 * The status of each turn, newest first. If the user sends another prompt during a turn, that turn ends where the agent
 * reads the new prompt, between two steps. The agent continues in the new prompt's turn, so both turns have the same
 * status.
 */
function statusesOf(
  view: SessionView,
  turns: readonly TurnData[],
  holder: Holder | undefined,
): ReadonlyMap<TurnData, ExecutionStatus> {
  const [newest] = turnPlaces(view.outline);
  const statuses = new Map<TurnData, ExecutionStatus>();
  for (const turn of turns) {
    const ending = endingOf(turn);
    const own = new Set<number>(turn.rows.map(({ seq }) => seq));
    const next = turns.find(({ place }) => place.by === "prompt" && own.has(place.checkpoint.parent));
    const isNewest = newest?.start.seq === turn.place.start.seq;
    if (ending === "done" || ending === "failed" || ending === "interrupted") statuses.set(turn, ending);
    else if (isNewest && isAtWork(turn, holder)) statuses.set(turn, "running");
    else if (ending === "between-steps" && next !== undefined) {
      statuses.set(turn, statuses.get(next) ?? "interrupted");
    } else statuses.set(turn, "interrupted");
  }
  return statuses;
}

function summaryOf(view: SessionView, turn: TurnData, status: ExecutionStatus): ExecutionSummary {
  const steps = stepsOfTurn(turn);
  const here = steps.filter(({ branch }) => branch === "here");
  const going = here.length > 0 ? here : steps;
  const last = going.at(-1);
  return {
    id: turnName(turn.id),
    scope: view.id,
    kind: "turn",
    session: view.id,
    workspace: listedWorkspace(view.header),
    ...unconfirmedIn(view),
    title: titleOfTurn(turn),
    status,
    steps: new Set(going.map(({ index }) => index)).size,
    last,
    used: believed(view, Math.max(turn.place.checkpoint.at, ...steps.map(({ time }) => time.getTime()))),
  };
}
