import { relative, sep } from "node:path";
import { systemClock } from "../disk/system-clock.ts";
import { authorOf, type ChangeAuthor } from "../finder/author.ts";
import { type FindProgress, find as findChange } from "../finder/find.ts";
import type { Change, Finding } from "../finder/finding.ts";
import { type ChangedPath, changedPaths } from "../finder/narrow/units.ts";
import type { CheckpointPlace, WorkspaceState } from "../finder/states.ts";
import { takeBackChange } from "../finder/take-back-change.ts";
import { capturePresent } from "../machine/files/look.ts";
import type { FilesOutcome } from "../machine/files/requests.ts";
import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { WorldlineError } from "../record/error.ts";
import type { PathBytes } from "../record/files.ts";
import type { EntryId, SessionId } from "../record/ids.ts";
import { findCheckpoint } from "./checkpoints/find-checkpoint.ts";
import { type AppContext, interruptible } from "./context.ts";
import { openFiles, patiently, requireFiles, withFiles } from "./files/files.ts";
import { currentFolder } from "./places/workspace.ts";
import { sessionsHere } from "./sessions/find-session.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps, openStore } from "./sessions/store.ts";

/** The result of `--undo`. */
export type Undone =
  | { readonly state: "not-asked" }
  /** The finder found no change whose removal makes the test pass. */
  | { readonly state: "refused"; readonly why: string }
  | {
      /** "partly": some paths could not be changed. */
      readonly state: "undone" | "partly";
      readonly session: SessionId;
      readonly journey: EntryId;
      readonly files: FilesOutcome;
    };

/** The progress of a search in a sample project that was broken on purpose. */
export type SampleProgress =
  /** The sample in `folder` is about to be broken in this many steps. */
  { readonly doing: "break"; readonly folder: string; readonly steps: number } | FindProgress;

export interface SampleAnswer {
  readonly answer: Answer;
  /** Whether the answer identifies the change that broke the project. */
  readonly verdict: "right" | "wrong";
}

/** Demonstrations that let users try Worldline without a model. Nothing in the demonstrations is simulated. */
export interface Demonstrations {
  /**
   * Breaks a sample project in a random way, runs the finder on it, and compares the finder's answer with the actual
   * defect.
   */
  findInSample(onProgress: (progress: SampleProgress) => void, signal: AbortSignal): Promise<SampleAnswer>;
  /**
   * Creates a folder with a small project where the user can break things and rewind. Resolves with the folder's path.
   */
  makePlayground(): Promise<string>;
}

export interface FindOptions {
  readonly program: string;
  readonly words: readonly string[];
  readonly runs: number;
  readonly timeoutMs: number;
  /**
   * The checkpoint to start from, as a number, session:number, or a label. States before this checkpoint are ignored.
   */
  readonly since: string | undefined;
  readonly undo: "yes" | "no";
  readonly report: (event: FindEvent) => void;
  readonly onProgress: (progress: FindProgress) => void;
}

export type FindEvent =
  /** The current state of some files could not be captured. */
  | { readonly code: "partly-captured"; readonly path: PathBytes }
  /** A word in the command refers to the workspace itself instead of the scratch copy. */
  | { readonly code: "names-workspace"; readonly word: string };

/**
 * Finds the change that made a test fail, in scratch copies of the workspace's states. On request, undoes only that
 * change.
 */
export async function findBreakingChange(
  context: AppContext,
  options: FindOptions,
): Promise<{ readonly answer: Answer; readonly undone: Undone }> {
  return withFiles(context, await context.workspace(), async (workspaceFiles) =>
    findWith(context, requireFiles(workspaceFiles), options),
  );
}

async function findWith(context: AppContext, files: WorkspaceFiles, options: FindOptions) {
  const store = openStore(context);
  const views = await sessionsHere(context, store);
  const since = options.since === undefined ? undefined : await findCheckpoint(context, store, options.since);
  if (since !== undefined && since.view.header.workspace !== files.folder) {
    throw new WorldlineError("since-of-other-workspace", { given: options.since ?? "" });
  }
  const { program, words, runs, timeoutMs } = options;
  return interruptible(context, async (signal) => {
    const present = await captureNow(context, { files, views, signal });
    const [gap] = present.gaps;
    if (gap !== undefined) options.report({ code: "partly-captured", path: gap.path });
    const word = [program, ...words].find((each) => each.includes(files.folder));
    if (word !== undefined) options.report({ code: "names-workspace", word });
    const { environment } = context.surroundings;
    const finding = await findChange({
      files,
      views,
      present,
      now: systemClock.now(),
      ...(since === undefined ? {} : { since: { session: since.view.id, checkpoint: since.row.number } }),
      command: { program, arguments: words, environment, timeoutMs, signal },
      within: withinOf(context, files.folder),
      runs,
      onProgress: options.onProgress,
    });
    const answer = await answerOf(finding, views);
    const undone: Undone =
      options.undo === "yes" ? await undo(context, { files, finding, signal }) : { state: "not-asked" };
    return { answer, undone };
  });
}

