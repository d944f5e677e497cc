import { error } from "../texts.ts";

export interface OfJourney {
  readonly journey: string;
}

/** The errors of going back, forward and of compacting. */
export const travel = {
  "checkpoint-unknown": error(
    "CHECKPOINT_UNKNOWN",
    /** `known`: ranges of numbers, such as "1-4, 7"; "" where there is none. */
    ({ wanted }: { readonly wanted: string; readonly known: string }) =>
      `There is no checkpoint ${wanted} in this session.`,
    ({ known }, { command }) =>
      known === ""
        ? `No checkpoints found. A session gets one with each prompt, or by: ${command("checkpoint <label>")}`
        : `Known checkpoints: ${known}`,
  ),
  "already-at-checkpoint": error(
    "REWIND_REFUSED",
    ({ checkpoint }: { readonly checkpoint: number }) =>
      `The conversation is at checkpoint ${checkpoint} already.`,
    (_, { command }) => `Choose an earlier one: ${command("checkpoints")}`,
  ),
  "log-without-lines": error(
    "STORE_UNREADABLE",
    () => "No line of this session's log can be read.",
    (_, { command }) => `See what is wrong: ${command("doctor")}`,
  ),
  "journey-unknown": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) => `There is no journey ${journey} in this session.`,
    (_, { command }) => `See all journeys: ${command("redo --list")}`,
  ),
  "journey-start-damaged": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) => `Journey ${journey} cannot be redone: the line that it left from is damaged.`,
    (_, { command }) => `Rewind to a checkpoint of the branch that it left: ${command("tree")}`,
  ),
  "journey-before-fork": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) =>
      `Journey ${journey} cannot be redone: it was made before this session was forked.`,
    () => "Redo it in the session that this one came from.",
  ),
  "journey-undone": error(
    "NOTHING_TO_REDO",
    ({ journey }: OfJourney) => `Journey ${journey} was undone already.`,
    (_, { command }) => `To take that back, redo the redo: ${command("redo --list")}`,
  ),
  "journey-of-files": error(
    "NOTHING_TO_REDO",
    ({ journey }: OfJourney) => `Journey ${journey} took files along and nothing else.`,
    () => "Redo it with its files.",
  ),
  "nothing-to-redo": error(
    "NOTHING_TO_REDO",
    /** "some": a branch was left earlier, but there is newer work since. */
    (_: { readonly left: "some" | "none" }) => "Nothing to redo.",
    ({ left }, { command }) =>
      left === "some"
        ? `To return to a branch that was left earlier: ${command("redo --list")}`
        : `See all journeys: ${command("redo --list")}`,
  ),
  "nothing-to-compact": error(
    "NOTHING_TO_COMPACT",
    (_: { readonly kept: number }) => "Nothing to compact.",
    ({ kept }) =>
      kept === 1
        ? "The last exchange always stays as it is."
        : `The last ${kept} exchanges always stay as they are.`,
  ),
};
