import { requireLeft } from "../machine/files/look.ts";
import type { RedoResult } from "../machine/journeys/person-journeys.ts";
import type { SessionContext } from "../machine/open.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { Scope } from "../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import { nearest, type Outline } from "../timeline/outline.ts";
import { isCheckpoint } from "../timeline/row.ts";
import { hasWorkSince, type JourneyEntry, type JourneyState, planRedo, redoScope } from "../travel/redo.ts";
import type { AppContext } from "./context.ts";
import { isTouchedOnly, type OpenedFiles, requireFiles, touchedIn, withFiles } from "./files/files.ts";
import {
  type DescribedFiles,
  describeFiles,
  type FilesLook,
  type FilesOptions,
  type FilesWork,
  filesWork,
  lookAtFiles,
  previewerOf,
} from "./journeys/files-preview.ts";
import { type JourneyEnd, journeyEnds, landedAt } from "./journeys/journey-ends.ts";
import type { RedoRow, ScopeOffer } from "./journeys/journey-types.ts";
import { reportRunning } from "./journeys/left-running.ts";
import type { SettledScope } from "./journeys/scope.ts";
import {
  type Decision,
  type Effect,
  effectOf,
  inJourneySession,
  type JourneyDecider,
  type JourneyRequest,
  type PreviewJourney,
  withChoices,
} from "./rewind.ts";
import { contextOfSession, requireSession } from "./sessions/find-session.ts";
import { openSessionDeps, openStore } from "./sessions/store.ts";

// The functions here correspond to the functions for a rewind (`rewind.ts`). A front end that works on any session
// calls `makeRedo` or `previewJourneyRedo`. A front end with a current session calls `redoSession`. Alternatively, it
// calls `settleRedo` to settle what is restored, and then `previewRedo`.

const MAX_NAMED = 8;

/** Finds the journey that the user named by its id or a prefix of its id. */
export async function findJourney(view: SessionView, wanted: string): Promise<EntryId> {
  const ids = (await view.journeys()).map(({ entry }) => entry.id);
  const start = wanted.trim().toLowerCase();
  const matches = start === "" ? [] : ids.filter((id) => id.startsWith(start));
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new WorldlineError("journey-named-unknown", { given: wanted });
  const some = matches.slice(0, MAX_NAMED);
  throw new WorldlineError("journey-named-ambiguous", { given: wanted, matches: matches.length, some });
}

/** The journey to undo; by default, the latest one, unless there is newer work after it. */
export interface RedoTarget {
  readonly journey: EntryId | undefined;
  /** The scope of the redo; undefined to use the scope of the journey that is undone. */
  readonly scope?: Scope | undefined;
}

/** A redo whose journey, scope and effect on the conversation are settled. */
export interface Redo extends SettledScope {
  readonly undone: JourneyEntry;
  /** The checkpoint that the undone journey led to; absent if it led to the beginning of the session. */
  readonly landed?: number | undefined;
  readonly effect: Effect;
  /** Work after the journey, which the redo leaves behind; absent if there is none. */
  readonly newer?: NewerWork;
}

interface NewerWork {
  /** The newest checkpoint on the branch that the redo leaves. */
  readonly checkpoint: number;
}

/**
 * Settles a redo before the session is held, and throws the errors that the redo itself would throw. If files are not
 * available, restores only the conversation. Throws instead if the redo restores only files or if the user requested
 * files.
 */
export async function settleRedo(
  view: SessionView,
  workspaceFiles: OpenedFiles,
  target: RedoTarget,
): Promise<Redo> {
  const redo = await findRedo(view, target);
  if (redo.scope === "conversation" || workspaceFiles.state === "on" || isTouchedOnly(workspaceFiles))
    return redo;
  if (redo.scope === "files" || target.scope !== undefined) requireFiles(workspaceFiles);
  return { ...redo, scope: "conversation", filesStay: workspaceFiles.error };
}

async function findRedo(view: SessionView, { journey: wanted, scope: given }: RedoTarget): Promise<Redo> {
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const request = {
    journeys,
    ...(wanted === undefined ? {} : { wanted }),
    ...(given === undefined ? {} : { scope: given }),
  };
  const [move] = planRedo(view.outline, request, {}).moves;
  if (move?.do === "append" && move.body.kind === "redo") {
    const { journey, scope } = move.body;
    const undone = journeys.find(({ id }) => id === journey);
    const place = view.outline.byId(move.parent);
    if (undone !== undefined && place !== undefined) {
      return {
        undone,
        landed: landedAt(view.outline, undone),
        scope,
        effect: effectOf(view.outline, place, scope),
        ...newerWork(view.outline, undone),
      };
    }
  }
  throw new WorldlineError("redo-leads-nowhere", {});
}