interface CaptureOptions {
  readonly files: WorkspaceFiles;
  readonly views: readonly SessionView[];
  readonly signal: AbortSignal;
}

/**
 * Captures the current files. The newest session determines the author of the last changes. If there is no session, the
 * author is "outside".
 */
async function captureNow(context: AppContext, { files, views, signal }: CaptureOptions): Promise<Captured> {
  const [view] = views;
  return patiently(
    context,
    (request) =>
      view === undefined
        ? files.capture({ look: "everything", signal: request.signal })
        : capturePresent({ view, files }, request),
    signal,
  );
}

/**
 * Returns the current folder relative to the workspace, so that the test runs in the same folder within a scratch copy.
 * Returns "" if the current folder is outside the workspace.
 */
function withinOf({ surroundings }: AppContext, workspace: string): string {
  const within = relative(workspace, currentFolder(surroundings.cwd));
  return within === ".." || within.startsWith(`..${sep}`) ? "" : within;
}

export async function undo(
  context: AppContext,
  {
    files,
    finding,
    signal,
  }: { readonly files: WorkspaceFiles; readonly finding: Finding; readonly signal: AbortSignal },
): Promise<Undone> {
  if (finding.verdict !== "found" && finding.verdict !== "range") {
    const change = "change" in finding ? finding.change : undefined;
    return { state: "refused", why: change?.effect.state ?? finding.verdict };
  }
  const { effect } = finding.change;
  const [green, present] = [finding.states[finding.border.green], finding.states.at(-1)];
  const place = placeFor(finding);
  if (green === undefined || present === undefined || place === undefined) {
    return { state: "refused", why: "no-checkpoint" };
  }
  const deps = await openSessionDeps(context);
  const hold = { context, deps, files, session: place.session, name: "worldline find" };
  return withHeld(hold, async (session) => {
    const done = await patiently(
      context,
      (request) =>
        takeBackChange({
          ...request,
          session,
          files,
          to: place.checkpoint,
          green: green.snapshot,
          tried: present.snapshot,
          overlay: effect.overlay,
          openFiles: async (folder) => requireFiles(await openFiles(context, folder)),
        }),
      signal,
    );
    const isWhole = done.files.kept === 0 && done.files.failed === 0;
    return { state: isWhole ? "undone" : "partly", session: session.id, ...done };
  });
}

/**
 * Returns a checkpoint before the change, preferably in the session that broke the test, so that the session's agent
 * learns about the undo.
 */
function placeFor(finding: Extract<Finding, { verdict: "found" | "range" }>): CheckpointPlace | undefined {
  const [green, red] = [finding.states[finding.border.green], finding.states[finding.border.red]];
  const breaking = new Set(red?.places.map(({ session }) => session));
  return green?.places.findLast(({ session }) => breaking.has(session)) ?? green?.places.at(-1);
}

/** A finding with its change, its author, and the two states between which the test broke. */
export interface Answer {
  readonly finding: Finding;
  readonly border?: { readonly green: WorkspaceState; readonly red: WorkspaceState };
  /** The prompt whose checkpoint is the first one at which the test fails. */
  readonly prompt?: string;
  readonly change?: Change;
  readonly paths: readonly ChangedPath[];
  readonly author?: ChangeAuthor;
}

export async function answerOf(finding: Finding, views: readonly SessionView[]): Promise<Answer> {
  const border = borderOf(finding);
  const change = "change" in finding ? finding.change : undefined;
  const paths = change === undefined ? [] : changedPaths(change.units);
  const known = { finding, paths, ...(change === undefined ? {} : { change }) };
  if (border === undefined) return known;
  const prompt = await promptAt(views, border.red);
  const place = { border, ...(prompt === undefined ? {} : { prompt }) };
  if (change === undefined) return { ...known, ...place };
  const author = await authorOf({ views, ...border, paths: paths.map(({ path }) => path) });
  return { ...known, ...place, author };
}

async function promptAt(
  views: readonly SessionView[],
  { places: [place] }: WorkspaceState,
): Promise<string | undefined> {
  const checkpoints = await views.find(({ id }) => id === place?.session)?.checkpoints();
  return checkpoints?.find(({ number }) => number === place?.checkpoint)?.prompt;
}

function borderOf(finding: Finding): Answer["border"] {
  if (!("border" in finding) || finding.border === undefined) return undefined;
  const [green, red] = [finding.states[finding.border.green], finding.states[finding.border.red]];
  return green === undefined || red === undefined ? undefined : { green, red };
}
