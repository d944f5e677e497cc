import { previewFiles } from "../machine/files/preview.ts";
import type { FilesOutcome } from "../machine/files/requests.ts";
import { forkSession } from "../machine/journeys/fork.ts";
import { requireConfirmed, type SessionContext, viewSession } from "../machine/open.ts";
import type { SessionView } from "../machine/view.ts";
import type { LogStore } from "../ports/log-store.ts";
import { WorldlineError } from "../record/error.ts";
import type { SessionId, SnapshotId } from "../record/ids.ts";
import type { Row } from "../timeline/row.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import { snapshotOf } from "./checkpoints/checkpoint-list.ts";
import { findCheckpoint } from "./checkpoints/find-checkpoint.ts";
import type { AppContext } from "./context.ts";
import { checkExportTarget, selectFiles, writeExport } from "./files/export.ts";
import { type OpenedFiles, requireFiles, withFiles } from "./files/files.ts";
import {
  type DescribedFiles,
  describeFiles,
  type FilesOptions,
  filesWork,
  lookAtFiles,
} from "./journeys/files-preview.ts";
import { requireSession } from "./sessions/find-session.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps } from "./sessions/store.ts";

/** The user's options for a fork. */
export interface ForkRequest extends Pick<FilesOptions, "choice" | "counted"> {
  /** The checkpoint as the user named it; undefined for the head. */
  readonly at: string | undefined;
  /** Whether the workspace's files are kept or restored. */
  readonly files: "keep" | "restore";
  /** A new or empty folder that becomes the fork's workspace. */
  readonly into: string | undefined;
  /** "here": the fork works in the folder that the user is in. */
  readonly where: "here" | "there";
  /** Shows the effect of restoring the workspace's files. If this function throws, no fork is created. */
  readonly decide: (files: DescribedFiles) => Promise<void>;
}

/**
 * Throws for contradictory options, because the head has no files to restore, and files can be written to only one
 * place.
 */
function checkForkRequest({ at, files, into, where }: ForkRequest): void {
  if (where === "here" && (into !== undefined || files === "restore")) {
    throw new WorldlineError("here-keeps-files", {});
  }
  if (into !== undefined && files === "restore") throw new WorldlineError("into-keeps-workspace", {});
  if (at !== undefined || (into === undefined && files === "keep")) return;
  throw new WorldlineError("which-checkpoints-files", {});
}

/** The session to fork, and the point at which it is forked. */
export interface ForkSource {
  readonly view: SessionView;
  /** The last checkpoint in the fork; undefined if the fork begins at the head. */
  readonly number: number | undefined;
}

async function findForkSource(
  context: AppContext,
  store: LogStore,
  at: string | undefined,
): Promise<ForkSource> {
  if (at === undefined) return { view: await requireSession(context, store), number: undefined };
  const { view, row } = await findCheckpoint(context, store, at);
  return { view, number: row.number };
}

/** The new session, and the files that were written for it. */
export interface Forked {
  readonly source: ForkSource;
  readonly fork: SessionView;
  /** The fork's own workspace, if it has one, and the number of paths that were written there. */
  readonly folder?: string;
  readonly exported?: number;
  /** The files that were restored in the workspace: the preview that was shown, and the outcome. */
  readonly files?: DescribedFiles;
  readonly outcome?: FilesOutcome;
}

/** Forks the session that the context names, or the checkpoint's session. */
export async function makeFork(context: AppContext, request: ForkRequest): Promise<Forked> {
  checkForkRequest(request);
  const deps = await openSessionDeps(context);
  const source = await findForkSource(context, deps.store, request.at);
  requireConfirmed(deps.store, source.view.header);
  const { id, ...made } = await forkFrom(context, { deps, source }, request);
  return { ...made, source, fork: await viewSession(deps.store, id) };
}

type Made = Omit<Forked, "source" | "fork"> & { readonly id: SessionId };

async function forkFrom(
  context: AppContext,
  { deps, source }: Pick<ForkPlace, "deps" | "source">,
  request: ForkRequest,
): Promise<Made> {
  const { workspace } = source.view.header;
  // The files in the session's own folder are not opened, because the folder may not exist.
  if (request.where === "here") {
    const folder = await context.workspace();
    const id = await createFork(deps, source, folder);
    return { id, ...(folder === workspace ? {} : { folder }) };
  }
  return withFiles(context, workspace, async (workspaceFiles) => {
    const place = {
      deps: workspaceFiles.files === undefined ? deps : { ...deps, files: workspaceFiles.files },
      source,
      workspaceFiles,
    };
    if (request.into !== undefined) return forkInto(context, place, request.into);
    if (request.files === "restore") return forkWithFiles(context, place, request);
    return { id: await createFork(place.deps, source) };
  });
}

interface ForkPlace {
  readonly deps: SessionContext;
  readonly source: ForkSource;
  readonly workspaceFiles: OpenedFiles;
}

/**
 * Creates the fork without touching files. The fork's checkpoints keep their snapshots. `folder`: the fork's workspace;
 * by default, the source's workspace.
 */
export async function createFork(
  deps: SessionContext,
  { view, number }: ForkSource,
  folder?: string,
): Promise<SessionId> {
  return forkSession(deps, view, {
    ...(number === undefined ? {} : { at: number }),
    ...(folder === undefined ? {} : { workspace: folder }),
  });
}

/**
 * Creates a fork in its own folder. The files are written first, because a fork without its workspace must not exist.
 */
async function forkInto(
  context: AppContext,
  { deps, source, workspaceFiles }: ForkPlace,
  into: string,
): Promise<Made> {
  const files = requireFiles(workspaceFiles);
  const { snapshot } = await filesOfSource(source, workspaceFiles);
  const target = await checkExportTarget(context, into);
  const { states } = await selectFiles(files, snapshot, "include");
  await writeExport(context, { files, states, target });
  const { folder } = target;
  const id = await createFork(deps, source, folder);
  return { id, folder, exported: states.filter(({ path }) => path !== "").length };
}

/**
 * Creates the fork, and then restores the workspace to the state at the fork's beginning. The restore is a rewind of
 * files in the new session. The preview uses the source session, because otherwise a fork would be left over if the
 * user declined.
 */
async function forkWithFiles(
  context: AppContext,
  { deps, source, workspaceFiles }: ForkPlace,
  { decide, ...options }: ForkRequest,
): Promise<Made> {
  const { view } = source;
  const files = requireFiles(workspaceFiles);
  const { number: to } = (await filesOfSource(source, workspaceFiles)).row;
  const work = filesWork(context, { files, mode: view.header.mode }, options);
  const look = await lookAtFiles(context, work, (chosen) => previewFiles({ view, files }, { ...chosen, to }));
  const described = await describeFiles(context, work, look);
  await decide(described);
  const id = await createFork(deps, source);
  return withHeld({ context, deps, session: id, name: "worldline fork", files }, async (session) => {
    const { files: outcome } = await work.withProgress((progress) =>
      session.rewind({ ...progress, ...look.chosen, to, scope: "files" }),
    );
    return { id, files: described, outcome };
  });
}

/** Returns the source's files. If the source has no files, throws before a fork is created. */
async function filesOfSource(
  { view, number }: ForkSource,
  workspaceFiles: OpenedFiles,
): Promise<{ readonly row: Row; readonly snapshot: SnapshotId }> {
  const row = requireCheckpoint(view.outline, number ?? 0);
  return { row, ...(await snapshotOf({ view, row }, requireFiles(workspaceFiles))) };
}