function newerWork(outline: Outline, undone: JourneyEntry): Pick<Redo, "newer"> {
  if (!hasWorkSince(outline, undone.seq)) return {};
  return { newer: { checkpoint: nearest(outline, outline.head, isCheckpoint)?.number ?? 0 } };
}

/** Where a redo takes place: the session, which is held or only read, and its workspace's files. */
export interface RedoPlace {
  readonly view: SessionView;
  readonly workspaceFiles: OpenedFiles;
  readonly held?: Session | undefined;
}

/** Previews the effect of a redo on the files. Returns undefined if the files are left as they are. */
export async function previewRedo(
  context: AppContext,
  { undone, scope }: Redo,
  { work, ...place }: RedoPlace & { readonly work: FilesWork },
): Promise<FilesLook | undefined> {
  if (scope === "conversation") return undefined;
  const preview = previewerOf(place, place.held);
  return lookAtFiles(context, work, (options) => preview({ ...options, journey: undone.id }));
}

interface RedoSessionRequest<Decided extends Decision> extends JourneyRequest {
  readonly target: RedoTarget;
  /**
   * Previews the redo and asks the user any necessary questions, as for a rewind. `redo`: the redo, settled again now
   * that the session is held.
   */
  readonly decide: (preview: PreviewJourney<RedoPreview>, redo: Redo) => Promise<Decided>;
}

interface RedoPreview {
  /** The effect on the files; absent if the files are left as they are. */
  readonly files?: FilesLook | undefined;
}

/** Performs the redo. The session is held from the preview onward, so that the redo does exactly what the user saw. */
export async function redoSession<Decided extends Decision>(
  context: AppContext,
  place: Pick<RedoPlace, "view" | "workspaceFiles">,
  { hold, target, work, decide }: RedoSessionRequest<Decided>,
): Promise<Decided & { readonly redo: Redo; readonly result: RedoResult }> {
  const { workspaceFiles } = place;
  return inJourneySession(context, { ...place, hold }, async (held, endLost) => {
    const redo = await settleRedo(held, workspaceFiles, target);
    const { undone, scope } = redo;
    await endLost(scope);
    const preview: PreviewJourney<RedoPreview> = async (choices) => {
      const place = { view: held, workspaceFiles, held, work: withChoices(work, choices) };
      return { files: await previewRedo(context, redo, place) };
    };
    const decided = await decide(preview, redo);
    const result = await work.withProgress(async (progress) =>
      held.redo({ ...progress, ...decided.chosen, wanted: undone.id, scope }),
    );
    return { ...decided, redo, result };
  });
}

/** A redo in any session, as the user requested it. */
export interface JourneyRedo extends FilesOptions {
  /** The id of the journey or a prefix of its id; undefined for the latest journey. */
  readonly journey: string | undefined;
  readonly scope: Scope | undefined;
}

/** The effect of a redo, with everything that users need to judge it. */
export interface DescribedRedo {
  readonly view: SessionView;
  readonly redo: Redo;
  /** The effect on the files; absent if the files are left as they are. */
  readonly files?: DescribedFiles | undefined;
}

/** Performs a redo in the session's own workspace, once the front end has decided. */
export async function makeRedo<Decided extends Decision>(
  context: AppContext,
  { name, decide, ...request }: JourneyRedo & JourneyDecider<DescribedRedo, Decided>,
): Promise<Decided & { readonly result: RedoResult }> {
  return inRequestedSession(
    context,
    request,
    async ({ workspaceContext, deps, view, workspaceFiles, target, work }) => {
      // Throws before the session is held, so that a refusal leaves no trace.
      await settleRedo(view, workspaceFiles, target);
      return redoSession(
        workspaceContext,
        { view, workspaceFiles },
        {
          hold: { deps: { ...deps, ...touchedIn(workspaceFiles) }, name },
          target,
          work,
          decide: async (preview, redo) =>
            decide(async (choices) => {
              const { files } = await preview(choices);
              return describeRedo(workspaceContext, withChoices(work, choices), { view, redo, files });
            }),
        },
      );
    },
  );
}

/**
 * Shows the effect of `makeRedo` without holding the session. Another program may therefore be working in the session.
 */
