import type { ProgressOptions } from "../../machine/files/requests.ts";
import { viewSession } from "../../machine/open.ts";
import { summarise } from "../../machine/queries/sessions.ts";
import type { Session } from "../../machine/session.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { type NamedPlace, namedPlace, type PlaceOfRow } from "../checkpoints/checkpoint-rows.ts";
import { type FilesLook, type FilesWork, filesMade, filesPreviewed } from "../journeys/files-preview.ts";
import { journeyEnds } from "../journeys/journey-ends.ts";
import type {
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RedoRequest,
  RewindRequest,
} from "../journeys/journey-types.ts";
import { type RewindTarget, rewindTarget } from "../journeys/scope.ts";
import { makeFolder } from "../places/home.ts";
import { findJourney, previewRedo, type RedoTarget, redoSession, settleRedo } from "../redo.ts";
import { type Effect, previewRewind, type Rewind, rewindSession, settleRewind } from "../rewind.ts";
import { refuseHeld, type SessionHold } from "../sessions/hold-session.ts";
import type { SessionAccess } from "./current-session.ts";

/** Previews the effect of a rewind to a row in the list, without performing the rewind. */
export async function previewRowRewind(
  access: SessionAccess,
  request: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const { context, opened } = access.here();
  const rewind = await settleRowRewind(access, request);
  const visit = await visitOf(rewind);
  if (visit.opens !== undefined) {
    await refuseHeld(opened.deps.store, rewind.view.id, context.common.takeOver);
  }
  const { effect, files, scope, filesStay } = await previewRewind(context, rewind, {
    work: workOf(rewind, request, progress),
    held: rewind.held,
  });
  return {
    scope,
    ...(filesStay === undefined ? {} : { filesStay }),
    place: await namedPlace(rewind.view, rewind.row),
    entries: effect.left,
    ...tokensLeft(effect),
    ...visit,
    ...(await filesOf(access, files)),
  };
}

/** Performs a rewind to a row in the list. If the row belongs to another session, that session is opened first. */
export async function rewindToRow(
  access: SessionAccess,
  request: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const left = access.here().opened.session.id;
  const { rewind, place, opens } = await withExclusiveSession(access, async () => {
    const settled = await settleRowRewind(access, request);
    const { view, row } = settled;
    return { rewind: settled, place: await namedPlace(view, row), ...(await visitOf(settled)) };
  });
  const { scope } = rewind;
  const work = workOf(rewind, request, progress);
  const { result } = await inSessionOf(rewind, access, async (hold) =>
    rewindSession(access.here().context, rewind, {
      hold,
      work,
      // The choices use names from a preview, so a preview is needed to map them to paths. Without choices, no second
      // preview is computed.
      decide: async (preview) => ({
        chosen: hasChoices(request) ? (await preview()).files?.chosen : undefined,
      }),
    }),
  );
  const { journey, prompt, files } = result;
  return {
    journey,
    scope,
    place,
    ...(opens === undefined ? {} : { visit: { left, opened: opens } }),
    ...redoOf(rewind),
    // A command is not put back into the editor, because accidentally pressing Enter would rerun what was just undone.
    ...(scope === "files" || prompt === undefined ? {} : { prompt }),
    ...(scope === "conversation" ? {} : { files: filesMade(files) }),
    differ: files.differ.length,
  };
}

interface RowTarget extends RewindTarget {
  /** The current session, if the row belongs to it. */
  readonly held?: Session;
}

/** Finds the checkpoint for a row in the list. */
export async function rowTarget(access: SessionAccess, { session, number }: PlaceOfRow): Promise<RowTarget> {
  const { context, opened } = access.here();
  const { session: held, deps, workspaceFiles } = opened;
  if (session === held.id) {
    const row = requireCheckpoint(held.outline, number);
    const target = await rewindTarget(context, { view: held, row }, workspaceFiles);
    return { ...target, held, filesAt: async (wanted) => held.filesAt(wanted) };
  }
  const view = await viewSession(deps.store, session);
  if (view.header.workspace !== held.header.workspace) {
    throw new WorldlineError("session-not-here", { session, workspace: view.header.workspace });
  }
  return rewindTarget(context, { view, row: requireCheckpoint(view.outline, number) }, workspaceFiles);
}

async function settleRowRewind(
  access: SessionAccess,
  request: RewindRequest,
): Promise<Rewind & Pick<RowTarget, "held">> {
  const target = await rowTarget(access, request);
  const { held } = target;
  const rewind = await settleRewind(target, { scope: request.scope, suggest: "nothing" });
  return { ...rewind, ...(held === undefined ? {} : { held }) };
}

/**
 * Returns the other session that the journey has to open. A session without a conversation is not opened; it is only
 * held during the journey.
 */
async function visitOf({
  held,
  view,
}: Pick<RowTarget, "held" | "view">): Promise<Pick<JourneyPreview, "opens">> {
  if (held !== undefined || view.header.mode !== "agent") return {};
  const { title } = await summarise(view);
  return { opens: { session: view.id, ...(title === "" ? {} : { title }) } };
}

/**
 * Reports the session if it belongs to a program. Such a session is held only during the journey, and `/redo` does not
 * undo the journey.
 */
function redoOf({ held, view }: Pick<RowTarget, "held" | "view">): Pick<JourneyMade, "redo"> {
  const isHeldAlone = held === undefined && view.header.mode === "execution";
  return isHeldAlone ? { redo: view.id } : {};
}

