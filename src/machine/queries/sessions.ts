import type { LogStore } from "../../ports/log-store.ts";
import type { EntryKind, EntryOf, ForkedFrom, TaskOf } from "../../record/entry.ts";
import { isWorldlineError, type Remark, remarkOf, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import { nearest } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { type Stats, Tally } from "../../timeline/stats.ts";
import { startOfPrompt } from "../checkpoint-list.ts";
import { headerOf, viewSession } from "../open.ts";
import type { SessionView } from "../view.ts";

/** A session as it is shown in lists. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly workspace: string;
  readonly mode: EntryOf<"session">["mode"];
  readonly prompts: number;
  readonly entries: number;
  readonly checkpoints: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly used: number;
  readonly forkedFrom?: ForkedFrom;
  /** The call that a sub-agent's session was started for; absent for other sessions. */
  readonly task?: TaskOf;
  /** The other agent that ran the last turn; absent if Worldline's own agent did. */
  readonly host?: string;
  /**
   * Set if this home did not write the session and the user has not confirmed it. In that case, `workspace` is only
   * what the session claims.
   */
  readonly unconfirmed?: true;
  /** The number of faults in the session. A session with faults is still listed. */
  readonly damage: number;
}

/** A session that cannot be read at all, but is still listed so that it does not appear to have been lost. */
export interface BrokenSession extends Remark {
  readonly id: SessionId;
}

export interface SessionList {
  /** The sessions, most recently used first. */
  readonly sessions: readonly SessionSummary[];
  readonly broken: readonly BrokenSession[];
}

export async function listSessions(store: LogStore, workspace?: string): Promise<SessionList> {
  checkArguments("listSessions", {
    store: [store, option.openStore],
    workspace: [workspace, option.optional(option.text)],
  });
  const sessions: SessionSummary[] = [];
  const broken: BrokenSession[] = [];
  for (const id of await store.list(workspace === undefined ? {} : { workspace })) {
    try {
      const summary = await summarise(await viewSession(store, id));
      if (workspace === undefined || summary.workspace === workspace) sessions.push(summary);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      broken.push({ id, ...remarkOf(error) });
    }
  }
  return { sessions: sessions.sort(lastUsedFirst), broken };
}

/**
 * The folder under which the session is listed. An unconfirmed session is listed under the folder that it claims, but
 * nothing is done in that folder.
 */
export function listedWorkspace(header: EntryOf<"session">): string {
  return header.confirmation?.state === "needed" ? header.confirmation.stored.workspace : header.workspace;
}

/**
 * Compares sessions in order to sort a list. The order also determines which session is the latest. Two sessions that
 * were last used at the same instant always appear in the same order. Unconfirmed sessions come last, because their
 * times cannot be trusted.
 */
export function lastUsedFirst(a: OrderedSession, b: OrderedSession): number {
  return unconfirmedLast(a) - unconfirmedLast(b) || b.used - a.used || (a.id < b.id ? 1 : -1);
}

type OrderedSession = Pick<SessionSummary, "id" | "used" | "unconfirmed"> & {
  readonly header?: Pick<EntryOf<"session">, "confirmation">;
};

function unconfirmedLast({ unconfirmed, header }: OrderedSession): number {
  return unconfirmed === true || header?.confirmation?.state === "needed" ? 1 : 0;
}

/** The maximum length of an execution's id in lists. Programs can choose ids of any length. */
const MAX_OF_ID = 80;

export async function summarise(view: SessionView): Promise<SessionSummary> {
  const { header, outline } = view;
  const prompts = outline.linesOf("prompt");
  const host = await hostOf(view);
  return {
    id: view.id,
    title: (await view.title()) ?? header.execution?.id.slice(0, MAX_OF_ID) ?? (await firstPrompt(view)),
    workspace: listedWorkspace(header),
    ...(header.confirmation?.state === "needed" ? { unconfirmed: true } : {}),
    mode: header.mode,
    prompts: prompts.length,
    entries: outline.length,
    checkpoints: view.checkpointCount,
    created: Date.parse(header.at),
    used: view.used,
    ...(header.forkedFrom === undefined ? {} : { forkedFrom: header.forkedFrom }),
    ...(header.task === undefined ? {} : { task: header.task }),
    ...(host === undefined ? {} : { host }),
    damage: view.damage.length,
  };
}