export async function previewJourneyRedo(context: AppContext, request: JourneyRedo): Promise<DescribedRedo> {
  return inRequestedSession(
    context,
    request,
    async ({ workspaceContext, deps, view, workspaceFiles, target, work }) => {
      const redo = await settleRedo(view, workspaceFiles, target);
      if (redo.scope !== "conversation") await reportRunning(workspaceContext, deps.store, view);
      const files = await previewRedo(workspaceContext, redo, { view, workspaceFiles, work });
      return describeRedo(workspaceContext, work, { view, redo, files });
    },
  );
}

interface RequestedSession {
  /** The context of the session's workspace. */
  readonly workspaceContext: AppContext;
  readonly deps: SessionContext;
  readonly view: SessionView;
  readonly workspaceFiles: OpenedFiles;
  readonly target: RedoTarget;
  readonly work: FilesWork;
}

async function inRequestedSession<Result>(
  context: AppContext,
  { journey, scope, ...options }: JourneyRedo,
  make: (place: RequestedSession) => Promise<Result>,
): Promise<Result> {
  const view = await requireSession(context, openStore(context));
  const { workspace, mode } = view.header;
  const workspaceContext = await contextOfSession(context, view.header);
  const deps = await openSessionDeps(workspaceContext);
  const target = { journey: journey === undefined ? undefined : await findJourney(view, journey), scope };
  return withFiles(workspaceContext, workspace, async (workspaceFiles) => {
    const work = filesWork(workspaceContext, { files: workspaceFiles.files, mode }, options);
    return make({ workspaceContext, deps, view, workspaceFiles, target, work });
  });
}

async function describeRedo(
  context: AppContext,
  work: FilesWork,
  { files, ...known }: Omit<DescribedRedo, "files"> & RedoPreview,
): Promise<DescribedRedo> {
  return files === undefined ? known : { ...known, files: await describeFiles(context, work, files) };
}

/** Lists all journeys in the session, newest first, and the place that undoing each one leads to. */
export async function listJourneys(
  context: AppContext,
): Promise<{ readonly view: SessionView; readonly journeys: readonly JourneyEnd[] }> {
  const view = await requireSession(context, openStore(context));
  return { view, journeys: await journeyEnds(view, (await view.journeys()).toReversed()) };
}

/**
 * Lists the journeys that can be undone, newest first. A journey that a fork copied from its source is left out,
 * because it has no branch to return to.
 */
export async function redoRows(view: SessionView): Promise<readonly RedoRow[]> {
  const open = (await view.journeys()).filter((each) => canBeUndone(view, each)).toReversed();
  const ends = await journeyEnds(view, open);
  return ends.map(({ entry, place, landed, isNext }) => ({
    journey: entry.id,
    kind: entry.kind,
    scope: redoScope(entry, undefined),
    place,
    ...(landed === undefined ? {} : { to: landed }),
    at: Date.parse(entry.at),
    order: isNext ? "next" : "by-name",
  }));
}

function canBeUndone({ outline }: SessionView, { entry, state }: JourneyState): boolean {
  if (state !== "open") return false;
  return redoScope(entry, undefined) === "files" || outline.byId(entry.from) !== undefined;
}

/**
 * Returns the possible scopes for undoing a journey, the default first. Files can be restored even after a journey that
 * moved only the conversation, because every journey captures the files that it leaves.
 */
export async function redoScopes(
  view: SessionView,
  workspaceFiles: OpenedFiles,
  journey: EntryId,
): Promise<ScopeOffer> {
  const { undone } = await findRedo(view, { journey });
  const own = redoScope(undone, undefined);
  if (own === "files") return { scopes: ["files"] };
  const without = await whyWithoutFiles(workspaceFiles, undone);
  return without === undefined
    ? { scopes: ["both", "conversation", "files"] }
    : { scopes: ["conversation"], without };
}

/** Returns the reason why the files that a journey left cannot be restored, or undefined if they can be. */
async function whyWithoutFiles(
  workspaceFiles: OpenedFiles,
  { id, left }: JourneyEntry,
): Promise<WorldlineError | undefined> {
  if (isTouchedOnly(workspaceFiles)) return undefined;
  if (workspaceFiles.state !== "on") return workspaceFiles.error;
  try {
    await requireLeft(workspaceFiles.files, { id, ...(left === undefined ? {} : { left }) });
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error;
    throw error;
  }
}
