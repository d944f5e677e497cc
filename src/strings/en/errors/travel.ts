import { error, type Problem } from "../../errors/texts.ts";

export interface OfJourney {
  readonly journey: string;
}

/** The errors of rewinding, redoing and compacting. */
export const travel = {
  "checkpoint-unknown": error(
    "CHECKPOINT_UNKNOWN",
    /** `known`: ranges of numbers, such as "1-4, 7"; "" if there are none. */
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
    /** "some": a branch was left earlier, but there is newer work after that. */
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

export interface Session {
  readonly session: string;
}

const seeJourneys = (command: (words: string) => string) => `See all journeys: ${command("redo --list")}`;
const leaveOneOut = () => "Leave out one of the two.";

/** The errors of the user's own rewind, redo and fork. */
export const traveling = {
  "rewind-files-unusable": error(
    "REWIND_REFUSED",
    ({ problem }: FilesUnusable, { message }) => message(problem),
    ({ session, checkpoint, mode }, { command, place }) => {
      const another = mode === "workspace" ? `Choose another checkpoint: ${command("checkpoints")}. ` : "";
      const what = mode === "execution" ? "its steps" : "the conversation";
      const alone =
        place === "screen"
          ? `${command(`rewind ${checkpoint}`)}, and the conversation alone`
          : command(`rewind ${session}:${checkpoint} --scope conversation`);
      return `Nothing was changed. ${another}To rewind ${what} alone: ${alone}`;
    },
  ),
  "only-of-conversation": error(
    "INPUT_INVALID",
    () => "--only names files, and --scope conversation leaves them as they are.",
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
    }) => `"${given}" may be any of ${matches} journeys.`,
    ({ some }) => `Write more of the id: ${some.join(", ")}`,
  ),
  "redo-leads-nowhere": error(
    "JOURNEY_UNKNOWN",
    () => "This redo does not lead to a place in the session.",
    (_, { command }) => seeJourneys(command),
  ),
  "list-takes-no-journey": error(
    "USAGE",
    () => "--list shows all journeys; it takes none.",
    () => "Leave out --list to redo the one that you named.",
  ),
  "choice-beyond-host": error(
    "USAGE",
    ({ flag, rewinder }: { readonly flag: string; readonly rewinder: string }) =>
      `${flag} cannot be followed where snapshots.engine is sdk: the ${rewinder} takes back all files that it knows, or none.`,
    ({ flag }, { command }) =>
      `Nothing was changed. Leave out ${flag}, or use Worldline's own snapshots: ${command("config set snapshots.engine worldline")}`,
  ),
  "execution-there-already": error(
    "REWIND_REFUSED",
    (_: Session) => "The execution stands there already.",
    ({ session }, { command }) => `Choose an earlier step: ${command(`executions show ${session}`)}`,
  ),
  "here-keeps-files": error(
    "USAGE",
    () => "--here leaves the files of this folder as they are.",
    () => "Leave out --here, or --into and --files.",
  ),
  "into-keeps-workspace": error(
    "USAGE",
    () => "--into leaves the workspace as it is, and --files restore does not.",
    leaveOneOut,
  ),
  "which-checkpoints-files": error(
    "USAGE",
    () => "Which checkpoint's files? That is what --at says.",
    (_, { command }) => `Such as: ${command("fork --at 12 --into ../attempt")}`,
  ),
};

export interface FilesUnusable extends Session {
  readonly checkpoint: number;
  readonly mode: "agent" | "workspace" | "execution";
  readonly problem: Problem;
}