/**
 * Runs the work in the row's session. A workspace's or a program's session has no conversation to open, so it is only
 * held during the journey.
 */
async function inSessionOf<Result>(
  { held, view }: Pick<RowTarget, "held" | "view">,
  access: SessionAccess,
  work: (hold: SessionHold) => Promise<Result>,
): Promise<Result> {
  if (held === undefined && view.header.mode !== "agent") {
    const { deps } = access.here().opened;
    // Does not wait, so that the user immediately sees which program has the session open.
    return withExclusiveSession(access, async () => work({ deps, name: "worldline", waitMs: 0 }));
  }
  await access.open(view.id);
  return withExclusiveSession(access, async () => work({ held: access.here().opened.session }));
}

function hasChoices({ choices }: Pick<RewindRequest, "choices">): boolean {
  return choices !== undefined && choices.size > 0;
}

function workOf(
  { view, workspaceFiles }: Pick<RewindTarget, "view" | "workspaceFiles">,
  { choices }: Pick<RewindRequest, "choices">,
  progress: OnProgress | undefined,
): FilesWork {
  return {
    files: workspaceFiles.files,
    mode: view.header.mode,
    choicesByName: choices,
    withProgress: async (work) => work(progressOptions(progress)),
  };
}

async function filesOf(
  access: SessionAccess,
  look: FilesLook | undefined,
): Promise<Pick<JourneyPreview, "files">> {
  if (look === undefined) return {};
  const { context, opened } = access.here();
  return { files: await filesPreviewed(context, look.preview, opened.workspaceFiles.files) };
}

/** Previews the effect of a redo in the current session, without performing the redo. */
export async function previewRedoHere(
  access: SessionAccess,
  request: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const { context, opened } = access.here();
  const { session: held, workspaceFiles } = opened;
  const redo = await settleRedo(held, workspaceFiles, await redoTarget(access, request));
  const { undone, landed, effect, scope, filesStay, newer } = redo;
  const work = workOf({ view: held, workspaceFiles }, request, progress);
  const files = await previewRedo(context, redo, { view: held, workspaceFiles, held, work });
  const to = landed === undefined ? {} : { to: landed };
  return {
    scope,
    place: await placeBefore(access, undone),
    entries: effect.left,
    ...tokensLeft(effect),
    ...(newer === undefined ? {} : { newer: { kind: undone.kind, ...to, leaves: newer.checkpoint } }),
    ...(await filesOf(access, files)),
    ...(filesStay === undefined ? {} : { filesStay }),
  };
}

export async function redoHere(
  access: SessionAccess,
  request: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const { context, opened } = access.here();
  const { session: held, workspaceFiles } = opened;
  const { redo, place, result } = await redoSession(
    context,
    { view: held, workspaceFiles },
    {
      hold: { held },
      target: await redoTarget(access, request),
      work: workOf({ view: held, workspaceFiles }, request, progress),
      decide: async (preview, { undone }) => ({
        place: await placeBefore(access, undone),
        chosen: hasChoices(request) ? (await preview()).files?.chosen : undefined,
      }),
    },
  );
  const { scope } = redo;
  const { journey, files } = result;
  return {
    journey,
    scope,
    place,
    ...(scope === "conversation" ? {} : { files: filesMade(files) }),
    differ: files.differ.length,
  };
}

async function redoTarget(access: SessionAccess, { journey, scope }: RedoRequest): Promise<RedoTarget> {
  const { session } = access.here().opened;
  return { journey: journey === undefined ? undefined : await findJourney(session, journey), scope };
}

/**
 * Returns the place where the journey started. Its redo leads back to that place. For a journey that moved only files,
 * returns the place where the session was.
 */
async function placeBefore(access: SessionAccess, undone: JourneyEntry): Promise<NamedPlace | undefined> {
  const [end] = await journeyEnds(access.here().opened.session, [{ entry: undone, state: "open" }]);
  return end?.place;
}

/**
 * Returns the number of tokens that the journey frees. The number is absent if the journey leads to a larger context.
 */
function tokensLeft({ tokensBefore, tokensAfter }: Effect): Pick<JourneyPreview, "tokens"> {
  return tokensBefore < tokensAfter ? {} : { tokens: tokensBefore - tokensAfter };
}

/**
 * Runs `work` with exclusive use of the session. If a turn is using it, throws an error that explains what the user can
 * do.
 */
export async function withExclusiveSession<Result>(
  access: Pick<SessionAccess, "alone">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await access.alone(work);
  } catch (error) {
    if (!isWorldlineError(error, "TURN_RUNNING")) throw error;
    throw new WorldlineError("running-before-journey", { problem: error }, { cause: error });
  }
}

const OWN_MODE = 0o777;

/** Creates the workspace folder if a command has removed it, because it must exist before its files are restored. */
export async function provideFolder({ here }: Pick<SessionAccess, "here">): Promise<void> {
  const { agent, opened } = here();
  // Only a workspace with captured files has anything to restore.
  if (opened.workspaceFiles.files !== undefined) await makeFolder(agent.workspace, OWN_MODE);
}

/** Reports the progress of captures and restores in the form that the screen shows. */
export function progressOptions(progress: OnProgress | undefined): Pick<ProgressOptions, "onProgress"> {
  if (progress === undefined) return {};
  return {
    onProgress: (each) =>
      each.doing === "restore"
        ? progress(each)
        : progress({ doing: "capture", done: each.files, of: each.ofFiles }),
  };
}