/** The other agent that ran the last turn. Such an agent writes a `host` entry with every prompt that begins a turn. */
async function hostOf(view: SessionView): Promise<string | undefined> {
  const { outline } = view;
  // Most sessions have no `host` entry, so this check usually avoids a search through the log.
  if (outline.linesOf("host").length === 0) return undefined;
  const beginsTurn = ({ kind, parent }: Row): boolean =>
    kind === "prompt" && outline.at(parent)?.kind === "checkpoint";
  const row = nearest(outline, outline.head, (each) => each.kind === "host" || beginsTurn(each));
  if (row?.kind !== "host") return undefined;
  const [entry] = await view.storedEntries([row.seq]);
  return entry?.kind === "host" ? entry.host : undefined;
}

/** The name shown for a session without a title: the beginning of its first prompt. */
async function firstPrompt(view: SessionView): Promise<string> {
  const [entry] = await view.storedEntries(view.outline.linesOf("prompt").slice(0, 1));
  return entry === undefined ? "" : startOfPrompt(entry);
}

const MAX_NAMED = 8;

/**
 * Finds the session that a user specified by an id, a prefix of an id, a title, or the id of a program's
 * execution.
 */
export async function resolveSession(store: LogStore, wanted: string): Promise<SessionId> {
  checkArguments("resolveSession", { store: [store, option.openStore], wanted: [wanted, option.text] });
  const byId = idsLike(await store.list(), wanted);
  const matches = byId.length > 0 ? byId : await byTitle(store, wanted);
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new WorldlineError("session-not-found", { wanted });
  throw new WorldlineError("session-ambiguous", {
    wanted,
    count: matches.length,
    ids: matches.slice(0, MAX_NAMED),
  });
}

/**
 * Prefers sessions with exactly this title, then sessions with this execution id (which may have a different title),
 * and then sessions whose title contains the text.
 */
async function byTitle(store: LogStore, wanted: string): Promise<readonly SessionId[]> {
  const { sessions } = await listSessions(store);
  const { whole, part } = titledLike(sessions, wanted);
  if (whole.length > 0) return whole.map(({ id }) => id);
  const executions = await byExecution(store, wanted);
  if (executions.length > 0) return executions;
  return part.map(({ id }) => id);
}

/** The ids that match what the user typed: the id itself if it exists, or all ids that begin with the typed text. */
export function idsLike(ids: readonly SessionId[], wanted: string): readonly SessionId[] {
  if (wanted === "") return [];
  const exact = ids.filter((id) => id === wanted);
  return exact.length > 0 ? exact : ids.filter((id) => id.startsWith(wanted.toLowerCase()));
}

/** The sessions whose title equals the wanted text, and the sessions whose title contains it. Ignores case. */
export function titledLike<Titled extends Pick<SessionSummary, "title">>(
  sessions: readonly Titled[],
  wanted: string,
): { readonly whole: readonly Titled[]; readonly part: readonly Titled[] } {
  const title = wanted.trim().toLowerCase();
  if (title === "") return { whole: [], part: [] };
  return {
    whole: sessions.filter((session) => session.title.toLowerCase() === title),
    part: sessions.filter((session) => session.title.toLowerCase().includes(title)),
  };
}

async function byExecution(store: LogStore, wanted: string): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (const id of await store.list({ mode: "execution" })) {
    if ((await headerOf(store, id)).execution?.id === wanted) found.push(id);
  }
  return found;
}

const COUNTED: readonly EntryKind[] = [
  "prompt",
  "step",
  "reply",
  "tool-end",
  "backtrack",
  "rewind",
  "redo",
  "compaction",
];

/**
 * The number of lines to read at a time. Results can be long, so they are dropped as soon as they have been counted.
 */
const PAGE = 1_000;

/** Computes statistics about the session's work and usage on all its branches. */
export async function statsOf(view: SessionView): Promise<Stats> {
  const tally = new Tally(view.outline, view.header);
  const lines = COUNTED.flatMap((kind) => view.outline.linesOf(kind)).sort((a, b) => a - b);
  for (let from = 0; from < lines.length; from += PAGE) {
    for (const entry of await view.storedEntries(lines.slice(from, from + PAGE))) tally.add(entry);
  }
  return tally.finish();
}
