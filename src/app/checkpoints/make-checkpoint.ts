import type { FilesProgress } from "../../machine/files/requests.ts";
import type { Session } from "../../machine/session.ts";
import type { Gap, WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type Remark, remark, remarkOf } from "../../record/error.ts";
import type { Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { countChangedFiles } from "../files/changes.ts";
import { type OpenedFiles, patiently, whyNotCaptured, withFiles } from "../files/files.ts";
import { type SessionHold, withHeld } from "../sessions/hold-session.ts";
import { chosenOrNewSession } from "../sessions/own-session.ts";
import { openSessionDeps, provideSessionDeps } from "../sessions/store.ts";
import { type FoundCheckpoint, findCheckpoint, reachableLabel, warnOfLookalike } from "./find-checkpoint.ts";

// This file is for front ends that do not hold a session. A front end that holds a session writes to it directly
// (`Session.checkpoint`, `writeLabel`).

/** A checkpoint that the user made, and the result of capturing its files. */
export interface MadeCheckpoint {
  readonly session: SessionId;
  /** "now": the session was created for this checkpoint. */
  readonly began: "now" | "before";
  readonly number: number;
  readonly label: string | undefined;
  readonly captured: CapturedFiles;
  /**
   * "none": the checkpoint was not meant to include files, because capturing is turned off or the workspace is one that
   * is never captured, such as the home folder.
   */
  readonly expected: "files" | "none";
}

/** The result of capturing a checkpoint's files. */
export type CapturedFiles =
  | {
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** Number of files that the capture had to read: all of them if the workspace had never been captured before. */
      readonly read: number;
      /**
       * Number of files and links that differ from the last checkpoint that was captured before this one (`since`);
       * absent if there is none.
       */
      readonly changed?: { readonly files: number; readonly since: number };
      /** Why the snapshot is partial; empty if it is complete. */
      readonly gaps: readonly Gap[];
    }
  | ({ readonly state: "none" } & Remark);

/**
 * Makes a checkpoint in the session that the user named. By default, this is the session that was last used in the
 * workspace or, if there is none, a new one. Throws for an invalid label before anything is written.
 */
export async function makeCheckpoint(
  context: AppContext,
  given: string | undefined,
  name: string,
): Promise<MadeCheckpoint> {
  const label = given === undefined ? undefined : reachableLabel(given);
  const deps = await provideSessionDeps(context);
  const { id, workspace, began } = await chosenOrNewSession(context, deps, name);
  return withFiles(context, workspace, async (workspaceFiles) => {
    const hold = { context, deps, session: id, name, files: workspaceFiles.files };
    const made = await withHeld(hold, async (session) =>
      checkpointIn(context, session, { label, workspaceFiles }),
    );
    return { session: id, began, label, ...made, expected: isExpected(workspaceFiles) ? "files" : "none" };
  });
}

function isExpected(workspaceFiles: OpenedFiles): boolean {
  return (
    workspaceFiles.state === "on" ||
    (workspaceFiles.state === "unusable" && workspaceFiles.error.code !== "WORKSPACE_UNUSABLE")
  );
}

async function checkpointIn(
  context: AppContext,
  session: Session,
  { label, workspaceFiles }: { readonly label: string | undefined; readonly workspaceFiles: OpenedFiles },
): Promise<Pick<MadeCheckpoint, "number" | "captured">> {
  let read = 0;
  if (label !== undefined) warnOfLookalike(context.listener, await session.labels(), label);
  const number = await patiently(context, (request) => {
    const onProgress = (progress: FilesProgress) => {
      request.onProgress(progress);
      if (progress.doing === "capture") read = progress.ofFiles;
    };
    return session.checkpoint(label, { ...request, onProgress });
  });
  return { number, captured: await capturedFiles(session, { workspaceFiles, checkpoint: number, read }) };
}

interface Captured {
  readonly workspaceFiles: OpenedFiles;
  readonly checkpoint: number;
  readonly read: number;
}

/**
 * Describes the capture based on its snapshot, so that the cost depends on the number of changes rather than the size
 * of the workspace.
 */
async function capturedFiles(
  session: Session,
  { workspaceFiles, checkpoint, read }: Captured,
): Promise<CapturedFiles> {
  if (workspaceFiles.state !== "on") return { state: "none", ...remarkOf(workspaceFiles.error) };
  const at = await session.filesAt(checkpoint);
  switch (at.state) {
    case "complete":
    case "partial": {
      const { state, snapshot, line } = at;
      const gaps = state === "partial" ? await workspaceFiles.files.gaps(snapshot) : [];
      const changed = await changedSince(session, workspaceFiles.files, { snapshot, line });
      return { state, snapshot, read, ...(changed === undefined ? {} : { changed }), gaps };
    }
    case "none":
    case "pending":
    case "let-go":
      return { state: "none", ...(whyNotCaptured(at) ?? remark("capture-never-made")) };
    default:
      return at satisfies never;
  }
}

/** Maximum number of earlier captures to search for a successful one, because several in a row may have failed. */
const MAX_LOOKED_AT = 20;

/**
 * Counts the changes since the last checkpoint that was captured before this one. Returns undefined if there is no such
 * checkpoint, or if the store has released its files.
 */
async function changedSince(
  session: Session,
  files: WorkspaceFiles,
  { snapshot, line }: { readonly snapshot: SnapshotId; readonly line: Seq },
): Promise<{ readonly files: number; readonly since: number } | undefined> {
  const earlier = session.outline.linesOf("snapshot").filter((each) => each < line);
  const entries = await session.entries(earlier.slice(-MAX_LOOKED_AT));
  const entry = entries.findLast((each) => each.kind === "snapshot" && each.snapshot !== undefined);
  if (entry?.kind !== "snapshot" || entry.snapshot === undefined) return undefined;
  if (!(await files.has(entry.snapshot))) return undefined;
  return { files: await countChangedFiles(files, entry.snapshot, snapshot), since: entry.checkpoint };
}

/** A checkpoint with its new label and its previous label; "" means no label. */
interface LabeledCheckpoint {
  readonly session: SessionId;
  readonly number: number;
  readonly label: string;
  readonly before: string;
}

/**
 * Labels the checkpoint that the user names. An empty label removes the current one. Writes nothing if the label does
 * not change.
 */
export async function labelCheckpoint(
  context: AppContext,
  { checkpoint, text, name }: { readonly checkpoint: string; readonly text: string; readonly name: string },
): Promise<LabeledCheckpoint> {
  const label = labelGiven(text);
  const deps = await openSessionDeps(context);
  const { view, row } = await findCheckpoint(context, deps.store, checkpoint);
  const labels = await view.labels();
  const before = labels.get(row.id) ?? "";
  if (label !== "") warnOfLookalike(context.listener, labels, label, row.id);
  if (before !== label) {
    await withFiles(context, view.header.workspace, async (workspaceFiles) =>
      writeLabel(context, { view, row, workspaceFiles, session: { deps, name } }, label),
    );
  }
  return { session: view.id, number: row.number, label, before };
}

/** Returns the label in its stored form; "" removes the label. */
export function labelGiven(text: string): string {
  return text.trim() === "" ? "" : reachableLabel(text);
}

interface LabelPlace extends FoundCheckpoint {
  /**
   * The label must also be recorded in the snapshot store, because the store keeps the files of labeled checkpoints.
   */
  readonly workspaceFiles: OpenedFiles;
  readonly session: SessionHold;
}

export async function writeLabel(
  context: AppContext,
  { view, row, workspaceFiles, session }: LabelPlace,
  label: string,
): Promise<void> {
  const write = async (held: Session): Promise<void> => held.label(row.number, label);
  if ("held" in session) await write(session.held);
  else await withHeld({ ...session, context, session: view.id, files: workspaceFiles.files }, write);
}
