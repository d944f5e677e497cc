import type { BacktrackCard } from "../../../../ports/agent-events.ts";
import { oneLine } from "../../../../record/printable.ts";
import type { Strings } from "../../../../strings/strings.ts";

export type BacktrackDisplay = "card" | "line" | "off";

/** What the person sees of a backtrack, as `backtrack.display` says. */
export function cardLines(
  card: BacktrackCard,
  display: BacktrackDisplay,
  words: Strings["agent"],
): readonly string[] {
  if (display === "off") return [];
  const first = words.backtracked(card);
  if (display === "line") return [first];
  const { prompt, rationale = "", restored } = card;
  return [
    first,
    ...(prompt === undefined || prompt === "" ? [] : [words.backtrackedTo(oneLine(prompt))]),
    ...(rationale.trim() === "" ? [] : [words.backtrackedBecause(oneLine(rationale))]),
    ...card.note.split("\n").map((line) => `  | ${line}`),
    ...(restored === undefined ? [] : [words.backtrackRestored(restored)]),
  ];
}
