import type { JourneyEnd } from "../../../app/checkpoints/journey-ends.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { oneLine } from "../../../record/printable.ts";
import { placeText } from "../../../show/app-words.ts";
import { type TextNeeds, undoneText } from "../../../show/entry-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Outline } from "../../../timeline/outline.ts";
import type { JourneyEntry } from "../../../travel/redo.ts";

/** `the rewind k3f9x2m7q1ab to #12`. */
export function journeyName(entry: JourneyEntry, needs: TextNeeds): string {
  const { journeys } = needs.strings;
  const to = entry.kind === "redo" ? undoneText(entry, needs) : journeys.to(entry.to);
  return journeys.described(journeys.kinds[entry.kind], entry.id, to);
}

/** Where each journey leads back to: `k3f9…  #17 add the export  left 9 s ago by a redo to #8`. */
export function journeyRows(ends: readonly JourneyEnd[], strings: Strings): string[] {
  const { journeys, time } = strings;
  const now = systemClock.now();
  return table(
    ends.map(({ entry, state, place, landed, isNext }) => [
      entry.id,
      place === undefined ? journeys.fromElsewhere : oneLine(placeText(place, strings)),
      journeys.leftBy(relativeTime(Date.parse(entry.at), now, time), journeys.kinds[entry.kind], landed),
      isNext ? journeys.states.next : journeys.states[state],
      entry.kind === "backtrack" ? oneLine(entry.note) : "",
    ]),
  );
}

export function journeyDocument(
  { entry, state, checkpoint, place, landed, isNext }: JourneyEnd,
  { outline, strings }: { readonly outline: Outline; readonly strings: Strings },
) {
  return {
    ...entry,
    state,
    next: isNext,
    fromLine: outline.byId(entry.from)?.seq ?? null,
    returnsTo:
      checkpoint === undefined || place === undefined
        ? null
        : { checkpoint, text: placeText(place, strings) },
    landed: landed ?? null,
  };
}
