import { viewSession } from "../../machine/open.ts";
import {
  type BrokenSession,
  lastUsedFirst,
  listedWorkspace,
  type SessionSummary,
  summarise,
} from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, remarkOf, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { typedFor } from "../../timeline/calls.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { AppContext } from "../context.ts";
import { KeptReadings, openStore, sessionHeaders } from "./store.ts";

/** The sessions that a command works on: this workspace's sessions or all sessions. */
export type Reach = "here" | "everywhere";

/** Returns the workspace whose sessions the command works on, or undefined for all workspaces. */
export async function workspaceWanted(context: AppContext, reach: Reach): Promise<string | undefined> {
  if (reach === "here") return context.workspace();
  if (context.common.workspace === undefined) return undefined;
  throw new WorldlineError("reach-contradicts", { other: "--workspace" });
}

export interface Views {
  /** The sessions, most recently used first. */
  readonly views: readonly SessionView[];
  readonly broken: readonly BrokenSession[];
}

/** Opens the logs of the sessions that `sessionRows` lists. */
export async function viewsOf(store: LogStore, workspace: string | undefined): Promise<Views> {
  const views: SessionView[] = [];
  const broken: BrokenSession[] = [];
  for (const { id, header } of await sessionHeaders(store)) {
    if (workspace !== undefined && header !== undefined && listedWorkspace(header) !== workspace) continue;
    try {
      views.push(await viewSession(store, id));
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      broken.push({ id, ...remarkOf(error) });
    }
  }
  return { views: views.sort(lastUsedFirst), broken };
}

/** A session in a list. */
export interface SessionRow extends SessionSummary {
  /**
   * The title, or the beginning of the first prompt or of the user's first command; "" if the session has none of
   * these.
   */
  readonly title: string;
  /** Number of prompts, replies and user commands on all branches. */
  readonly messages: number;
  /** Whether the session is a fork that still has the title of its source. */
  readonly isNamedAsSource: boolean;
}

/** The data that was read from a session for a list. */
export type SessionReading = SessionRow | BrokenSession;

interface SessionRows {
  /** The rows, most recently used first. */
  readonly rows: readonly SessionRow[];
  readonly broken: readonly BrokenSession[];
}

/**
 * Lists the sessions in a workspace, or in all workspaces. A session whose first line is lost does not name its
 * workspace, so it is listed in every workspace instead of being left out. `readings`: what earlier lists read. Only
 * sessions that have been written to since then are read again.
 */
export async function sessionRows(
  store: LogStore,
  workspace: string | undefined,
  readings = new KeptReadings<SessionReading>(),
): Promise<SessionRows> {
  const rows: SessionRow[] = [];
  const broken: BrokenSession[] = [];
  for (const id of await store.list(workspace === undefined ? {} : { workspace })) {
    const reading = await readings.of(store, id, async () => readRow(store, id));
    if (reading === undefined) continue;
    if ("why" in reading) broken.push(reading);
    else if (workspace === undefined || ["", workspace].includes(reading.workspace)) rows.push(reading);
  }
  return { rows: rows.sort(lastUsedFirst), broken };
}

async function readRow(store: LogStore, id: SessionId): Promise<SessionReading> {
  try {
    return await rowOf(await viewSession(store, id));
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { id, ...remarkOf(error) };
  }
}

export interface SessionList extends SessionRows {
  readonly workspace: string | undefined;
  /** Number of sessions in other workspaces. */
  readonly elsewhere: number;
  readonly inTrash: number;
}

/** Lists the sessions in this workspace or in all workspaces. */
export async function listSessions(
  context: AppContext,
  { reach, subAgents }: { readonly reach: Reach; readonly subAgents: "listed" | "hidden" },
): Promise<SessionList> {
  const store = openStore(context);
  const workspace = await workspaceWanted(context, reach);
  const { rows, broken } = await sessionRows(store, workspace);
  const elsewhere = workspace === undefined ? 0 : (await store.list()).length - rows.length - broken.length;
  const wanted = rows.filter(({ task }) => subAgents === "listed" || task === undefined);
  return { workspace, rows: wanted, broken, elsewhere, inTrash: (await store.listTrash()).length };
}

const LONGEST = 80;

async function rowOf(view: SessionView): Promise<SessionRow> {
  const summary = await summarise(view);
  const { outline } = view;
  const commands = outline.ofKind("checkpoint").flatMap((checkpoint) => commandOf(outline, checkpoint) ?? []);
  const own = outline.ofKind("title").some(({ at }) => at > ownSince(view));
  return {
    ...summary,
    title: summary.title === "" ? await textOf(view, commands[0]) : summary.title,
    messages: summary.prompts + outline.linesOf("reply").length + commands.length,
    isNamedAsSource: summary.forkedFrom !== undefined && !own,
  };
}

async function textOf(view: SessionView, start: Row | undefined): Promise<string> {
  const [entry] = start === undefined ? [] : await view.storedEntries([start.seq]);
  if (entry?.kind !== "tool-start") return "";
  const about = aboutCall(entry.input);
  return about === "" ? "" : typedFor(entry.name, [...about].slice(0, LONGEST).join(""));
}

/**
 * Returns the time at which the session's own entries begin. Entries that a fork copied are counted in the fork's
 * source.
 */
export function ownSince({ header }: SessionView): number {
  return header.forkedFrom === undefined ? 0 : Date.parse(header.at);
}
