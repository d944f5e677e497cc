import type { SessionView } from "../../machine/view.ts";
import type { Seq } from "../../record/ids.ts";
import { nearest, type Outline } from "../../timeline/outline.ts";
import { isCheckpoint, type Row } from "../../timeline/row.ts";
import { type JourneyEntry, type JourneyState, redoableJourney } from "../../travel/redo.ts";
import {
  type ListedPlace,
  type NamedPlace,
  placeAfter,
  placeOf,
  readTexts,
} from "../checkpoints/checkpoint-rows.ts";

/** The place that a journey led to, and the place that undoing it leads to. */
export interface JourneyEnd extends JourneyState {
  /** The newest checkpoint on the branch that the journey left; absent if that branch is in another session. */
  readonly place?: NamedPlace;
  readonly checkpoint?: number;
  /** The checkpoint that the journey led to. */
  readonly landed?: number;
  /** Whether `redo` without an argument undoes this journey. */
  readonly isNext: boolean;
}

export async function journeyEnds(
  view: SessionView,
  states: readonly JourneyState[],
): Promise<readonly JourneyEnd[]> {
  const { outline } = view;
  const next = redoableJourney(
    outline,
    (await view.journeys()).map(({ entry }) => entry),
  );
  const labels = await view.labels();
  const rows = states.map(({ entry }) => leftFrom(outline, entry));
  const places = rows.map((row) => (row === undefined ? undefined : knownBy(outline, row)));
  const texts = new Map<Seq, string>();
  await readTexts(
    view,
    places.filter((place) => place !== undefined),
    texts,
  );
  return states.map((state, index) => {
    const row = rows[index];
    const line = places[index]?.textLine;
    const prompt = line === undefined ? undefined : texts.get(line);
    const landed = landedAt(outline, state.entry);
    const known =
      row === undefined
        ? {}
        : {
            checkpoint: row.number,
            place: { number: row.number, at: row.at, text: prompt, label: labels.get(row.id) },
          };
    const isNext = state.entry.id === next?.id;
    return { ...state, ...known, ...(landed === undefined ? {} : { landed }), isNext };
  });
}

/** Returns what a branch is named after: its last prompt or command, even if a checkpoint was made after that. */
function knownBy(outline: Outline, row: Row): ListedPlace {
  const place = placeOf(outline, row);
  return place.on === "manual" ? placeAfter(outline, place) : place;
}

/** Returns the newest checkpoint on the branch that a journey left. */
function leftFrom(outline: Outline, { from }: JourneyEntry): Row | undefined {
  return nearest(outline, outline.byId(from), isCheckpoint);
}

/** Returns the checkpoint that a journey led to, or undefined if a redo led to the beginning of the session. */
export function landedAt(outline: Outline, entry: JourneyEntry): number | undefined {
  if (entry.kind !== "redo") return entry.to;
  const landing = outline.at(outline.byId(entry.id)?.parent ?? 0);
  return nearest(outline, landing, isCheckpoint)?.number;
}
