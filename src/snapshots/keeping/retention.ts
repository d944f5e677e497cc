import { byAge, bySession, type Ref } from "./ref.ts";

export interface Retention {
  /** How many of a session's prompt checkpoints are kept, the newest ones. */
  readonly keepCount: number;
  /** How many of a session's journeys keep what they left and what they led to. */
  readonly keepJourneys: number;
}

/**
 * What may be let go when room gets short, oldest first. Kept are the newest prompt checkpoints of each session, every
 * label, both ends of the last journeys, and the newest of each session whatever it is. In a session without prompts
 * the person's own checkpoints stand in their place.
 */
export function chooseToRelease(refs: readonly Ref[], retention: Retention): Ref[] {
  return [...bySession(refs).values()].flatMap((own) => releasable(own, retention)).sort(byAge);
}

function releasable(refs: readonly Ref[], { keepCount, keepJourneys }: Retention): Ref[] {
  const newestFirst = refs.toSorted(byAge).reverse();
  const counted = newestFirst.some((ref) => isOn(ref, "prompt")) ? "prompt" : "manual";
  const checkpoints = newestFirst.flatMap(({ keptFor }) => ("checkpoint" in keptFor ? [keptFor] : []));
  const numbers = new Set(checkpoints.filter(({ on }) => on === counted).map(({ checkpoint }) => checkpoint));
  const keptNumbers = new Set([...numbers].slice(0, keepCount));
  const kept = new Set<Ref>([
    ...newestFirst.slice(0, 1),
    ...newestFirst.filter((ref) => isJourney(ref, "left")).slice(0, keepJourneys),
    ...newestFirst.filter((ref) => isJourney(ref, "reached")).slice(0, keepJourneys),
    ...newestFirst.filter(({ keptFor }) => "checkpoint" in keptFor && keptNumbers.has(keptFor.checkpoint)),
    ...newestFirst.filter(({ keptFor }) => "checkpoint" in keptFor && keptFor.label !== undefined),
  ]);
  return refs.filter((ref) => !kept.has(ref));
}

function isOn({ keptFor }: Ref, on: "prompt" | "manual"): boolean {
  return "checkpoint" in keptFor && keptFor.on === on;
}

function isJourney({ keptFor }: Ref, end: "left" | "reached"): boolean {
  return "journey" in keptFor && keptFor.journey === end;
}
