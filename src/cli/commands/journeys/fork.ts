import { snapshotOf } from "../../../app/checkpoints/checkpoint-list.ts";
import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { checkExportTarget, writeExport } from "../../../app/files/export.ts";
import { type FilesHere, requireFiles, withFiles } from "../../../app/files/files.ts";
import type { DescribedPreview } from "../../../app/journeys/files-preview.ts";
import { requireSession, withSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openGround } from "../../../app/sessions/store.ts";
import { previewFiles } from "../../../machine/files/preview.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import { forkSession } from "../../../machine/journeys/fork.ts";
import { requireConfirmed, type SessionContext, viewSession } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Choice, SessionBody } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { outcomeLines } from "../../../show/journey-text.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { choice, defineCommand, flag, optional, text } from "../../command.ts";
import { commandAgain, shellWording } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { selectFiles } from "../files/export-files.ts";
import { choiceOf, choiceOptions, filesDocument, filesWork, lookAtFiles, showFiles } from "./files.ts";

export const fork = defineCommand({
  description:
    "Begins a new session with a copy of a branch, as it stands or up to a checkpoint. The source stays as it is. Files " +
    "stay as they are, unless --files restore takes the workspace to where the fork begins, or --into gives the fork a " +
    "workspace of its own: a new folder with the files of that checkpoint, ignored ones included. --here is for a session " +
    "from another machine, or of a folder that is gone.",
  arguments: { session: optional("the session to fork (default: --session, else the one last used here)") },
  options: {
    at: text("<cp>", "up to this checkpoint: a number, session:number, or a label (default: the head)"),
    files: choice(["keep", "restore"], "keep (the default), or take the files to the checkpoint of --at"),
    into: text("<folder>", "a new or empty folder to be the fork's workspace, with the checkpoint's files"),
    here: flag("the fork works in the folder that you are in, or --workspace, whose files stay as they are"),
    ...choiceOptions,
    yes: flag("do not ask, also where more paths are deleted than rewind.confirmDeletes says"),
  },
  examples: [
    { command: "worldline fork", meaning: "a second session that goes on from here" },
    { command: "worldline fork --at 12", meaning: "one that goes on from checkpoint 12" },
    { command: "worldline fork --at 12 --files restore", meaning: "and takes the files back, too" },
    { command: "worldline fork --at 12 --into ../attempt", meaning: "in a folder of its own" },
    { command: "worldline fork k3f9 --at 3", meaning: "from checkpoint 3 of another session" },
    { command: "worldline fork k3f9 --here", meaning: "a copy that goes on in this folder" },
  ],
  run: async ({ arguments: { session }, options, frame: given }) => {
    const { at, files: fate = "keep", into } = options;
    const where = options.here ? "here" : "there";
    requireCheckpointGiven({ at, fate, into, where });
    const choice = choiceOf(options);
    const ground = await openGround(given);
    const frame = await withSession(given, ground.store, session);
    const { view, number } = await sourceOf(frame, ground.store, at);
    requireConfirmed(ground.store, view.header);
    if (where === "here") return answerHere({ frame, ground, view, number });
    return withFiles(frame, view.header.workspace, async (here) => {
      const source: ForkSource = { frame, ground, view, number, here };
      if (into !== undefined) return answer(source, await forkInto(source, into));
      if (fate === "keep") return answer(source, { id: await forkHere(source) });
      const yes = options.yes ? "given" : "absent";
      return answer(source, await forkRestoring(source, { choice, yes }));
    });
  },
});

/** Without the files of the session's own folder, which may not be there. */
async function answerHere({ frame, ground, view, number }: Omit<ForkSource, "here">): Promise<ExitCode> {
  const workspace = await frame.workspace();
  const id = await forkSession(ground, view, { workspace, ...(number === undefined ? {} : { at: number }) });
  const folder = workspace === view.header.workspace ? {} : { folder: workspace };
  return answer({ frame, ground, view, number }, { id, ...folder });
}

async function answer(
  { frame, ground, view, number }: Omit<ForkSource, "here">,
  forked: Forked,
): Promise<ExitCode> {
  const { output, strings } = frame;
  const { id, folder, exported, described, outcome } = forked;
  const { outline, header } = await viewSession(ground.store, id);
  const document = {
    session: id,
    forkedFrom: view.id,
    at: number ?? null,
    entries: outline.length,
    workspace: header.workspace,
    files: filesDocument(frame, described, outcome),
  };
  output.answer(document, () =>
    [
      strings.journeys.forked(id, view.id),
      strings.journeys.forkHolds(outline.length, number),
      ...(folder === undefined || exported === undefined ? [] : [strings.files.exported(exported, folder)]),
      ...(outcome === undefined ? [] : outcomeLines(outcome, strings)),
      ...onward(frame, forked, header.mode),
    ].join("\n"),
  );
  return outcome !== undefined && outcome.failed > 0 ? 1 : 0;
}

/** No program opens the fork of an execution, and no agent works on it. */
function onward(
  { common, strings }: Frame,
  { id, folder }: Forked,
  mode: SessionBody["mode"],
): readonly string[] {
  const { journeys, executions, sessions } = strings;
  if (mode === "execution") {
    return [executions.forkIsForLooking, sessions.lookAt(id, shellWording(common).command)];
  }
  if (folder === undefined) return [journeys.openFork(id)];
  return [journeys.openForkIn(commandAgain(common, folder))];
}

interface FilesFate {
  readonly at: string | undefined;
  readonly fate: "keep" | "restore";
  readonly into: string | undefined;
  readonly where: "here" | "there";
}

/** At the head there is nothing to go back to, and two places for the same files are one too many. */
function requireCheckpointGiven({ at, fate, into, where }: FilesFate): void {
  if (where === "here" && (into !== undefined || fate === "restore")) {
    throw new WorldlineError("here-keeps-files", {});
  }
  if (into !== undefined && fate === "restore") {
    throw new WorldlineError("into-keeps-workspace", {});
  }
  if (at !== undefined || (into === undefined && fate === "keep")) return;
  throw new WorldlineError("which-checkpoints-files", {});
}

async function sourceOf(
  frame: Frame,
  store: LogStore,
  at: string | undefined,
): Promise<{ readonly view: SessionView; readonly number?: number }> {
  if (at === undefined) return { view: await requireSession(frame, store) };
  const { view, row } = await findCheckpoint(frame, store, at);
  return { view, number: row.number };
}

/** What is forked, and the files of its workspace. */
export interface ForkSource {
  readonly frame: Frame;
  readonly ground: SessionContext;
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
  return forkSession(groundWithFiles(ground, here), view, number === undefined ? {} : { at: number });
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
  const id = await forkSession(groundWithFiles(ground, here), view, { at: number, workspace: folder });
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

function groundWithFiles(ground: SessionContext, { files }: FilesHere): SessionContext {
  return files === undefined ? ground : { ...ground, files };
}
