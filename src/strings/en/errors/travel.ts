import type { CommandText } from "../../commands.ts";
import { error, type Problem } from "../../errors/texts.ts";

export interface OfJourney {
  readonly journey: string;
}

/** Errors from rewinding, redoing, and compacting. */
export const travel = {
  "checkpoint-unknown": error(
    "CHECKPOINT_UNKNOWN",
    /** `known`: ranges of numbers, such as "1-4, 7"; "" if there are none. */
    ({ wanted }: { readonly wanted: string; readonly known: string }) =>
      `There is no checkpoint ${wanted} in this session.`,
    ({ known }, { command }) =>
      known === ""
        ? `No checkpoints found. Each prompt creates a checkpoint. To create one yourself, use ${command({ do: "checkpoint", label: { any: "label" } })}`
        : `Known checkpoints: ${known}`,
  ),
  "already-at-checkpoint": error(
    "REWIND_REFUSED",
    ({ checkpoint }: { readonly checkpoint: number }) =>
      `The conversation is already at checkpoint ${checkpoint}.`,
    (_, { command }) => `Choose an earlier checkpoint: ${command({ do: "checkpoints" })}`,
  ),
  "log-without-lines": error(
    "STORE_UNREADABLE",
    () => "This session's log has no readable lines.",
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  "journey-unknown": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) => `There is no journey ${journey} in this session.`,
    (_, { command }) => `See all journeys: ${command({ do: "redo --list" })}`,
  ),
  "journey-start-damaged": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) =>
      `Journey ${journey} cannot be redone: the line that it started from is damaged.`,
    (_, { command }) =>
      `Rewind to a checkpoint on the branch that the journey left: ${command({ do: "tree" })}`,
  ),
  "journey-before-fork": error(
    "JOURNEY_UNKNOWN",
    ({ journey }: OfJourney) =>
      `Journey ${journey} cannot be redone: it was made before this session was forked.`,
    () => "Redo it in the session that this one was forked from.",
  ),
  "journey-undone": error(
    "NOTHING_TO_REDO",
    ({ journey }: OfJourney) => `Journey ${journey} was already undone.`,
    (_, { command }) => `To undo that redo, choose it from the list: ${command({ do: "redo --list" })}`,
  ),
  "journey-of-files": error(
    "NOTHING_TO_REDO",
    ({ journey }: OfJourney) => `Journey ${journey} changed only files.`,
    () => "Redo it with its files.",
  ),
  "nothing-to-redo": error(
    "NOTHING_TO_REDO",
    /** "some": the user left a branch earlier, but newer work has been done since then. */
    (_: { readonly left: "some" | "none" }) => "Nothing to redo.",
    ({ left }, { command }) =>
      left === "some"
        ? `To return to a branch that you left earlier, use ${command({ do: "redo --list" })}`
        : `See all journeys: ${command({ do: "redo --list" })}`,
  ),
  "nothing-to-compact": error(
    "NOTHING_TO_COMPACT",
    (_: { readonly kept: number }) => "Nothing to compact.",
    ({ kept }) =>
      kept === 1 ? "The last exchange is always kept." : `The last ${kept} exchanges are always kept.`,
  ),
};

export interface Session {
  readonly session: string;
}

const seeJourneys = (command: CommandText) => `See all journeys: ${command({ do: "redo --list" })}`;
const leaveOneOut = () => "Leave out one of the two options.";

/** Errors from the user's own rewinds, redos, and forks. */
export const traveling = {
  "rewind-files-unusable": error(
    "REWIND_REFUSED",
    ({ problem }: FilesUnusable, { message }) => message(problem),
    ({ session, checkpoint, mode }, { command, place }) => {
      const another =
        mode === "workspace" ? `Choose another checkpoint: ${command({ do: "checkpoints" })}. ` : "";
      const what = mode === "execution" ? "its steps" : "the conversation";
      const alone =
        place === "screen"
          ? `${command({ do: "rewind", to: { checkpoint } })} and choose the conversation`
          : command({ do: "rewind", to: { session, checkpoint }, scope: "conversation" });
      return `Nothing was changed. ${another}To rewind only ${what}, use ${alone}`;
    },
  ),
  "only-of-conversation": error(
    "INPUT_INVALID",
    () => "--only selects files, but --scope conversation leaves all files unchanged.",
    leaveOneOut,
  ),
  "journey-named-unknown": error(
    "JOURNEY_UNKNOWN",
    ({ given }: { readonly given: string }) => `There is no journey "${given}" in this session.`,
    (_, { command }) => seeJourneys(command),
  ),
  "journey-named-ambiguous": error(
    "JOURNEY_UNKNOWN",
    ({
      given,
      matches,
    }: {
      readonly given: string;
      readonly matches: number;
      readonly some: readonly string[];
    }) => `"${given}" matches ${matches} journeys.`,
    ({ some }) => `Use a longer id: ${some.join(", ")}`,
  ),
  "redo-leads-nowhere": error(
    "JOURNEY_UNKNOWN",
    () => "The point that this redo would return to is not in the session.",
    (_, { command }) => seeJourneys(command),
  ),
  "list-takes-no-journey": error(
    "USAGE",
    () => "--list shows all journeys and does not take an id.",
    () => "Leave out --list to redo the journey that you named.",
  ),
  "choice-beyond-host": error(
    "USAGE",
    ({ flag, rewinder }: { readonly flag: string; readonly rewinder: string }) =>
      `${flag} cannot be used when snapshots.engine is sdk: the ${rewinder} restores either all the files that it tracks or none.`,
    ({ flag }, { command }) =>
      `Nothing was changed. Leave out ${flag}, or use Worldline's own snapshots: ${command({ do: "config set", key: "snapshots.engine", value: "worldline" })}`,
  ),
  "execution-there-already": error(
    "REWIND_REFUSED",
    (_: Session) => "The execution is already at this step.",
    ({ session }, { command }) =>
      `Choose an earlier step: ${command({ do: "executions show", execution: session })}`,
  ),
  "here-keeps-files": error(
    "USAGE",
    () => "--here leaves the files in this folder unchanged.",
    () => "Leave out --here, or --into and --files.",
  ),
  "into-keeps-workspace": error(
    "USAGE",
    () => "--into leaves the workspace unchanged, but --files restore changes it.",
    leaveOneOut,
  ),
  "which-checkpoints-files": error(
    "USAGE",
    () => "Which checkpoint's files? Name the checkpoint with --at.",
    (_, { command }) => `For example: ${command({ do: "fork", at: 12, into: "../attempt" })}`,
  ),
};

export interface FilesUnusable extends Session {
  readonly checkpoint: number;
  readonly mode: "agent" | "workspace" | "execution";
  readonly problem: Problem;
}
