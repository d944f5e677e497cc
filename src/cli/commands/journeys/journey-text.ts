import type { JourneyEnd } from "../../../app/journeys/journey-ends.ts";
import type { Effect } from "../../../app/rewind.ts";
import { isOfPerson } from "../../../app/sessions/find-session.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { SessionBody } from "../../../record/entry.ts";
import type { EntryId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { type TextNeeds, undoneText } from "../../../show/entry-text.ts";
import { placeText } from "../../../show/journey-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Outline } from "../../../timeline/outline.ts";
import type { JourneyEntry } from "../../../travel/redo.ts";
import { commandAgain } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

/** Returns the name of a journey, such as `the rewind k3f9x2m7q1ab to #12`. */
export function journeyName(entry: JourneyEntry, needs: TextNeeds): string {
  const { journeys } = needs.strings;
  const to = entry.kind === "redo" ? undoneText(entry, needs) : journeys.to(entry.to);
  return journeys.described(journeys.kinds[entry.kind], entry.id, to);
}

/**
 * Returns one row for each journey, with the place that undoing it leads to, such as `k3f9… #17 add the export left 9 s
 * ago by a redo to #8`.
 */
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

/** Describes the effect on the conversation. A program has no context whose size could change. */
export function effectText(
  effect: Effect,
  { journeys, executions }: Strings,
  mode: SessionBody["mode"],
): string[] {
  return [
    ...(effect.left === 0 ? [] : [journeys.left(effect.left)]),
    ...(effect.back === 0
      ? []
      : [mode === "execution" ? executions.back(effect.back) : journeys.back(effect.back)]),
    ...(mode === "execution" ? [] : [journeys.context(effect.tokensBefore, effect.tokensAfter)]),
  ];
}

/**
 * Returns the command that undoes a journey in this session when the command is run in the user's current folder. After
 * the journey, the session is the most recently used one in its workspace, so commands use it by default. The command
 * therefore names the session only if the user named it, or if commands do not choose a session of this kind on their
 * own.
 */
export async function redoCommand(
  standing: Frame,
  { id, header }: Pick<SessionView, "id" | "header">,
  journey?: EntryId,
): Promise<string> {
  const isFound =
    standing.common.session === undefined &&
    isOfPerson(header) &&
    header.workspace === (await standing.workspace());
  return commandAgain(standing.common, {
    do: "redo",
    ...(journey === undefined ? {} : { journey }),
    ...(isFound ? {} : { session: id }),
  });
}
