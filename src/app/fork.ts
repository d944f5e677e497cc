import { previewFiles } from "../machine/files/preview.ts";
import type { FilesOutcome } from "../machine/files/requests.ts";
import { forkSession } from "../machine/journeys/fork.ts";
import type { SessionContext } from "../machine/open.ts";
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
import { type OpenedFiles, requireFiles } from "./files/files.ts";
import { type FilesLook, type FilesWork, lookAtFiles } from "./journeys/files-preview.ts";
import { requireSession } from "./sessions/find-session.ts";
import { withHeld } from "./sessions/hold-session.ts";

/** The user's options for a fork. */
export interface ForkRequest {
  /** The checkpoint as the user named it; if undefined, the head. */
  readonly at: string | undefined;
  /** Whether the workspace's files are kept or restored. */
  readonly files: "keep" | "restore";
  /** A new or empty folder that becomes the fork's workspace. */
  readonly into: string | undefined;
  /** "here": the fork works in the folder that the user is in. */
  readonly where: "here" | "there";
}

/** Throws for contradictory options: the head has no files to restore, and files can be written to only one place. */
export function checkForkRequest({ at, files, into, where }: ForkRequest): void {
  if (where === "here" && (into !== undefined || files === "restore")) {
    throw new WorldlineError("here-keeps-files", {});
  }
  if (into !== undefined && files === "restore") throw new WorldlineError("into-keeps-workspace", {});
  if (at !== undefined || (into === undefined && files === "keep")) return;
  throw new WorldlineError("which-checkpoints-files", {});
}

/** The session, and the place in it, that is forked. */
export interface ForkSource {
  readonly view: SessionView;
  /** The last checkpoint of the fork; if undefined, the fork begins at the head. */
  readonly number: number | undefined;
}

export async function findForkSource(
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
  readonly id: SessionId;
  /** The fork's own workspace, if it has one, and how many paths were written there. */
  readonly folder?: string;
  readonly exported?: number;
  readonly outcome?: FilesOutcome;
}

/**
 * Creates the fork without touching files. Its checkpoints keep their snapshots. `folder`: the fork's workspace, by
 * default the source's.
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
export async function forkInto(
  context: AppContext,
  {
    deps,
    source,
    here,
  }: { readonly deps: SessionContext; readonly source: ForkSource; readonly here: OpenedFiles },
  into: string,
): Promise<Forked> {
  const files = requireFiles(here);
  const { snapshot } = await filesOfSource(source, here);
  const target = await checkExportTarget(context, into);
  const { states } = await selectFiles(files, snapshot, "include");
  await writeExport(context, { files, states, target });
  const { folder } = target;
  const id = await createFork(deps, source, folder);
  return { id, folder, exported: states.filter(({ path }) => path !== "").length };
}

/**
 * Previews a restore of the workspace to the place where the fork begins. Uses the source session, because a fork would
 * be left over if the user declined.
 */
export async function previewForkFiles(
  context: AppContext,
  { source, here }: { readonly source: ForkSource; readonly here: OpenedFiles },
  work: FilesWork,
): Promise<FilesLook> {
  const files = requireFiles(here);
  const { row } = await filesOfSource(source, here);
  const { view } = source;
  return lookAtFiles(context, work, (options) =>
    previewFiles({ view, files }, { ...options, to: row.number }),
  );
}

/**
 * Creates the fork and then restores the workspace to the place where it begins, as a rewind of files in the new
 * session.
 */
export async function forkWithFiles(
  context: AppContext,
  {
    deps,
    source,
    here,
  }: { readonly deps: SessionContext; readonly source: ForkSource; readonly here: OpenedFiles },
  { work, look }: { readonly work: FilesWork; readonly look: FilesLook },
): Promise<Forked> {
  const { number: to } = (await filesOfSource(source, here)).row;
  const id = await createFork(deps, source);
  const hold = { context, deps: deps, session: id, name: "worldline fork", files: here.files };
  return withHeld(hold, async (session) => {
    const { files: outcome } = await work.withProgress((progress) =>
      session.rewind({ ...progress, ...look.chosen, to, scope: "files" }),
    );
    return { id, outcome };
  });
}

/** Throws for a source without files, before a fork exists. */
async function filesOfSource(
  { view, number }: ForkSource,
  here: OpenedFiles,
): Promise<{ readonly row: Row; readonly snapshot: SnapshotId }> {
  const row = requireCheckpoint(view.outline, number ?? 0);
  return { row, ...(await snapshotOf({ view, row }, requireFiles(here))) };
}
