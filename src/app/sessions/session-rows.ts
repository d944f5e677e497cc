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
import { typedFor } from "../../timeline/calls.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { AppContext } from "../context.ts";
import { openStore, sessionHeaders } from "./store.ts";

/** Which sessions a command works on: this workspace's, or all sessions. */
export type Reach = "here" | "everywhere";

/** The workspace whose sessions are meant; undefined for all. */
export async function workspaceWanted(context: AppContext, reach: Reach): Promise<string | undefined> {
  if (reach === "here") return context.workspace();
  if (context.common.workspace === undefined) return undefined;
  throw new WorldlineError("reach-contradicts", { other: "--workspace" });
}

export interface Views {
  /** Most recently used first. */
  readonly views: readonly SessionView[];
  readonly broken: readonly BrokenSession[];
  /** How many sessions other workspaces have. */
  readonly elsewhere: number;
}

/**
 * The sessions of one workspace or of all workspaces. A session whose first line is lost does not name its workspace,
 * so it is listed everywhere instead of being lost.
 */
export async function viewsOf(store: LogStore, workspace: string | undefined): Promise<Views> {
  const views: SessionView[] = [];
  const broken: BrokenSession[] = [];
  let elsewhere = 0;
  for (const { id, header } of await sessionHeaders(store)) {
    if (workspace !== undefined && header !== undefined && listedWorkspace(header) !== workspace) {
      elsewhere += 1;
      continue;
    }
    try {
      views.push(await viewSession(store, id));
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      broken.push({ id, ...remarkOf(error) });
    }
  }
  return { views: views.sort(lastUsedFirst), broken, elsewhere };
}

export interface SessionList extends Omit<Views, "views"> {
  readonly workspace: string | undefined;
  readonly rows: readonly SessionRow[];
  readonly inTrash: number;
}

/** The sessions in reach, for a list. */
export async function listSessions(
  context: AppContext,
  { reach, subAgents }: { readonly reach: Reach; readonly subAgents: "listed" | "hidden" },
): Promise<SessionList> {
  const store = openStore(context);
  const workspace = await workspaceWanted(context, reach);
  const { views, ...others } = await viewsOf(store, workspace);
  const wanted = views.filter(({ header }) => subAgents === "listed" || header.task === undefined);
  const rows = await Promise.all(wanted.map(rowOf));
  return { workspace, rows, ...others, inTrash: (await store.listTrash()).length };
}

/** The data of one row in the list. */
export interface SessionRow extends SessionSummary {
  /** The number of prompts and replies on all branches. */
  readonly messages: number;
}

export async function rowOf(view: SessionView): Promise<SessionRow> {
  const summary = await summarise(view);
  const replies = view.outline.linesOf("reply").length;
  return { ...summary, messages: summary.prompts + replies };
}

/** The data of a session in which the user may only have run commands. */
export interface KnownAs extends SessionRow {
  /** Whether the session is a fork that still has the title of its source. */
  readonly isNamedAsSource: boolean;
}

const LONGEST = 80;

/**
 * The same data as in other lists, except that commands count as messages, and that a session without a prompt is named
 * after its first command.
 */
export async function knownAs(view: SessionView): Promise<KnownAs> {
  const row = await rowOf(view);
  const { outline } = view;
  const commands = outline.ofKind("checkpoint").flatMap((checkpoint) => commandOf(outline, checkpoint) ?? []);
  const title = row.title === "" ? await textOf(view, commands[0]) : row.title;
  const own = outline.ofKind("title").some(({ at }) => at > ownSince(view));
  return {
    ...row,
    title,
    messages: row.messages + commands.length,
    isNamedAsSource: row.forkedFrom !== undefined && !own,
  };
}

async function textOf(view: SessionView, start: Row | undefined): Promise<string> {
  const [entry] = start === undefined ? [] : await view.storedEntries([start.seq]);
  if (entry?.kind !== "tool-start") return "";
  const about = aboutCall(entry.input);
  return about === "" ? "" : typedFor(entry.name, [...about].slice(0, LONGEST).join(""));
}

/**
 * The time after which entries belong to the session itself: the entries that a fork copied are counted in its source.
 */
export function ownSince({ header }: SessionView): number {
  return header.forkedFrom === undefined ? 0 : Date.parse(header.at);
}
