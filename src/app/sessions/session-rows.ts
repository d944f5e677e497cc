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
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { sessionHeaders } from "./session-headers.ts";

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
      broken.push({ id, why: error.message });
    }
  }
  return { views: views.sort(lastUsedFirst), broken, elsewhere };
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
