import type { FilesPreview, FilesWish } from "../../../machine/files/requests.ts";
import type { SessionView } from "../../../machine/view.ts";
import type {
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RedoRequest,
  RedoRow,
} from "../../../ports/station/journeys.ts";
import type { Scope } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { nearest } from "../../../timeline/branch.ts";
import { findCheckpoint } from "../../../timeline/checkpoints.ts";
import { isCheckpoint } from "../../../timeline/row.ts";
import { type JourneyEntry, type JourneyState, redoScope } from "../../../travel/redo.ts";
import { findJourney } from "../../commands/journeys/find-journey.ts";
import { isTalk, previewRedo, type RedoPreview } from "../../commands/journeys/redo-preview.ts";
import { oneLine } from "../../output/printable.ts";
import { isTouchedOnly, requireFiles } from "../../timeline/files/files.ts";
import type { StationParts } from "../station-parts.ts";
import { filesMade, filesPreviewed } from "./files-told.ts";
import { placeOf as listedPlace, readTexts } from "./listing/listed-places.ts";
import { placeText } from "./listing/place-text.ts";
import { plainNote } from "./listing/plain-note.ts";
import { patienceOf } from "./patience.ts";
import { chosenPaths, tokensLeft } from "./rewinding.ts";

const LONGEST = 200;

/** The journeys that can be undone, newest first. One that a fork copied has nowhere to go back to. */
export async function redoRows(view: SessionView): Promise<readonly RedoRow[]> {
  const states = await view.journeys();
  const open = states.filter((each) => canBeUndone(view, each)).toReversed();
  const rows: RedoRow[] = [];
  for (const { entry } of open) rows.push(await redoRow(view, entry, states));
  return rows;
}

export function canBeUndone({ outline }: SessionView, { entry, state }: JourneyState): boolean {
  if (state !== "open") return false;
  return redoScope(entry, undefined) === "files" || outline.byId(entry.from) !== undefined;
}

async function redoRow(
  view: SessionView,
  entry: JourneyEntry,
  states: readonly JourneyState[],
): Promise<RedoRow> {
  const to = checkpointOf(entry, states);
  return {
    journey: entry.id,
    kind: entry.kind,
    scope: redoScope(entry, undefined),
    ...(to === undefined ? {} : { to }),
    at: Date.parse(entry.at),
    text: await textOf(view, entry, to),
  };
}

/** Where a journey went; a redo went back from where the one that it undid had gone. */
function checkpointOf(entry: JourneyEntry, states: readonly JourneyState[]): number | undefined {
  let at: JourneyEntry | undefined = entry;
  while (at?.kind === "redo") {
    const { journey }: { readonly journey: string } = at;
    at = states.find((each) => each.entry.id === journey)?.entry;
  }
  return at?.to;
}

async function textOf(view: SessionView, entry: JourneyEntry, to: number | undefined): Promise<string> {
  if (entry.kind === "backtrack") return cut(oneLine(plainNote(entry.note)));
  const row = to === undefined ? undefined : findCheckpoint(view.outline, to);
  if (row === undefined) return "";
  const place = listedPlace(view.outline, row);
  const texts = new Map<Seq, string>();
  await readTexts(view, [place], texts);
  return oneLine((place.textLine && texts.get(place.textLine)) ?? "");
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST).join("")}…`;
}

/** What a redo would do. */
export async function foreseeRedo(
  parts: StationParts,
  wish: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const { session, here } = parts.here().opened;
  const known = await knownRedo(parts, wish);
  const { undone, effect, scope, filesStay } = known;
  const look = async (chosen: FilesWish): Promise<FilesPreview> =>
    session.previewFiles({ ...chosen, journey: undone.id, ...patienceOf(progress) });
  const isOfFiles = scope !== "conversation";
  const chosen = isOfFiles ? await chosenPaths(wish, async () => look({})) : {};
  const files = isOfFiles
    ? await filesPreviewed(parts.here().frame, await look(chosen), here.files)
    : undefined;
  return {
    scope,
    place: await placeOf(parts, undone),
    entries: effect.left,
    ...tokensLeft(effect),
    ...(files === undefined ? {} : { files }),
    ...(filesStay === undefined ? {} : { filesStay }),
  };
}

export async function makeRedo(
  parts: StationParts,
  wish: RedoRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const { session } = parts.here().opened;
  const { undone, scope } = await knownRedo(parts, wish);
  const place = await placeOf(parts, undone);
  const patience = patienceOf(progress);
  const limits =
    scope === "conversation"
      ? ({ scope } as const)
      : await chosenPaths(wish, async () => session.previewFiles({ ...patience, journey: undone.id }));
  const { journey, files } = await session.redo({ ...patience, ...limits, wanted: undone.id });
  return {
    journey,
    scope,
    place,
    ...(scope === "conversation" ? {} : { files: filesMade(files, parts.here().frame.strings) }),
    differ: files.differ.length,
  };
}

interface KnownRedo extends RedoPreview {
  readonly scope: Scope;
  readonly filesStay?: string;
}

/** Throws as the redo itself would. Files that cannot be had stay, where the conversation can go without them. */
async function knownRedo(parts: StationParts, { journey }: RedoRequest): Promise<KnownRedo> {
  const { session, here } = parts.here().opened;
  const wanted = journey === undefined ? undefined : await findJourney(session, journey);
  const preview = await previewRedo(session, wanted);
  if (preview.scope === "files" && !isTouchedOnly(here)) requireFiles(here);
  if (preview.scope === "conversation" || !isTalk(here, preview)) return preview;
  return { ...preview, scope: "conversation", ...(here.state === "on" ? {} : { filesStay: here.why }) };
}

/** Where the journey had left from, which is where its redo leads to; of files alone, the place that they were at. */
async function placeOf(parts: StationParts, undone: JourneyEntry): Promise<string> {
  const { session } = parts.here().opened;
  const { outline } = session;
  const from = outline.byId(undone.from) ?? outline.byId(undone.id);
  const place = nearest(outline, from, isCheckpoint);
  if (place !== undefined) return placeText(parts, session, place);
  return parts.here().frame.strings.terminal.dialogs.tree.beginning;
}
