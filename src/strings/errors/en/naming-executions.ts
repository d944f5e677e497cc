import { error } from "../texts.ts";

const MOST_NAMED = 8;

interface Execution {
  readonly execution: string;
}

type Command = (words: string) => string;

const didYouMean = (near: string | undefined, command: Command) =>
  near === undefined ? `See them: ${command("executions --all")}` : `Did you mean ${near}?`;
const some = (names: readonly (string | number)[]) =>
  `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ", …" : ""}`;

/** The errors of naming the execution of a program, and its steps. */
export const namingExecutions = {
  "none-to-list": error(
    "INPUT_INVALID",
    (_: { readonly usual: number }) => "--limit 0 would list nothing.",
    ({ usual }) => `Give a whole number from 1 on; without --limit it is ${usual}.`,
  ),
  "execution-named-unknown": error(
    "EXECUTION_UNKNOWN",
    ({ given }: { readonly given: string; readonly near?: string }) => `There is no execution "${given}".`,
    ({ near }, { command }) => didYouMean(near, command),
  ),
  "execution-named-ambiguous": error(
    "EXECUTION_UNKNOWN",
    ({ given, names }: AmbiguousExecution) => `"${given}" may be any of ${names.length} executions.`,
    ({ names, places }, { command }) => {
      const named = names.map(({ name, workspace }) =>
        workspace === undefined ? name : `${name} in ${workspace}`,
      );
      const where =
        places === "several"
          ? `. Or say where: --workspace <folder>; ${command("executions --all")} has them all`
          : "";
      return `Name one of them: ${some(named)}${where}`;
    },
  ),
  "checkpoint-named-unknown": error(
    "CHECKPOINT_UNKNOWN",
    ({ given }: { readonly given: string; readonly execution?: string; readonly near?: string }) =>
      `Checkpoint ${given} not found`,
    ({ execution, near }, { command }) => {
      const why = execution === undefined ? "" : `There is no execution "${execution}". `;
      return `${why}${didYouMean(near, command)}`;
    },
  ),
  "steps-of-same-name": error(
    "CHECKPOINT_AMBIGUOUS",
    ({
      execution,
      name,
      places,
    }: Execution & { readonly name: string; readonly places: readonly number[] }) =>
      `${places.length} steps of ${execution} are called "${name}".`,
    ({ places }) => `Nothing was changed. Say which one by its place, --step <index>: ${some(places)}`,
  ),
  "step-named-unknown": error(
    "CHECKPOINT_UNKNOWN",
    ({ execution, step }: Execution & { readonly step: string; readonly known: readonly string[] }) =>
      `${execution} has no step "${step}".`,
    ({ known }) =>
      known.length === 0 ? "It has no steps yet." : `Its steps: ${known.slice(0, MOST_NAMED).join(", ")}`,
  ),
  "step-not-ended": error(
    "REWIND_REFUSED",
    ({ execution, step }: Execution & { readonly step: string }) =>
      `Step ${step} of ${execution} has not ended.`,
    ({ execution }, { command }) =>
      `Nothing was changed. Choose one that has: ${command(`executions show ${execution}`)}`,
  ),
  "no-successful-checkpoint": error(
    "CHECKPOINT_UNKNOWN",
    ({ execution }: Execution) => `No successful checkpoint found in ${execution}`,
    ({ execution }, { command }) =>
      `Nothing was changed. See its steps: ${command(`executions show ${execution}`)}`,
  ),
  "two-steps-named": error(
    "USAGE",
    () => "A checkpoint names its step already, and --step another one.",
    () => "Leave out one of the two.",
  ),
  "execution-part-of-session": error(
    "INPUT_INVALID",
    ({ execution }: Execution & { readonly session: string }) =>
      `${execution} is part of its session, and cannot be deleted alone.`,
    ({ session }, { command }) => `Delete the session: ${command(`sessions delete ${session}`)}`,
  ),
};

interface AmbiguousExecution {
  readonly given: string;
  /** With its workspace, where they are not all in the same one. */
  readonly names: readonly { readonly name: string; readonly workspace?: string }[];
  readonly places: "one" | "several";
}
