import { checkExportTarget } from "../../../../app/files/export-target.ts";
import { type FilesHere, requireFiles } from "../../../../app/files/files.ts";
import { snapshotOf } from "../../../../app/files/target.ts";
import { writeExport } from "../../../../app/files/write-export.ts";
import type { DescribedPreview } from "../../../../app/journeys/described-preview.ts";
import { withHeld } from "../../../../app/sessions/hold.ts";
import { previewFiles } from "../../../../machine/files/preview.ts";
import type { FilesOutcome } from "../../../../machine/files/requests.ts";
import { forkSession } from "../../../../machine/journeys/fork.ts";
import type { Ground } from "../../../../machine/open.ts";
import type { SessionView } from "../../../../machine/view.ts";
import type { Choice } from "../../../../record/entry.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { requireCheckpoint } from "../../../../travel/rewind.ts";
import type { Frame } from "../../../command/frame.ts";
import { selectFiles } from "../../files/export-files.ts";
import { filesWork, lookAtFiles, showFiles } from "./look.ts";

/** What is forked, and the files of its workspace. */
export interface ForkSource {
  readonly frame: Frame;
  readonly ground: Ground;
  readonly view: SessionView;
  /** The checkpoint that it goes up to; undefined for the head. */
  readonly number: number | undefined;
  readonly here: FilesHere;
}

export interface Forked {
  readonly id: SessionId;
  /** Where it has a workspace of its own, and how many paths were written there. */
  readonly folder?: string;
  readonly exported?: number;
  readonly described?: DescribedPreview;
  readonly outcome?: FilesOutcome;
}

/** The fork alone. Its checkpoints keep their files. */
export async function forkHere({ ground, view, number, here }: ForkSource): Promise<SessionId> {
  return forkSession(withFiles(ground, here), view, number === undefined ? {} : { at: number });
}

/** The files first: a fork that promises a workspace must have it. */
export async function forkInto(source: ForkSource, into: string): Promise<Forked> {
  const { frame, ground, view, here } = source;
  const files = requireFiles(here);
  const { number, snapshot } = await filesToTake(source);
  const target = await checkExportTarget(frame, into);
  const { states } = await selectFiles(files, snapshot, "include");
  await writeExport(frame, { files, states, target });
  const { folder } = target;
  const id = await forkSession(withFiles(ground, here), view, { at: number, workspace: folder });
  return { id, folder, exported: states.filter(({ path }) => path !== "").length };
}

/**
 * The fork, then the workspace goes to where it begins, as a rewind of files in the new session. Looked at and agreed to
 * before there is a fork, so that who declines has none.
 */
export async function forkRestoring(
  source: ForkSource,
  wish: { readonly choice: Choice | undefined; readonly yes: "given" | "absent" },
): Promise<Forked> {
  const { frame, ground, view, here } = source;
  const files = requireFiles(here);
  const { number: to } = await filesToTake(source);
  const work = filesWork(frame, { files, mode: view.header.mode, only: [], choice: wish.choice });
  const looked = await lookAtFiles(frame, work, (look) => previewFiles({ view, files }, { ...look, to }));
  await showFiles(frame, looked, wish.yes);
  const id = await forkHere(source);
  return withHeld({ context: frame, ground, session: id, name: "worldline fork", files }, async (session) => {
    const { files: outcome } = await work.patiently((patience) =>
      session.rewind({ ...patience, ...looked.wish, to, scope: "files" }),
    );
    return { id, described: looked.described, outcome };
  });
}

/** Refused before there is a fork. */
async function filesToTake({ view, number, here }: ForkSource) {
  const row = requireCheckpoint(view.outline, number ?? 0);
  return { number: row.number, ...(await snapshotOf({ view, row }, requireFiles(here))) };
}

function withFiles(ground: Ground, { files }: FilesHere): Ground {
  return files === undefined ? ground : { ...ground, files };
}
