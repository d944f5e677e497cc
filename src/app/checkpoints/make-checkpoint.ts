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

// For a front end without a session of its own. One that holds a session writes to it (`Session.checkpoint`, `writeLabel`).

/** A checkpoint that the user made, and what came of its files. */
export interface MadeCheckpoint {
  readonly session: SessionId;
  /** Whether the session began with it. */
  readonly began: "now" | "before";
  readonly number: number;
  readonly label: string | undefined;
  readonly captured: CapturedFiles;
  /** Whether there should have been files: "none" if they are switched off, or this is the home folder. */
  readonly expected: "files" | "none";
}

/** What came of capturing a checkpoint's files. */
export type CapturedFiles =
  | {
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** How many files had to be read for it: all of them, when the workspace was never captured before. */
      readonly read: number;
      /** How many files, links included, are not as they were at an earlier checkpoint, where there is one. */
      readonly changed?: { readonly files: number; readonly since: number };
      /** What made it partial. */
      readonly gaps: readonly Gap[];
    }
  | ({ readonly state: "none" } & Remark);

/** Makes a checkpoint in the session that is named or was last used here, or in a new one. Refuses a label first. */
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
  if (label !== undefined) warnOfLookalike(context, await session.labels(), label);
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

/** Costs what has changed, not what there is. */
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

/** Captures may fail, and often several in a row. */
const MAX_LOOKED_AT = 20;

/** Since the checkpoint that was captured last before this one, if its files are still there. */
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

/** A checkpoint with its label, and the one that it had before; "" for none. */
interface LabeledCheckpoint {
  readonly session: SessionId;
  readonly number: number;
  readonly label: string;
  readonly before: string;
}

/** Labels the checkpoint that the user names, unless it has that label; an empty text removes the label. */
export async function labelCheckpoint(
  context: AppContext,
  { checkpoint, text, name }: { readonly checkpoint: string; readonly text: string; readonly name: string },
): Promise<LabeledCheckpoint> {
  const label = labelGiven(text);
  const deps = await openSessionDeps(context);
  const { view, row } = await findCheckpoint(context, deps.store, checkpoint);
  const labels = await view.labels();
  const before = labels.get(row.id) ?? "";
  if (label !== "") warnOfLookalike(context, labels, label, row.id);
  if (before !== label) {
    await withFiles(context, view.header.workspace, async (here) =>
      writeLabel(context, { view, row, here, session: { deps, name } }, label),
    );
  }
  return { session: view.id, number: row.number, label, before };
}

/** The label as it is kept; "" removes one. */
export function labelGiven(text: string): string {
  return text.trim() === "" ? "" : reachableLabel(text);
}

interface LabelPlace extends FoundCheckpoint {
  /** The snapshot store must know the label too: a labeled checkpoint keeps its files. */
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
