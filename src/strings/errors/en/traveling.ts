import { error, type Problem } from "../texts.ts";

interface Session {
  readonly session: string;
}

const seeJourneys = (command: (words: string) => string) => `See all journeys: ${command("redo --list")}`;
const leaveOneOut = () => "Leave out one of the two.";

/** The errors of rewind, redo and fork as a user asks for them. */
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

interface FilesUnusable extends Session {
  readonly checkpoint: number;
  readonly mode: "agent" | "workspace" | "execution";
  readonly problem: Problem;
}
