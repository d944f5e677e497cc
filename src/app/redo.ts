import { requireLeft } from "../machine/files/look.ts";
import type { RedoResult } from "../machine/journeys/person-journeys.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { Scope } from "../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import { nearest, type Outline } from "../timeline/outline.ts";
import { isCheckpoint } from "../timeline/row.ts";
import { hasWorkSince, type JourneyEntry, type JourneyState, planRedo, redoScope } from "../travel/redo.ts";
import type { AppContext } from "./context.ts";
import { isTouchedOnly, type OpenedFiles, requireFiles } from "./files/files.ts";
import { type FilesLook, type FilesWork, lookAtFiles, previewerOf } from "./journeys/files-preview.ts";
import { journeyEnds } from "./journeys/journey-ends.ts";
import type { RedoRow, ScopeOffer } from "./journeys/journey-types.ts";
import type { SettledScope } from "./journeys/scope.ts";
import {
  type Decision,
  type Effect,
  effectOf,
  inJourneySession,
  type JourneyRequest,
  type PreviewJourney,
} from "./rewind.ts";

// A redo takes the same steps as a rewind (`rewind.ts`): find the journey (`findJourney`), settle what is restored
// (`settleRedo`), and perform it (`redoSession`), which lets the front end decide before anything changes. A front end
// that only shows the effect calls `previewRedo`.

const MAX_NAMED = 8;

/** Finds the journey that the user named by its id or the beginning of its id. */
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

/** The journey to undo; by default the latest, unless there is newer work after it. */
export interface RedoTarget {
  readonly journey: EntryId | undefined;
  /** If undefined, the scope of that journey. */
  readonly scope?: Scope | undefined;
}

/** A redo whose journey, scope and effect on the conversation are settled. */
export interface Redo extends SettledScope {
  readonly undone: JourneyEntry;
  readonly effect: Effect;
  /** Work after the journey, which the redo leaves behind; absent if there is none. */
  readonly newer?: NewerWork;
}

interface NewerWork {
  /** The newest checkpoint of the branch that the redo leaves. */
  readonly checkpoint: number;
}

/**
 * Settles a redo before the session is held, and throws the errors that the redo itself would throw. If files are not
 * available, they stay and only the conversation is restored, unless the redo is only about files or the user asked for
 * them.
 */
export async function settleRedo(view: SessionView, here: OpenedFiles, target: RedoTarget): Promise<Redo> {
  const redo = await findRedo(view, target);
  if (redo.scope === "conversation" || here.state === "on" || isTouchedOnly(here)) return redo;
  if (redo.scope === "files" || target.scope !== undefined) requireFiles(here);
  return { ...redo, scope: "conversation", filesStay: here.error };
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

/** Where a redo takes place: the session, held or only read, and the files of its workspace. */
export interface RedoPlace {
  readonly view: SessionView;
  readonly here: OpenedFiles;
  readonly held?: Session | undefined;
}

/** Previews the effect of a redo on the files; undefined if they stay. */
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
  /** The same as for a rewind. `redo`: the redo, settled again now that the session is held. */
  readonly decide: (preview: PreviewJourney<RedoPreview>, redo: Redo) => Promise<Decided>;
}

interface RedoPreview {
  /** Absent if the files stay. */
  readonly files?: FilesLook | undefined;
}

/** Performs the redo. The session is held from the preview on, so that the redo does exactly what the user has seen. */
export async function redoSession<Decided extends Decision>(
  context: AppContext,
  place: Pick<RedoPlace, "view" | "here">,
  { session, target, work, decide }: RedoSessionRequest<Decided>,
): Promise<Decided & { readonly redo: Redo; readonly result: RedoResult }> {
  const { here } = place;
  return inJourneySession(context, { ...place, session }, async (held, endLost) => {
    const redo = await settleRedo(held, here, target);
    const { undone, scope } = redo;
    await endLost(scope);
    const preview: PreviewJourney<RedoPreview> = async (choices) => {
      const wanted = choices === undefined ? work : { ...work, choices };
      return { files: await previewRedo(context, redo, { view: held, here, held, work: wanted }) };
    };
    const decided = await decide(preview, redo);
    const result = await work.withProgress(async (progress) =>
      held.redo({ ...progress, ...decided.chosen, wanted: undone.id, scope }),
    );
    return { ...decided, redo, result };
  });
}

/**
 * The journeys that can be undone, newest first. A journey that a fork copied from its source has no branch to return
 * to.
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
 * The scopes with which a journey can be undone, the default first. Files can be restored even after a journey that
 * only moved the conversation, because every journey captures the files that it leaves.
 */
export async function redoScopes(
  view: SessionView,
  here: OpenedFiles,
  journey: EntryId,
): Promise<ScopeOffer> {
  const { undone } = await findRedo(view, { journey });
  const own = redoScope(undone, undefined);
  if (own === "files") return { scopes: ["files"] };
  const without = await whyWithoutFiles(here, undone);
  return without === undefined
    ? { scopes: ["both", "conversation", "files"] }
    : { scopes: ["conversation"], without };
}

/** Why the files that a journey left cannot be restored; undefined if they can. */
async function whyWithoutFiles(
  here: OpenedFiles,
  { id, left }: JourneyEntry,
): Promise<WorldlineError | undefined> {
  if (isTouchedOnly(here)) return undefined;
  if (here.state !== "on") return here.error;
  try {
    await requireLeft(here.files, { id, ...(left === undefined ? {} : { left }) });
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error;
    throw error;
  }
}
