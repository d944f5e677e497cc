import { error, type Problem } from "../texts.ts";

const seeHelp = (command: (words: string) => string) => `See: ${command("find --help")}`;
const notRun = () => "The command was not run. Without --strict it would be.";

/** The errors of commands and tests that are run for a user: `run`, `find`. */
export const running = {
  "no-command-to-run": error(
    "USAGE",
    () => "There is no command to run.",
    (_, { command }) => `Put it after --, such as: ${command("run -- npm audit fix --force")}`,
  ),
  "session-of-other-workspace": error(
    "INPUT_INVALID",
    ({ workspace }: { readonly workspace: string }) => `The session is about another workspace: ${workspace}`,
    () => "Leave out --session, or name the workspace with --workspace.",
  ),
  "command-unprotected": error(
    "REWIND_REFUSED",
    ({ why }: { readonly why: Problem }, { message }) =>
      `The files are not captured before the command, so they cannot go back: ${message(why)}`,
    notRun,
  ),
  "command-partly-protected": error(
    "REWIND_REFUSED",
    ({ why }: { readonly why: Problem }, { message }) =>
      `Not all files are captured before the command: ${message(why)}`,
    notRun,
  ),
  "command-not-started": error(
    "INPUT_INVALID",
    ({ command, why }: { readonly command: string; readonly why: WhyNotStarted }) =>
      `"${command}" could not be started: ${whyNotStarted(why)}.`,
    (_, { command }) =>
      `Nothing was run. For what only a shell knows: ${command("run -- sh -c '<command>'")}`,
  ),
  "no-test-to-run": error(
    "USAGE",
    () => "There is no test to run.",
    (_, { command }) => `Put it after --, such as: ${command("find -- npm test")}`,
  ),
  "runs-out-of-range": error(
    "INPUT_INVALID",
    ({ most }: { readonly most: number }) => `--runs must be between 1 and ${most}.`,
    (_, { command }) => seeHelp(command),
  ),
  "timeout-too-short": error(
    "INPUT_INVALID",
    () => "--timeout must be at least 1 second.",
    (_, { command }) => seeHelp(command),
  ),
  "since-of-other-workspace": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" is a checkpoint of another workspace.`,
    (_, { command }) => seeHelp(command),
  ),
  "sample-brings-its-test": error(
    "USAGE",
    () => "--sample brings its own test.",
    () => "Leave yours out.",
  ),
  "option-not-with-sample": error(
    "USAGE",
    ({ option }: { readonly option: string }) =>
      `${option} does not go with --sample, which works on a project of its own.`,
    () => "Leave one of them out.",
  ),
  "option-of-sample": error(
    "USAGE",
    ({ option }: { readonly option: string }) => `${option} goes with --sample only.`,
    () => "Add --sample, or leave it out.",
  ),
  "sample-way-unknown": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string; readonly known: readonly string[]; readonly meant?: string }) =>
      `The sample cannot be broken by "${given}".`,
    ({ known, meant }) => (meant === undefined ? `Known: ${known.join("; ")}` : `Did you mean "${meant}"?`),
  ),
};

/** Why a program could not be started; `system`: in the system's own words. */
export type WhyNotStarted = "missing" | "forbidden" | { readonly system: string };

function whyNotStarted(why: WhyNotStarted): string {
  if (why === "missing") return "it is not found, or the program that its first line names is not";
  return why === "forbidden" ? "it may not be executed" : why.system;
}
