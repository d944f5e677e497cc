import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { isOnBranch, linesOfBranch } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import type { CheckpointRow, RowFiles } from "../journeys/journey-types.ts";
import { type ListedPlace, placeAfter, placeOf, placesIn, readTexts } from "./listed-places.ts";
import { SnapshotsTold, type SnapshotTold } from "./snapshots-told.ts";

/** What turns places of one session into rows. */
export interface RowSource {
  readonly view: SessionView;
  readonly place: CheckpointRow["place"];
  readonly files: Pick<WorkspaceFiles, "has"> | undefined;
  readonly title?: string;
}

/** What was read of the session that is held, so that opening the list again costs what is new. */
export class KnownRows {
  readonly texts = new Map<Seq, string>();
  readonly snapshots = new SnapshotsTold();
}

/** The checkpoints of a session, newest first. Those of others are shown without steps, unless somebody named one. */
export async function checkpointRows(
  source: RowSource,
  known = new KnownRows(),
): Promise<readonly CheckpointRow[]> {
  const { view } = source;
  const { outline } = view;
  const labels = await view.labels();
  const places = placesIn(outline, source.place === "here" ? "with-steps" : "without-steps");
  if (source.place === "elsewhere") {
    const named = [...labels.keys()].flatMap((id) => outline.byId(id) ?? []);
    places.push(...named.filter(({ kind }) => kind === "step").map((row) => placeOf(outline, row)));
  }
  const here = linesOfBranch(outline);
  const all = await described(source, places, { known, labels, branchOf: (row) => here.has(row.seq) });
  const rows = source.place === "here" ? all : all.filter(({ on }) => on !== "after");
  return rows.sort((a, b) => b.number - a.number);
}

/** One of them. */
export async function checkpointRow(source: RowSource, row: Row, known: KnownRows): Promise<CheckpointRow> {
  const { view } = source;
  const place = placeOf(view.outline, row);
  const labels = await view.labels(row.seq);
  const branchOf = (each: Row): boolean => isOnBranch(view.outline, each);
  const [only] = await described(source, [place], { known, labels, branchOf });
  return only as CheckpointRow;
}

interface Needs {
  readonly known: KnownRows;
  readonly labels: ReadonlyMap<EntryId, string>;
  readonly branchOf: (row: Row) => boolean;
}

async function described(
  source: RowSource,
  found: readonly ListedPlace[],
  { known, labels, branchOf }: Needs,
): Promise<CheckpointRow[]> {
  const { view, place, title } = source;
  const numbers = new Set<number>(found.map(({ row }) => row.number));
  const told = await known.snapshots.of(view, place === "here" ? undefined : numbers);
  const isAfter = ({ on, row }: ListedPlace): boolean =>
    on === "manual" && !labels.has(row.id) && isUnasked(view, told.get(row.number));
  const places = found.map((each) => (isAfter(each) ? placeAfter(view.outline, each) : each));
  await readTexts(view, places, known.texts);
  const rows: CheckpointRow[] = [];
  for (const { row, on, textLine } of places) {
    const label = labels.get(row.id);
    const text = (textLine && known.texts.get(textLine)) || undefined;
    rows.push({
      session: view.id,
      number: row.number,
      entry: row.id,
      place,
      at: row.at,
      on,
      branch: branchOf(row) ? "here" : "left",
      files: await filesOf(source, row, told.get(row.number)),
      ...(title === undefined ? {} : { sessionTitle: title }),
      ...(label === undefined ? {} : { label }),
      ...(text === undefined ? {} : { text }),
    });
  }
  return rows;
}

/** Who saves a checkpoint by hand has it said that others changed the files; an agent captures its own work. */
export function isUnasked({ header }: SessionView, told: SnapshotTold | undefined): boolean {
  return header.mode === "agent" && told?.author === "timeline";
}

async function filesOf(source: RowSource, row: Row, told: SnapshotTold | undefined): Promise<RowFiles> {
  if (told === undefined) return isBeingCaptured(source, row) ? "pending" : "none";
  if (told.snapshot === undefined || source.files === undefined) return told.state;
  return (await source.files.has(told.snapshot)) ? told.state : "let-go";
}

/** What a run before this one has not captured, nobody captures any more. */
function isBeingCaptured({ view, place, files }: RowSource, row: Row): boolean {
  const isNewest = row.number === view.outline.highestNumber;
  return place === "here" && files !== undefined && isNewest && row.at >= performance.timeOrigin;
}
