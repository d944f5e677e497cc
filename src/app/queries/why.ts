import { lstat } from "node:fs/promises";
import { nodePath } from "../../disk/held-folder.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type FileState, type LeftOut, type PathBytes, pathIn, pathOfText } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { requireFiles, withFiles } from "../files/files.ts";
import { changesOf, type Moment, momentsOf, type PathMoment } from "../files/history.ts";
import { firstKnown, leftOutAt, pathsMeant } from "../files/paths.ts";
import { openToAct, sessionsHere } from "../sessions/find-session.ts";
import { openStore } from "../sessions/store.ts";

/** The known state of a path and its known changes. */
export interface PathVerdict {
  readonly path: PathBytes;
  /**
   * "unknown": there is no snapshot yet. "new": the path exists in the workspace, but not in the newest snapshot.
   * "absent": the path exists in neither.
   */
  readonly coverage: "captured" | "left-out" | "unknown" | "new" | "absent";
  /** The captured state; present if the path is captured. */
  readonly state?: FileState;
  /** The path that the snapshot leaves out: this path or a folder above it. */
  readonly leftOut?: { readonly path: PathBytes; readonly why: LeftOut };
  readonly ignored?: "yes" | "no";
  /** The time of the newest snapshot, on which the verdict is based. */
  readonly asOf?: Moment;
  /** Changes to the path, newest first. */
  readonly changes: readonly PathMoment[];
}

/** Finds out whether and why a rewind would restore a path. `given`: the path as the user typed it. */
export async function whyOf(context: AppContext, given: string): Promise<PathVerdict> {
  return withFiles(context, await context.workspace(), async (workspaceFiles) =>
    verdictOn(context, requireFiles(workspaceFiles), given),
  );
}

async function verdictOn(context: AppContext, files: WorkspaceFiles, given: string): Promise<PathVerdict> {
  const meant = await pathsMeant(context, files.folder, given);
  const perSession: (readonly Moment[])[] = [];
  for (const view of await sessionsMeant(context)) perSession.push(await momentsOf(view, files));
  const newest = perSession.flat().sort((a, b) => b.at - a.at)[0];
  const known = newest === undefined ? undefined : await firstKnown(files, newest.snapshot, meant);
  const path = known?.path ?? meant[0] ?? "";
  const changes: PathMoment[] = [];
  for (const moments of perSession) changes.push(...(await changesOf(path, moments, files)));
  changes.sort((a, b) => b.at - a.at);
  if (newest === undefined) return { path, coverage: "unknown", changes };
  return { path, asOf: newest, changes, ...(await coverageOf(files, newest.snapshot, path)) };
}

/**
 * Returns the sessions in the workspace and the session that `--session` names, because the sessions of programs and
 * sub-agents can be found only by name.
 */
async function sessionsMeant(context: AppContext): Promise<readonly SessionView[]> {
  const store = openStore(context);
  const views = await sessionsHere(context, store);
  const { session } = context.common;
  if (session === undefined) return views;
  const named = await openToAct(context, store, session);
  return [named, ...views.filter(({ id }) => id !== named.id)];
}

async function coverageOf(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
  path: PathBytes,
): Promise<Pick<PathVerdict, "coverage" | "state" | "leftOut" | "ignored">> {
  const leftOut = await leftOutAt(files, snapshot, path);
  if (leftOut !== undefined) return { coverage: "left-out", leftOut };
  const state = await files.stateAt(snapshot, path);
  if (state === undefined) return { coverage: (await isThere(files, path)) ? "new" : "absent" };
  const ignored = (await files.ignoredIn(snapshot, [path])).has(path) ? "yes" : "no";
  return { coverage: "captured", state, ignored };
}

async function isThere({ folder }: WorkspaceFiles, path: PathBytes): Promise<boolean> {
  return lstat(nodePath(pathIn(pathOfText(folder), path))).then(
    () => true,
    () => false,
  );
}
