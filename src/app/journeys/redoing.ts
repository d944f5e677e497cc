import { requireLeft } from "../../machine/files/look.ts";
import type { FilesPreview, FilesWish } from "../../machine/files/requests.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Scope } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import { oneLine } from "../../record/visible-text.ts";
import { type JourneyEntry, type JourneyState, redoScope } from "../../travel/redo.ts";
import { journeyEnds, landedAt } from "../checkpoints/journey-ends.ts";
import type { SessionAccess } from "../current/session-access.ts";
import { type FilesHere, isTouchedOnly, requireFiles } from "../files/files.ts";
import type { AppWords } from "../words.ts";
import { filesMade, filesPreviewed } from "./files-told.ts";
import { findJourney } from "./find-journey.ts";
import type {
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RedoRequest,
  RedoRow,
  ScopeOffer,
} from "./journey-types.ts";
import { patienceOf } from "./patience.ts";
import { isTalk, previewRedo, type RedoPreview } from "./redo-preview.ts";
import { chosenPaths, tokensLeft } from "./rewinding.ts";

/** The journeys that can be undone, newest first. One that a fork copied has nowhere to go back to. */
export async function redoRows(view: SessionView, words: AppWords): Promise<readonly RedoRow[]> {
  const open = (await view.journeys()).filter((each) => canBeUndone(view, each)).toReversed();
  const ends = await journeyEnds(view, open);
  return ends.map(({ entry, place, landed, isNext }) => ({
    journey: entry.id,
    kind: entry.kind,
    scope: redoScope(entry, undefined),
    place: oneLine(words.place(place)),
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
async function whyWithoutFiles(here: FilesHere, { id, left }: JourneyEntry): Promise<string | undefined> {
  if (isTouchedOnly(here)) return undefined;
  if (here.state !== "on") return here.why;
  try {
    await requireLeft(here.files, { id, ...(left === undefined ? {} : { left }) });
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error.message;
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
  const look = async (chosen: FilesWish): Promise<FilesPreview> =>
    session.previewFiles({ ...chosen, journey: undone.id, ...patienceOf(progress) });
  const landed = landedAt(session.outline, undone);
  const isOfFiles = scope !== "conversation";
  const chosen = isOfFiles ? await chosenPaths(wish, async () => look({})) : {};
  const files = isOfFiles ? await filesPreviewed(parts.here(), await look(chosen), here.files) : undefined;
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
    ...(scope === "conversation" ? {} : { files: filesMade(files, parts.here().words) }),
    differ: files.differ.length,
  };
}

interface KnownRedo extends RedoPreview {
  readonly scope: Scope;
  readonly filesStay?: string;
}

/** Throws as the redo itself would. Files that cannot be had stay, where the conversation can go without them. */
async function knownRedo(parts: SessionAccess, { journey, scope }: RedoRequest): Promise<KnownRedo> {
  const { session, here } = parts.here().opened;
  const wanted = journey === undefined ? undefined : await findJourney(session, journey);
  const preview = await previewRedo(session, { wanted, scope });
  if (preview.scope === "files" && !isTouchedOnly(here)) requireFiles(here);
  if (preview.scope === "conversation" || !isTalk(here, preview)) return preview;
  return { ...preview, scope: "conversation", ...(here.state === "on" ? {} : { filesStay: here.why }) };
}

/** Where the journey had left from, which is where its redo leads to; of files alone, the place that they were at. */
async function placeOf(parts: SessionAccess, undone: JourneyEntry): Promise<string> {
  const { opened, words } = parts.here();
  const [end] = await journeyEnds(opened.session, [{ entry: undone, state: "open" }]);
  return words.place(end?.place);
}
