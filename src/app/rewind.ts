import { systemClock } from "../disk/system-clock.ts";
import { previewFiles } from "../machine/files/preview.ts";
import type {
  FileChoices,
  FilesPreview,
  JourneyOptions,
  ProgressOptions,
  SessionRewindOptions,
} from "../machine/files/requests.ts";
import type { RewindResult } from "../machine/journeys/person-journeys.ts";
import { viewSession } from "../machine/open.ts";
import { summarise } from "../machine/queries/sessions.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { FileRewinder } from "../ports/file-rewinder.ts";
import type { Scope } from "../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import { type Outline, wayLeft } from "../timeline/outline.ts";
import { isEntryToCount, type Row } from "../timeline/row.ts";
import { contextTokens } from "../timeline/token-count.ts";
import { isAlreadyThere, planRewind, requireCheckpoint } from "../travel/rewind.ts";
import { namedPlace, type PlaceOfRow } from "./checkpoints/checkpoint-rows.ts";
import { type AppContext, quietContext } from "./context.ts";
import type { SessionAccess } from "./current/current-session.ts";
import { touchedIn } from "./files/files.ts";
import { choicesByPath, filesMade, filesPreviewed } from "./journeys/files-preview.ts";
import type {
  FilesChoice,
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RewindRequest,
} from "./journeys/journey-types.ts";
import { filesAtIn, type Place, settledScope } from "./journeys/scope.ts";
import { makeFolder } from "./places/home.ts";
import { refuseHeld, withHeld } from "./sessions/hold-session.ts";

/** What a rewind would do. */
export async function previewRewind(
  parts: SessionAccess,
  wish: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const found = await findRow(parts, wish);
  const settled = await settledRewind(found, wish.scope);
  const { view, row } = found;
  const visit = await visitOf(found);
  if (visit.opens !== undefined) {
    const { context, opened } = parts.here();
    await refuseHeld(opened.ground.store, view.id, context.common.takeOver);
  }
  const effect = settled.scope === "files" ? noEffect(view.outline) : effectOf(view.outline, row);
  const files = settled.scope === "conversation" ? {} : await previewed(parts, found, { wish, progress });
  return {
    ...settled,
    place: await namedPlace(found.view, found.row),
    entries: effect.left,
    ...tokensLeft(effect),
    ...visit,
    ...files,
  };
}

/** A place with more context than here leaves none behind. */
export function tokensLeft({ tokensBefore, tokensAfter }: Effect): Pick<JourneyPreview, "tokens"> {
  return tokensBefore < tokensAfter ? {} : { tokens: tokensBefore - tokensAfter };
}

/** The session that has to be opened for it. One without a conversation is held for the journey alone. */
async function visitOf({ where, view }: FoundRow): Promise<Pick<JourneyPreview, "opens">> {
  if (where === "held" || view.header.mode !== "agent") return {};
  const { title } = await summarise(view);
  return { opens: { session: view.id, ...(title === "" ? {} : { title }) } };
}

interface Settled {
  readonly scope: Scope;
  readonly filesStay?: WorldlineError;
}

/** Refused before anything is looked at or opened, so that a refusal leaves no trace. */
async function settledRewind(found: FoundRow, wanted: Scope): Promise<Settled> {
  const settled = await settledScope(found, wanted);
  requireWayBack(found.view, found.row, settled.scope);
  return settled;
}

interface Asked {
  readonly wish: FilesChoice;
  readonly progress: OnProgress | undefined;
}

async function previewed(
  parts: SessionAccess,
  found: FoundRow,
  { wish, progress }: Asked,
): Promise<Pick<JourneyPreview, "files">> {
  const { here } = found;
  const look = async (chosen: FileChoices): Promise<FilesPreview> => {
    const asked = { ...chosen, ...byOf(found), to: found.row.number, ...patienceOf(progress) };
    return found.where === "held"
      ? parts.here().opened.session.previewFiles(asked)
      : previewFiles({ view: found.view, files: here.files, ...touchedIn(here) }, asked);
  };
  const chosen = await chosenPaths(wish, async () => look({}));
  return { files: await filesPreviewed(parts.here().context, await look(chosen), here.files) };
}

