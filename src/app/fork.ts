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
import { type FilesHere, requireFiles } from "./files/files.ts";
import { type FilesLook, type FilesWork, lookAtFiles } from "./journeys/files-preview.ts";
import { requireSession } from "./sessions/find-session.ts";
import { withHeld } from "./sessions/hold-session.ts";

/** What the user wants of a fork. */
export interface ForkRequest {
  /** A checkpoint as the user names it; undefined: the head. */
  readonly at: string | undefined;
  /** What becomes of the workspace's files. */
  readonly files: "keep" | "restore";
  /** A new or empty folder that becomes the fork's workspace. */
  readonly into: string | undefined;
  /** "here": it works in the folder that the user is in. */
  readonly where: "here" | "there";
}

/** Refuses what contradicts itself: at the head there are no files to go back to, and each file has one place. */
export function checkForkRequest({ at, files, into, where }: ForkRequest): void {
  if (where === "here" && (into !== undefined || files === "restore")) {
    throw new WorldlineError("here-keeps-files", {});
  }
  if (into !== undefined && files === "restore") throw new WorldlineError("into-keeps-workspace", {});
  if (at !== undefined || (into === undefined && files === "keep")) return;
  throw new WorldlineError("which-checkpoints-files", {});
}

/** What is forked. */
export interface ForkSource {
  readonly view: SessionView;
  /** The checkpoint that it goes up to; undefined: the head. */
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

/** The new session, and what was done to files for it. */
export interface Forked {
  readonly id: SessionId;
  /** Where it has a workspace of its own, and how many paths were written there. */
  readonly folder?: string;
  readonly exported?: number;
  readonly outcome?: FilesOutcome;
}

/** The fork alone. Its checkpoints keep their files; `folder` is where it works, by default where the source does. */
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

/** A fork in a folder of its own. The files are written first: a fork whose workspace is missing must not exist. */
export async function forkInto(
  context: AppContext,
  {
    deps,
    source,
    here,
  }: { readonly deps: SessionContext; readonly source: ForkSource; readonly here: FilesHere },
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

/** What taking the workspace to where the fork begins would do. Previewed before there is a fork, so that none is left over. */
export async function previewForkFiles(
  context: AppContext,
  { source, here }: { readonly source: ForkSource; readonly here: FilesHere },
  work: FilesWork,
): Promise<FilesLook> {
  const files = requireFiles(here);
  const { row } = await filesOfSource(source, here);
  const { view } = source;
  return lookAtFiles(context, work, (options) =>
    previewFiles({ view, files }, { ...options, to: row.number }),
  );
}

/** The fork, and then the workspace as it was where the fork begins: a rewind of files in the new session. */
export async function forkWithFiles(
  context: AppContext,
  {
    deps,
    source,
    here,
  }: { readonly deps: SessionContext; readonly source: ForkSource; readonly here: FilesHere },
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

/** Refuses a source without files before there is a fork. */
async function filesOfSource(
  { view, number }: ForkSource,
  here: FilesHere,
): Promise<{ readonly row: Row; readonly snapshot: SnapshotId }> {
  const row = requireCheckpoint(view.outline, number ?? 0);
  return { row, ...(await snapshotOf({ view, row }, requireFiles(here))) };
}
