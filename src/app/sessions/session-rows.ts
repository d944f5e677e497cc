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

/** Whose sessions a command is about: this workspace's, or those of all. */
export type Reach = "here" | "everywhere";

/** Which sessions are meant: those of a workspace, or, undefined, all. */
export async function workspaceWanted(context: AppContext, reach: Reach): Promise<string | undefined> {
  if (reach === "here") return context.workspace();
  if (context.common.workspace === undefined) return undefined;
  throw new WorldlineError("reach-contradicts", { other: "--workspace" });
}

export interface Views {
  /** Last used first. */
  readonly views: readonly SessionView[];
  readonly broken: readonly BrokenSession[];
  /** How many there are in other workspaces. */
  readonly elsewhere: number;
}

/**
 * The sessions of a workspace, or all. One whose first line is lost does not say where it belongs, so it
 * belongs everywhere: it must not vanish.
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

/** What a line of the list shows. */
export interface SessionRow extends SessionSummary {
  /** Prompts and replies, on all branches. */
  readonly messages: number;
}

export async function rowOf(view: SessionView): Promise<SessionRow> {
  const summary = await summarise(view);
  const replies = view.outline.linesOf("reply").length;
  return { ...summary, messages: summary.prompts + replies };
}

/** What a list says of a session in which a person may have run commands alone. */
export interface KnownAs extends SessionRow {
  /** A fork that goes by the name of what it was copied from. */
  readonly isNamedAsSource: boolean;
}

const LONGEST = 80;

/** As other lists have it; but it goes by its first command where nothing was asked, and commands count as messages. */
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

/** From when on entries are the session's own: what a fork copied was counted where it comes from. */
export function ownSince({ header }: SessionView): number {
  return header.forkedFrom === undefined ? 0 : Date.parse(header.at);
}