/** Who takes the files back, where it is not our snapshots. */
function byOf({ through }: FoundRow): Pick<SessionRewindOptions, "through"> {
  return through === undefined ? {} : { through };
}

/** The choices by path. The names are those of a preview, so one is made to read them. */
export async function chosenPaths(
  { choices }: FilesChoice,
  preview: () => Promise<FilesPreview>,
): Promise<Pick<FileChoices, "choices">> {
  if (choices === undefined || choices.size === 0) return {};
  return { choices: choicesByPath(await preview(), choices) };
}

/** Makes a rewind; the row's session is opened first, where it is another agent's. */
export async function makeRewind(
  parts: SessionAccess,
  wish: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const left = parts.here().opened.session.id;
  const { found, settled, place, opens } = await byHand(parts, async () => decided(parts, wish));
  const { journey, prompt, files } = await inSession(parts, found, async (session) =>
    travel(session, settled.scope, { to: found.row.number, wish, progress, by: byOf(found) }),
  );
  return {
    journey,
    scope: settled.scope,
    place,
    ...(opens === undefined ? {} : { visit: { left, opened: opens } }),
    ...redoOf(found),
    // A command does not come back into the editor: one Enter too many would do again what was taken back.
    ...(settled.scope === "files" || prompt === undefined ? {} : { prompt }),
    ...(settled.scope === "conversation" ? {} : { files: filesMade(files) }),
    differ: files.differ.length,
  };
}

/** What is held for the journey alone is not what `/redo` is about. */
function redoOf({ where, view }: FoundRow): Pick<JourneyMade, "redo"> {
  const isHeldAlone = where === "elsewhere" && view.header.mode === "execution";
  if (!isHeldAlone) return {};
  return { redo: view.id };
}

interface Decided extends Pick<JourneyPreview, "opens" | "place"> {
  readonly found: FoundRow;
  readonly settled: Settled;
}

async function decided(parts: SessionAccess, wish: RewindRequest): Promise<Decided> {
  const found = await findRow(parts, wish);
  return {
    found,
    settled: await settledRewind(found, wish.scope),
    place: await namedPlace(found.view, found.row),
    ...(await visitOf(found)),
  };
}

/** A session of a workspace or a program has no conversation to open: it is held for the journey alone. */
async function inSession(
  parts: SessionAccess,
  { where, view, here }: FoundRow,
  work: (session: Session) => Promise<RewindResult>,
): Promise<RewindResult> {
  if (where === "elsewhere" && view.header.mode !== "agent") {
    const { context, opened } = parts.here();
    const { ground } = opened;
    // The person sits in front of it: who has it is said at once.
    const hold = { context, ground, session: view.id, name: "worldline", files: here.files, waitMs: 0 };
    return byHand(parts, async () => withHeld(hold, work));
  }
  await parts.open(view.id);
  return byHand(parts, async () => work(parts.here().opened.session));
}

async function travel(
  session: Session,
  scope: Scope,
  {
    to,
    wish,
    progress,
    by,
  }: Asked & { readonly to: number; readonly by: Pick<SessionRewindOptions, "through"> },
): Promise<RewindResult> {
  const patience: JourneyOptions = patienceOf(progress);
  if (scope === "conversation") return session.rewind({ ...patience, to, scope });
  const chosen = await chosenPaths(wish, async () => session.previewFiles({ ...patience, ...by, to }));
  return session.rewind({ ...patience, ...chosen, ...by, to, scope });
}

/** Refuses what a rewind would, before anything is held; of a program in words that fit one. */
export function requireWayBack({ id, header, outline }: SessionView, row: Row, scope: Scope): void {
  if (header.mode === "execution" && scope === "conversation" && isAlreadyThere(outline, row)) {
    throw new WorldlineError("execution-there-already", { session: id });
  }
  planRewind(outline, { to: row.number, scope }, {});
}

interface FoundRow extends Place {
  /** "held": in the session that the agent works on. */
  readonly where: "held" | "elsewhere";
}

