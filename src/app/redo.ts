import { requireLeft } from "../machine/files/look.ts";
import type { FileChoices, FilesPreview } from "../machine/files/requests.ts";
import type { SessionView } from "../machine/view.ts";
import type { Scope } from "../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import { nearest, type Outline } from "../timeline/outline.ts";
import { isCheckpoint } from "../timeline/row.ts";
import { hasWorkSince, type JourneyEntry, type JourneyState, planRedo, redoScope } from "../travel/redo.ts";
import type { NamedPlace } from "./checkpoints/checkpoint-rows.ts";
import type { SessionAccess } from "./current/current-session.ts";
import { type FilesHere, isTouchedOnly, requireFiles } from "./files/files.ts";
import { filesMade, filesPreviewed } from "./journeys/files-preview.ts";
import { journeyEnds, landedAt } from "./journeys/journey-ends.ts";
import type {
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RedoRequest,
  RedoRow,
  ScopeOffer,
} from "./journeys/journey-types.ts";
import { chosenPaths, type Effect, effectOf, noEffect, patienceOf, tokensLeft } from "./rewind.ts";

/** The journeys that can be undone, newest first. One that a fork copied has nowhere to go back to. */
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

/** What undoing a journey can bring back. What it left is captured with it, also where it moved the conversation alone. */
export async function redoScopes(parts: SessionAccess, journey: EntryId): Promise<ScopeOffer> {
  const { session, here } = parts.here().opened;
  const { undone } = await previewRedo(session, { wanted: journey });
  const own = redoScope(undone, undefined);
  if (own === "files") return { scopes: ["files"] };
  const without = await whyWithoutFiles(here, undone);
  return without === undefined
    ? { scopes: ["both", "conversation", "files"] }
    : { scopes: ["conversation"], without };
}

/** Why the files that a journey left cannot be had. */
async function whyWithoutFiles(
  here: FilesHere,
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

/** What a redo would do. */
export async function foreseeRedo(
  parts: SessionAccess,
  wish: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const { session, here } = parts.here().opened;
  const known = await knownRedo(parts, wish);
  const { undone, effect, scope, filesStay, newer } = known;
  const look = async (chosen: FileChoices): Promise<FilesPreview> =>
    session.previewFiles({ ...chosen, journey: undone.id, ...patienceOf(progress) });
  const landed = landedAt(session.outline, undone);
  const isOfFiles = scope !== "conversation";
  const chosen = isOfFiles ? await chosenPaths(wish, async () => look({})) : {};
  const files = isOfFiles
    ? await filesPreviewed(parts.here().context, await look(chosen), here.files)
    : undefined;
  return {
    scope,
    place: await placeOf(parts, undone),
    entries: effect.left,
    ...tokensLeft(effect),
    ...(newer === undefined
      ? {}
      : {
          newer: {
            kind: undone.kind,
            ...(landed === undefined ? {} : { to: landed }),
            leaves: newer.checkpoint,
          },
        }),
    ...(files === undefined ? {} : { files }),
    ...(filesStay === undefined ? {} : { filesStay }),
  };
}

export async function makeRedo(
  parts: SessionAccess,
  wish: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const { session } = parts.here().opened;
  const { undone, scope } = await knownRedo(parts, wish);
  const place = await placeOf(parts, undone);
  const patience = patienceOf(progress);
  const chosen =
    scope === "conversation"
      ? {}
      : await chosenPaths(wish, async () => session.previewFiles({ ...patience, journey: undone.id }));
  const { journey, files } = await session.redo({ ...patience, ...chosen, wanted: undone.id, scope });
  return {
    journey,
    scope,
    place,
    ...(scope === "conversation" ? {} : { files: filesMade(files) }),
    differ: files.differ.length,
  };
}

interface KnownRedo extends RedoPreview {
  readonly scope: Scope;
  readonly filesStay?: WorldlineError;
}

/** Throws as the redo itself would. Files that cannot be had stay, where the conversation can go without them. */
async function knownRedo(parts: SessionAccess, { journey, scope }: RedoRequest): Promise<KnownRedo> {
  const { session, here } = parts.here().opened;
  const wanted = journey === undefined ? undefined : await findJourney(session, journey);
  const preview = await previewRedo(session, { wanted, scope });
  if (preview.scope === "files" && !isTouchedOnly(here)) requireFiles(here);
  if (preview.scope === "conversation" || !isTalk(here, preview)) return preview;
  return { ...preview, scope: "conversation", ...(here.state === "on" ? {} : { filesStay: here.error }) };
}

/** Where the journey had left from, which is where its redo leads to; of files alone, the place that they were at. */
async function placeOf(parts: SessionAccess, undone: JourneyEntry): Promise<NamedPlace | undefined> {
  const { opened } = parts.here();
  const [end] = await journeyEnds(opened.session, [{ entry: undone, state: "open" }]);
  return end?.place;
}

/** What a redo does, worked out before it is made. */
export interface RedoPreview {
  readonly undone: JourneyEntry;
  /** That of the journey, unless another one is wanted. */
  readonly scope: Scope;
  readonly effect: Effect;
  /** What happened after the journey, and is left by this; absent where nothing did. */
  readonly newer?: NewerWork;
}

interface NewerWork {
  /** The newest checkpoint of the branch that is left. */
  readonly checkpoint: number;
}

export interface RedoAim {
  readonly wanted: EntryId | undefined;
  readonly scope?: Scope | undefined;
}

/** Throws as the redo itself would, so that a refusal comes before anything is held. */
export async function previewRedo(
  view: SessionView,
  { wanted, scope: given }: RedoAim,
): Promise<RedoPreview> {
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const request = {
    journeys,
    ...(wanted === undefined ? {} : { wanted }),
    ...(given === undefined ? {} : { scope: given }),
  };
  const plan = planRedo(view.outline, request, {});
  const [move] = plan.moves;
  if (move?.do === "append" && move.body.kind === "redo") {
    const { journey, scope } = move.body;
    const undone = journeys.find(({ id }) => id === journey);
    const place = view.outline.byId(move.parent);
    if (undone !== undefined && place !== undefined) {
      const effect = scope === "files" ? noEffect(view.outline) : effectOf(view.outline, place);
      return { undone, scope, effect, ...newerWork(view.outline, undone) };
    }
  }
  throw new WorldlineError("redo-leads-nowhere", {});
}

function newerWork(outline: Outline, undone: JourneyEntry): Pick<RedoPreview, "newer"> {
  if (!hasWorkSince(outline, undone.seq)) return {};
  return { newer: { checkpoint: nearest(outline, outline.head, isCheckpoint)?.number ?? 0 } };
}

/** Whether the conversation goes forward alone: because the journey took nothing else, or the files cannot be had. */
export function isTalk(here: FilesHere, { scope }: Pick<RedoPreview, "scope">): boolean {
  return scope === "conversation" || (here.state !== "on" && !isTouchedOnly(here));
}

const MOST_NAMED = 8;

/** The journey that a person means by its id or the beginning of it. */
export async function findJourney(view: SessionView, wanted: string): Promise<EntryId> {
  const ids = (await view.journeys()).map(({ entry }) => entry.id);
  const start = wanted.trim().toLowerCase();
  const matches = start === "" ? [] : ids.filter((id) => id.startsWith(start));
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new WorldlineError("journey-named-unknown", { given: wanted });
  const some = matches.slice(0, MOST_NAMED);
  throw new WorldlineError("journey-named-ambiguous", { given: wanted, matches: matches.length, some });
}
