import { ripgrep, WALKING } from "../../agent/tools/ripgrep.ts";
import { capturePresent } from "../../machine/files/look.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { FileState, PathBytes } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isCheckpoint, type Row } from "../../timeline/row.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { placeOf, snapshotOf } from "../checkpoints/checkpoint-list.ts";
import { type FoundFile, findCheckpoint, findFile } from "../checkpoints/find-checkpoint.ts";
import type { AppContext } from "../context.ts";
import { patiently, requireFiles, withFiles } from "../files/files.ts";
import { firstKnown, leftOutAt, pathsMeant, pathText, whyLeftOut } from "../files/paths.ts";
import type { Environment } from "../places/home.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { openStore } from "../sessions/store.ts";
import type { DiffRequest, WorkspaceDiff } from "./query-types.ts";

/**
 * Returns the checkpoint before the last prompt or user command on the branch. If there is no prompt or command,
 * returns the newest checkpoint.
 */
export function turnStart(outline: Outline): number | undefined {
  let newest: Row | undefined;
  for (let row = outline.head; row !== undefined; row = outline.at(row.parent)) {
    if (!isCheckpoint(row)) continue;
    newest ??= row;
    if (row.kind !== "checkpoint") continue;
    if ((promptOf(outline, row) ?? commandOf(outline, row)) !== undefined) return row.number;
  }
  return newest?.number;
}

/** Compares the workspace's files at a checkpoint with the files at another checkpoint or with the current files. */
export async function workspaceDiff(
  { session, workspaceFiles }: AgentSession,
  request: DiffRequest,
): Promise<WorkspaceDiff> {
  const from = requireCheckpoint(session.outline, request.from);
  const to = request.to === undefined ? undefined : requireCheckpoint(session.outline, request.to);
  const files = requireFiles(workspaceFiles);
  const before = await captured(session, files, from.number);
  const after =
    to === undefined
      ? (await capturePresent({ view: session, files }, {})).snapshot
      : await captured(session, files, to.number);
  return { changes: seenChanges(await files.compare(before, after)), files };
}

/** Returns the snapshot of a checkpoint. Asks the session first, because the session waits for a running capture. */
async function captured(session: Session, files: WorkspaceFiles, number: number): Promise<SnapshotId> {
  await session.filesAt(number);
  const row = requireCheckpoint(session.outline, number);
  return (await snapshotOf({ view: session, row }, files)).snapshot;
}

/** The differences between a checkpoint and another checkpoint or the present. */
export interface CheckpointDiff extends WorkspaceDiff {
  readonly files: WorkspaceFiles;
  /** Each checkpoint as `session:number`; null for the present. */
  readonly ends: { readonly before: string; readonly after: string | null };
}

/**
 * Compares two checkpoints in the same workspace, each given as the user typed it. `to` defaults to the present. The
 * contents of the files can be read until `work` has ended.
 */
export async function withDiff<Result>(
  context: AppContext,
  { from, to }: { readonly from: string; readonly to: string | undefined },
  work: (difference: CheckpointDiff) => Promise<Result>,
): Promise<Result> {
  const before = await findCheckpoint(context, openStore(context), from);
  return withFiles(context, before.view.header.workspace, async (workspaceFiles) => {
    const files = requireFiles(workspaceFiles);
    const { snapshot } = await snapshotOf(before, files);
    const after = await otherEnd(context, before.view, { files, to });
    const changes = seenChanges(await files.compare(snapshot, after.snapshot));
    return work({ files, changes, ends: { before: placeOf(before), after: after.place } });
  });
}

async function otherEnd(
  context: AppContext,
  view: SessionView,
  { files, to }: { readonly files: WorkspaceFiles; readonly to: string | undefined },
): Promise<{ readonly snapshot: SnapshotId; readonly place: string | null }> {
  if (to === undefined) {
    const { snapshot } = await patiently(context, (request) => capturePresent({ view, files }, request));
    return { snapshot, place: null };
  }
  // A bare number refers to a checkpoint in the same session as the first checkpoint. That session was reported when
  // the first checkpoint was found.
  const isNumber = /^#?\d+$/u.test(to.trim());
  const inSame = isNumber ? { ...context, common: { ...context.common, session: view.id } } : context;
  const found = await findCheckpoint(inSame, openStore(context), to);
  if (found.view.header.workspace !== view.header.workspace) {
    throw new WorldlineError("checkpoint-of-other-workspace", { given: to });
  }
  return { snapshot: (await snapshotOf(found, files)).snapshot, place: placeOf(found) };
}

/** A file or a link as it was at a checkpoint. */
export interface ShownFile {
  readonly found: FoundFile;
  readonly path: PathBytes;
  readonly state: FileState & { readonly kind: "file" | "link" };
  /** The content of the file, or the target of the link. */
  readonly bytes: Uint8Array;
}

/** Finds a file in a checkpoint. `text`: the file as the user typed it, such as `12:src/a.ts`. Throws for a folder. */
export async function fileInCheckpoint(context: AppContext, text: string): Promise<ShownFile> {
  const found = await findFile(context, openStore(context), text);
  return withFiles(context, found.view.header.workspace, async (workspaceFiles) => {
    const files = requireFiles(workspaceFiles);
    const { path, state } = await stateInCheckpoint(context, files, found);
    switch (state.kind) {
      case "file":
        return { found, path, state, bytes: await files.content(state.hash) };
      case "link":
        return { found, path, state, bytes: Buffer.from(state.target, "latin1") };
      case "folder":
        throw new WorldlineError("file-was-a-folder", { path: pathText(path) });
      case "left-out": {
        const why = whyLeftOut(path, state.why);
        throw new WorldlineError("file-left-out", { path: pathText(path), why });
      }
      default:
        return state satisfies never;
    }
  });
}

interface PathState {
  readonly path: PathBytes;
  readonly state: FileState;
}

/**
 * Returns the state of a path at a checkpoint. The state is also "left-out" if a folder above the path was left out.
 */
async function stateInCheckpoint(
  context: AppContext,
  files: WorkspaceFiles,
  found: FoundFile,
): Promise<PathState> {
  const { snapshot } = await snapshotOf(found, files);
  const meant = await pathsMeant(context, files.folder, found.path);
  const known = await firstKnown(files, snapshot, meant);
  if (known !== undefined) return known;
  for (const path of meant) {
    const leftOut = await leftOutAt(files, snapshot, path);
    if (leftOut !== undefined) return { path, state: { kind: "left-out", why: leftOut.why } };
  }
  throw new WorldlineError("path-not-in-checkpoint", { path: found.path, checkpoint: placeOf(found) });
}

const MOST = 50_000;
/**
 * Time limit for the search, because the user is typing and a home folder may contain millions of files. After this
 * time, only the files that have been found are offered.
 */
const PATIENCE_MS = 3_000;

/**
 * Returns the files that a prompt can mention: all files in the workspace that no ignore rule excludes and whose names
 * can be typed.
 */
export async function mentionableFiles(
  workspace: string,
  environment: Environment,
): Promise<readonly string[]> {
  let count = 0;
  const { records } = await ripgrep({
    args: ["--files", "-0", ...WALKING],
    cwd: workspace,
    environment,
    signal: AbortSignal.timeout(PATIENCE_MS),
    separator: "\0",
    onRecord: () => {
      count += 1;
      return count > MOST ? "enough" : "more";
    },
  });
  return records.filter((path) => !/\p{Cc}/u.test(path)).toSorted();
}