/** The checkpoint that a row of the list stands for. */
export async function findRow(parts: SessionAccess, { session, number }: PlaceOfRow): Promise<FoundRow> {
  const { session: held, ground, here } = parts.here().opened;
  if (session === held.id) {
    const row = requireCheckpoint(held.outline, number);
    const at: Place["filesAt"] = async (wanted) => held.filesAt(wanted);
    return { where: "held", view: held, row, here, filesAt: at, ...(await byIn(parts, held)) };
  }
  const view = await viewSession(ground.store, session);
  if (view.header.workspace !== held.header.workspace) {
    throw new WorldlineError("session-not-here", { session, workspace: view.header.workspace });
  }
  const row = requireCheckpoint(view.outline, number);
  return {
    where: "elsewhere",
    view,
    row,
    here,
    filesAt: filesAtIn(view, here),
    ...(await byIn(parts, view)),
  };
}

async function byIn(parts: SessionAccess, view: SessionView): Promise<Pick<Place, "through">> {
  const through = await rewinderFor(parts.here().context, view);
  return through === undefined ? {} : { through };
}

/**
 * Who takes the files of a rewind back, where it is not our snapshots: the Claude Agent SDK, in a session that it has worked
 * on, where `snapshots.engine` says so. Nothing of it is loaded before it is asked.
 */
export async function rewinderFor(context: AppContext, view: SessionView): Promise<FileRewinder | undefined> {
  const { values } = await context.settings();
  if (values["snapshots.engine"] !== "sdk" || !(await hasWorkedOn(view, "claude"))) return undefined;
  const { sdkRewinder } = await import("../hosts/claude-agent-sdk/file-rewinder.ts");
  return sdkRewinder({
    workspace: view.header.workspace,
    clock: systemClock,
    open: async () => {
      const { openClaude } = await import("./agent/open-claude.ts");
      // What there is to say of its settings is said where it begins to work.
      return openClaude(quietContext(context), {});
    },
  });
}

async function hasWorkedOn(view: SessionView, host: string): Promise<boolean> {
  const entries = await view.storedEntries(view.outline.linesOf("host"));
  return entries.some((entry) => entry.kind === "host" && entry.host === host);
}

/** Does what needs the session for itself, or says what the person can do about the turn that has it. */
export async function byHand<Result>(
  parts: Pick<SessionAccess, "alone">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await parts.alone(work);
  } catch (error) {
    if (!isWorldlineError(error, "TURN_RUNNING")) throw error;
    throw new WorldlineError("running-before-journey", { problem: error }, { cause: error });
  }
}

const OWN_MODE = 0o777;

/** A command may have removed the whole workspace: its files come back into a folder that is made again. */
export async function folderBack({ here }: Pick<SessionAccess, "here">): Promise<void> {
  const { agent, opened } = here();
  // Only there was something captured that can come back.
  if (opened.here.files !== undefined) await makeFolder(agent.workspace, OWN_MODE);
}

/** What the machine tells of its progress, in the screen's words. */
export function patienceOf(progress: OnProgress | undefined): Pick<ProgressOptions, "onProgress"> {
  if (progress === undefined) return {};
  return {
    onProgress: (each) =>
      each.doing === "restore"
        ? progress(each)
        : progress({ doing: "capture", done: each.files, of: each.ofFiles }),
  };
}

/** What lies between two places: the entries that only the way to the one has, and those that only the other has. */
interface Distance {
  readonly left: number;
  readonly back: number;
}

export function distance(outline: Outline, from: Row | undefined, to: Row | undefined): Distance {
  return {
    left: wayLeft(outline, from, to).filter(isEntryToCount).length,
    back: wayLeft(outline, to, from).filter(isEntryToCount).length,
  };
}

export interface Effect extends Distance {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** What it does to the conversation to go from the head to `place`. */
export function effectOf(outline: Outline, place: Row): Effect {
  return {
    ...distance(outline, outline.head, place),
    tokensBefore: contextTokens(outline, outline.head),
    tokensAfter: contextTokens(outline, place),
  };
}

/** What a journey of files alone does to the conversation. */
export function noEffect(outline: Outline): Effect {
  const tokens = contextTokens(outline, outline.head);
  return { left: 0, back: 0, tokensBefore: tokens, tokensAfter: tokens };
}
