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

// For front ends that do not hold a session. A front end that holds one writes to that session directly
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
   * "none": the checkpoint was not meant to have files, because capturing is turned off or the workspace, such as the
   * home folder, is never captured.
   */
  readonly expected: "files" | "none";
}

/** The result of capturing a checkpoint's files. */
export type CapturedFiles =
  | {
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** How many files the capture had to read: all of them if the workspace was never captured before. */
      readonly read: number;
      /**
       * How many files and links differ from the last checkpoint that was captured before this one (`since`); absent if
       * there is none.
       */
      readonly changed?: { readonly files: number; readonly since: number };
      /** Why the snapshot is partial; empty if it is complete. */
      readonly gaps: readonly Gap[];
    }
  | ({ readonly state: "none" } & Remark);

/**
 * Makes a checkpoint in the named session, otherwise in the one that was last used in the workspace, otherwise in a new
 * one. Throws for an invalid label before anything is written.
 */
export async function makeCheckpoint(
  context: AppContext,
  given: string | undefined,
  name: string,
): Promise<MadeCheckpoint> {
  const label = given === undefined ? undefined : reachableLabel(given);
  const deps = await provideSessionDeps(context);
  const { id, workspace, began } = await chosenOrNewSession(context, deps, name);
  return withFiles(context, workspace, async (here) => {
    const hold = { context, deps, session: id, name, files: here.files };
    const made = await withHeld(hold, async (session) => checkpointIn(context, session, { label, here }));
    return { session: id, began, label, ...made, expected: isExpected(here) ? "files" : "none" };
  });
}

function isExpected(here: OpenedFiles): boolean {
  return here.state === "on" || (here.state === "unusable" && here.error.code !== "WORKSPACE_UNUSABLE");
}

async function checkpointIn(
  context: AppContext,
  session: Session,
  { label, here }: { readonly label: string | undefined; readonly here: OpenedFiles },
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
  return { number, captured: await capturedFiles(session, { here, checkpoint: number, read }) };
}

interface Captured {
  readonly here: OpenedFiles;
  readonly checkpoint: number;
  readonly read: number;
}

/**
 * Describes the capture from its snapshot, so that the cost depends on the number of changes and not on the size of the
 * workspace.
 */
async function capturedFiles(session: Session, { here, checkpoint, read }: Captured): Promise<CapturedFiles> {
  if (here.state !== "on") return { state: "none", ...remarkOf(here.error) };
  const at = await session.filesAt(checkpoint);
  switch (at.state) {
    case "complete":
    case "partial": {
      const { state, snapshot, line } = at;
      const gaps = state === "partial" ? await here.files.gaps(snapshot) : [];
      const changed = await changedSince(session, here.files, { snapshot, line });
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

/** How many earlier captures are searched for one that succeeded, because several in a row may have failed. */
const MAX_LOOKED_AT = 20;

/**
 * Counts the changes since the last checkpoint that was captured before this one. Undefined if there is none, or if the
 * store has released its files.
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

/** A checkpoint with its new label and the label that it had before; "" means no label. */
interface LabeledCheckpoint {
  readonly session: SessionId;
  readonly number: number;
  readonly label: string;
  readonly before: string;
}

/**
 * Labels the checkpoint that the user names; an empty label removes the current one. Writes nothing if the label does
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
    await withFiles(context, view.header.workspace, async (here) =>
      writeLabel(context, { view, row, here, session: { deps, name } }, label),
    );
  }
  return { session: view.id, number: row.number, label, before };
}

/** The label in its stored form; "" removes the label. */
export function labelGiven(text: string): string {
  return text.trim() === "" ? "" : reachableLabel(text);
}

interface LabelPlace extends FoundCheckpoint {
  /** The snapshot store must know the label too, because it keeps the files of a labeled checkpoint. */
  readonly here: OpenedFiles;
  readonly session: SessionHold;
}

export async function writeLabel(
  context: AppContext,
  { view, row, here, session }: LabelPlace,
  label: string,
): Promise<void> {
  const write = async (held: Session): Promise<void> => held.label(row.number, label);
  if ("held" in session) await write(session.held);
  else await withHeld({ ...session, context, session: view.id, files: here.files }, write);
}
