import { systemClock } from "../../../disk/system-clock.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Outline } from "../../../timeline/outline.ts";
import type { JourneyEntry, JourneyState } from "../../../travel/redo.ts";
import { oneLine } from "../../output/printable.ts";
import { type TextNeeds, undoneText } from "../../show/entry-text.ts";
import { table } from "../../show/table.ts";
import { relativeTime } from "../../show/time.ts";

/** `the rewind k3f9x2m7q1ab to #12`. */
export function journeyName(entry: JourneyEntry, needs: TextNeeds): string {
  const { journeys } = needs.strings;
  const to = entry.kind === "redo" ? undoneText(entry, needs) : journeys.to(entry.to);
  return journeys.described(journeys.kinds[entry.kind], entry.id, to);
}

export function journeyRows(states: readonly JourneyState[], outline: Outline, strings: Strings): string[] {
  const { journeys, time } = strings;
  const now = systemClock.now();
  return table(
    states.map(({ entry, state }) => [
      entry.id,
      relativeTime(Date.parse(entry.at), now, time),
      journeys.kinds[entry.kind],
      entry.kind === "redo" ? entry.journey : journeys.to(entry.to),
      fromText(entry, outline, strings),
      journeys.states[state],
      entry.kind === "backtrack" ? oneLine(entry.note) : "",
    ]),
  );
}

export function journeyDocument({ entry, state }: JourneyState, outline: Outline) {
  return { ...entry, state, fromLine: outline.byId(entry.from)?.seq ?? null };
}

/** A fork holds journeys whose left side stayed in the session that it came from. */
function fromText(entry: JourneyEntry, outline: Outline, { journeys }: Strings): string {
  const from = outline.byId(entry.from);
  return from === undefined ? journeys.fromElsewhere : journeys.fromLine(from.seq);
}
