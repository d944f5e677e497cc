import type { CommandText } from "../../commands.ts";
import { type ErrorCode, error, type Problem } from "../../errors/texts.ts";

/** The index and the name of a step. */
export interface StepNamed {
  readonly index: number;
  readonly name: string;
}

/** A part of a value that could not be stored, as recorded in the log. */
export interface UnstoredPart {
  readonly path: string;
  readonly why: string;
  readonly of?: string;
}

/** The operations that a running step prevents. */
export type WhileRunning =
  | "called-again"
  | "deleted"
  | "saved"
  | "gone-back"
  | "another-deleted"
  | "execution-deleted"
  | "finished";

/** The reason why a value cannot be stored. */
export type ValueFault =
  | {
      readonly is: "symbol" | "function" | "promise" | "nested" | "not-plain" | "too-large" | "odd";
    }
  | { readonly is: "instance"; readonly of: string }
  | { readonly is: "list-with-field" | "with-field" | "with-symbol"; readonly field: string };

/** Errors from executions, which are programs whose steps are recorded. */
export const executions = {
  "checkpoint-not-found": error(
    "CHECKPOINT_UNKNOWN",
    /** `known`: the newest existing checkpoints; `more`: whether earlier checkpoints are left out. */
    ({
      checkpoint,
    }: {
      readonly checkpoint: string;
      readonly known: readonly string[];
      readonly more: "yes" | "no";
    }) => `Checkpoint ${checkpoint} not found`,
    ({ known, more }) =>
      known.length === 0
        ? "This execution has no steps yet. Start one with step() or save()."
        : `Checkpoints: ${more === "yes" ? "…, " : ""}${known.join(", ")}`,
  ),
  "no-success-before": error(
    "CHECKPOINT_UNKNOWN",
    /** `last`: the most recent successful step of the whole execution. */
    ({ index }: { readonly index: number; readonly last?: string | undefined }) =>
      `No successful checkpoint found before step ${index}`,
    ({ last }) =>
      last === undefined
        ? "No step has succeeded yet, so run the steps from the start."
        : `The last successful step is ${last}; choose a later step, or run the steps from the start.`,
  ),
  "step-still-open": error(
    "REWIND_REFUSED",
    ({ checkpoint }: { readonly checkpoint: string }) =>
      `Checkpoint ${checkpoint} belongs to a step that has not ended.`,
    () => "Go to the last successful checkpoint instead: lastSuccessful() returns its id.",
  ),
  "step-running": error(
    "INPUT_INVALID",
    ({ index, why }: { readonly index: number; readonly why: WhileRunning }) =>
      `Step ${index} is running: ${WHILE_RUNNING[why]}`,
    () => "Await the step's promise first.",
  ),
  "step-changed": error(
    "STEP_CHANGED",
    ({ index, name, called }: StepNamed & { readonly called: string }) =>
      `Step ${index} is now called "${called}", but it was recorded as "${name}".`,
    ({ index, called }) =>
      "The program has changed since then. Go back to before this step with rollbackTo, start another execution, " +
      `or give "${called}" an index other than ${index}: step(name, work, { index }).`,
  ),
  "step-unfinished": error(
    "STEP_UNFINISHED",
    ({ time, attempt, ...step }: StepNamed & { readonly time: string; readonly attempt: number }) =>
      `Step ${named(step)} began at ${time} (attempt ${attempt}) and did not finish. It may have done some or all of its work.`,
    ({ index }) => `Check what it did, then decide: ${decisions(index)}`,
  ),
  "step-result-lost": error(
    "STEP_UNFINISHED",
    ({ unstored, ...step }: StepNamed & { readonly unstored: readonly UnstoredPart[] }) =>
      `Step ${named(step)} ran, but its result cannot be stored: ${unstoredText(unstored)}.`,
    ({ index }) =>
      `The step is not run again automatically. Have the step return plain data, such as await response.json(), then decide: ${decisions(index)}`,
  ),
  /** Warns that the program continued with a copy of the result. */
  "step-result-copied": error(
    "INPUT_INVALID",
    ({ unstored, ...step }: StepNamed & { readonly unstored: readonly UnstoredPart[] }) =>
      `Step ${named(step)} returned something that cannot be stored as it is (${unstoredText(unstored)}). ` +
      "A plain copy was stored and returned. To control what is stored, return plain data from the step.",
  ),
  /** Warns that the error recorded by an earlier run is thrown again. */
  "step-failure-replayed": error(
    "STEP_FAILED",
    ({ index, name }: StepNamed) =>
      `Step ${index} "${name}" failed in an earlier run, but the program continued. Its error is thrown again ` +
      'and the step is not run. To run it again, use step(name, work, { onFailed: "retry" }). To keep this behavior, use "rethrow".',
  ),
  "step-not-begun": error(
    "STORE_UNWRITABLE",
    () => "The step was not run, because its start could not be recorded.",
  ),
  "step-deleted": error(
    "STEP_UNFINISHED",
    (step: StepNamed) => `The checkpoint for step ${named(step)} was deleted along with its result.`,
    ({ index }) => `The step is not run again automatically. Decide: ${decisions(index)}`,
  ),
  "step-not-given-back": error(
    "STEP_UNFINISHED",
    (step: StepNamed) =>
      `Step ${named(step)} ran, but its result was not returned, because the store failed.`,
    ({ index }) => `The result is stored now. Get the result first: step(name, work, { index: ${index} })`,
  ),
  "step-failed-before": error(
    "STEP_FAILED",
    (step: StepNamed) => `Step ${named(step)} failed in an earlier run, and no error was recorded.`,
    ({ index }) => nextAttempt(index),
  ),
  "step-given-up": error(
    "STEP_UNFINISHED",
    ({ attempt, ...step }: StepNamed & { readonly attempt: number }) =>
      `Step ${named(step)} did not finish in attempt ${attempt} and counts as failed.`,
    ({ index }) => nextAttempt(index),
  ),
  "step-not-written": error(
    /** `code`: the problem's code. `result`: whether the result "waits" in memory for the store, or is "lost". */
    ({
      code,
    }: StepNamed & {
      readonly code: ErrorCode;
      readonly outcome: "ran" | "failed";
      readonly problem: Problem;
      readonly result: "waits" | "lost";
    }) => code,
    ({ outcome, problem, ...step }, { message }) =>
      `Step ${named(step)} ${outcomeText(outcome)} its result could not be written: ${message(problem)}`,
    ({ index, problem, result }, { hint }) => {
      const first = hint(problem);
      const next =
        result === "lost"
          ? "In the next run, the step counts as unfinished, and the program must decide what to do with it."
          : "The result is kept in memory and written as soon as the store accepts it. To use it, call " +
            `step(name, work, { index: ${index} }), which does not run completed work again. ` +
            "If the program ends first, the step counts as unfinished in the next run.";
      return first === "" ? next : `${first.replace(/\.?$/u, ".")} ${next}`;
    },
  ),
  "step-closed-under": error(
    "SESSION_CLOSED",
    ({ outcome, ...step }: StepNamed & { readonly outcome: "ran" | "failed" }) =>
      `Step ${named(step)} ${outcomeText(outcome)} its result could not be written: the execution was closed while the step ran.`,
    () =>
      "Call close() only after all steps have ended, and never within a step. In the next run, the step counts as unfinished, and the program must decide what to do with it.",
  ),
  "retries-spent": error(
    "RETRIES_SPENT",
    ({ tried, ...step }: StepNamed & { readonly tried: number }) =>
      `Step ${named(step)} was tried ${tried === 1 ? "once" : `${tried} times`} without success.`,
    () => "Check why it failed, then allow more retries: retryFrom(index, { maxRetries })",
  ),
  "checkpoint-not-restored": error(
    "REWIND_REFUSED",
    ({ checkpoint, problem }: { readonly checkpoint: string; readonly problem: Problem }, { message }) =>
      `Checkpoint ${checkpoint} was not restored: ${message(problem)}`,
    () => "The execution is unchanged.",
  ),
  "step-index-invalid": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `A step cannot have the index ${given}`,
    () => "An index must be a non-negative whole number.",
  ),
  "step-within-step": error(
    "INPUT_INVALID",
    ({ around, called }: { readonly around: StepNamed; readonly called: string }) =>
      `Step "${called}" was started within step ${named(around)}, but steps cannot be nested.`,
    ({ around }) =>
      `Call it before or after "${around.name}", or make its work part of "${around.name}". To run several steps at once, use Promise.all outside a step.`,
  ),
  "step-unnamed": error(
    "INPUT_INVALID",
    ({ index }: { readonly index: number }) => `Step ${index} was never started, so it has no name yet.`,
    () => "Pass the name that the program uses: retryFrom(index, { name, run })",
  ),
  "step-undecided": error(
    "INPUT_INVALID",
    ({ index }: { readonly index: number }) => `No decision was given for step ${index}.`,
    () => 'Choose "retry", "skip", { skip: output }, or "fail".',
  ),
  "step-name-missing": error(
    "INPUT_INVALID",
    () => "A step needs a name.",
    () => 'Name it after what it does: step("fetch", work)',
  ),
  "retries-invalid": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `A step cannot be retried ${given} times.`,
    () => "maxRetries must be a non-negative whole number.",
  ),
  "execution-closed": error(
    "SESSION_CLOSED",
    ({ execution, how }: { readonly execution: string; readonly how: "closed" | "deleted" }) =>
      `Execution ${execution} was ${how}.`,
    () => "Open it again: openExecution(id)",
  ),
  "execution-held": error(
    "SESSION_HELD",
    /** `holder`: "elsewhere" is another machine, which cannot be queried from here. */
    (
      {
        execution,
        problem,
      }: {
        readonly execution: string;
        readonly problem: Problem;
        readonly holder: "here" | "elsewhere";
      },
      { message },
    ) => `Execution ${execution} is being run by another program: ${message(problem)}`,
    ({ holder }) =>
      `Wait for it with openExecution(id, { waitMs }), or run another execution in the meantime.${
        holder === "elsewhere"
          ? ' If that machine is gone for good, use openExecution(id, { takeOver: "yes" })'
          : ""
      }`,
  ),
  "execution-id-missing": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: "empty" | "not-a-text" }) =>
      `An execution needs an id, but the given id is ${given === "empty" ? "empty" : "not a string"}.`,
    () => 'Give it a name that the program can use to find it again: openExecution("import-2026")',
  ),
  "execution-session-taken": error(
    "SESSION_EXISTS",
    ({ session }: { readonly session: string }) =>
      `Session ${session} has the id of this execution, but does not belong to it.`,
    () => "Use another id or another scope for the execution: openExecution(id, { scope })",
  ),
  "delete-with-arguments": error(
    "INPUT_INVALID",
    () => "delete() moves the whole execution to the trash and takes no arguments.",
    () => "Nothing was deleted. To delete one checkpoint: deleteCheckpoint(id)",
  ),
  "turn-execution": error(
    "INPUT_INVALID",
    ({ execution }: { readonly execution: string }) =>
      `${execution} is an agent's turn, so its steps belong to the agent.`,
    () => "Open an execution with an id of your own. You can still view a turn's steps and rewind to them.",
  ),
  "turn-not-deleted-alone": error(
    "INPUT_INVALID",
    ({ execution }: { readonly execution: string; readonly session: string }) =>
      `${execution} is part of its session and cannot be deleted separately.`,
    ({ session }, { command }) => `Delete the session: ${command({ do: "sessions delete", session })}`,
  ),
  "value-threw": error(
    "INPUT_INVALID",
    ({
      path,
      doing,
      why,
    }: {
      readonly path: string;
      readonly doing: "looking" | "getter" | "reading";
      readonly why: string;
    }) =>
      `${path} cannot be stored: ${{ looking: "inspecting it", getter: "its getter", reading: "reading it" }[doing]} threw (${why}).`,
    () => "Pass data that can be read at any time, such as a copy.",
  ),
  "value-not-kept": error(
    "INPUT_INVALID",
    ({ path, fault }: { readonly path: string; readonly fault: ValueFault }) =>
      `${path} ${valueFault(fault)}, which cannot be stored.`,
    () => "Pass plain data: objects, arrays, dates, maps, sets, bytes, errors, strings, and numbers.",
  ),
  "value-unreadable": error(
    "ENTRY_INVALID",
    () => "A value stored in this execution cannot be read.",
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  /** An error that an older version of Worldline stored with a step as plain text. */
  "stored-error": error("INPUT_INVALID", ({ message }: { readonly message: string }) => message),
};

const WHILE_RUNNING: Readonly<Record<WhileRunning, string>> = {
  "called-again": "it was called a second time before it ended.",
  deleted: "its checkpoint cannot be deleted until it ends.",
  saved: "its result is saved when it ends.",
  "gone-back": "the execution cannot go back until the step ends.",
  "another-deleted": "checkpoints cannot be deleted until the step ends.",
  "execution-deleted": "the execution cannot be deleted until the step ends.",
  finished: "the execution cannot be finished until the step ends.",
};

function named({ index, name }: StepNamed): string {
  return `${index} "${name}"`;
}

function outcomeText(outcome: "ran" | "failed"): string {
  return outcome === "ran" ? "ran, but" : "failed, and";
}

function decisions(index: number): string {
  return (
    `step(name, work, { index: ${index}, unfinished: "retry" }) runs it again, ` +
    `{ index: ${index}, unfinished: { skip: output } } continues without it, and ` +
    `{ index: ${index}, unfinished: "fail" } counts it as failed.`
  );
}

function nextAttempt(index: number): string {
  return `Run the next attempt: step(name, work, { index: ${index}, onFailed: "retry" })`;
}

function valueFault(fault: ValueFault): string {
  switch (fault.is) {
    case "symbol":
      return "is a symbol";
    case "function":
      return "is a function";
    case "promise":
      return "is a promise";
    case "nested":
      return "is nested too deeply";
    case "not-plain":
      return "is not a plain object";
    case "too-large":
      return "is too large";
    case "odd":
      return "contains an unsupported value";
    case "instance":
      return `is an instance of ${fault.of}`;
    case "list-with-field":
      return `is an array with an extra property, ${fault.field}`;
    case "with-field":
      return `has an extra property, ${fault.field}`;
    case "with-symbol":
      return `has a symbol property, ${fault.field}`;
    default:
      return fault satisfies never;
  }
}

const MAX_NAMED_PARTS = 3;

/** Lists the parts as in `output is an instance of Result, output.parse is a function`. */
function unstoredText(unstored: readonly UnstoredPart[]): string {
  const parts = unstored
    .slice(0, MAX_NAMED_PARTS)
    .map(({ path, why, of }) => `${path} ${whyUnstored(why, of)}`);
  const more = unstored.length - parts.length;
  return [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function whyUnstored(why: string, of: string | undefined): string {
  switch (why) {
    case "class":
      return of === undefined ? "is not a plain object" : `is an instance of ${of}`;
    case "live":
      return `is a live object${of === undefined ? "" : ` (${of})`}`;
    case "fields":
      return "is an extra property of a built-in object";
    case "unreadable":
      return "threw when it was read";
    case "nested":
      return "is nested too deeply";
    case "size":
      return "is too large";
    default:
      return `is a ${why}`;
  }
}

const MOST_NAMED = 8;

export interface Execution {
  readonly execution: string;
}

const didYouMean = (near: string | undefined, command: CommandText) =>
  near === undefined
    ? `See all executions: ${command({ do: "executions", all: true })}`
    : `Did you mean ${near}?`;
const some = (names: readonly (string | number)[]) =>
  `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ", …" : ""}`;

/** Errors about the execution or step that the user named. */
export const namingExecutions = {
  "none-to-list": error(
    "INPUT_INVALID",
    (_: { readonly usual: number }) => "--limit 0 would list nothing.",
    ({ usual }) => `Give a positive whole number. The default is ${usual}.`,
  ),
  "execution-named-unknown": error(
    "EXECUTION_UNKNOWN",
    ({ given }: { readonly given: string; readonly near: string | undefined }) =>
      `There is no execution "${given}".`,
    ({ near }, { command }) => didYouMean(near, command),
  ),
  "execution-named-ambiguous": error(
    "EXECUTION_UNKNOWN",
    ({ given, names }: AmbiguousExecution) => `"${given}" matches ${names.length} executions.`,
    ({ names, places }, { command }) => {
      const named = names.map(({ name, workspace }) =>
        workspace === undefined ? name : `${name} in ${workspace}`,
      );
      const where =
        places === "several"
          ? `; or use --workspace <folder> to name the folder. To see all of them, run: ${command({ do: "executions", all: true })}`
          : "";
      return `Name one of them: ${some(named)}${where}`;
    },
  ),
  "checkpoint-named-unknown": error(
    "CHECKPOINT_UNKNOWN",
    ({
      given,
    }: {
      readonly given: string;
      readonly execution: string | undefined;
      readonly near: string | undefined;
    }) => `Checkpoint ${given} not found`,
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
      `${places.length} steps in ${execution} are called "${name}".`,
    ({ places }) => `Nothing was changed. Choose one by its index with --step <index>: ${some(places)}`,
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
      `Step ${step} in ${execution} has not ended.`,
    ({ execution }, { command }) =>
      `Nothing was changed. Choose a step that has ended: ${command({ do: "executions show", execution })}`,
  ),
  "no-successful-checkpoint": error(
    "CHECKPOINT_UNKNOWN",
    ({ execution }: Execution) => `No successful checkpoint found in ${execution}`,
    ({ execution }, { command }) =>
      `Nothing was changed. See its steps: ${command({ do: "executions show", execution })}`,
  ),
  "two-steps-named": error(
    "USAGE",
    () => "The checkpoint names one step, and --step names another.",
    () => "Leave out --step, or name the execution instead of the checkpoint.",
  ),
  "execution-part-of-session": error(
    "INPUT_INVALID",
    ({ execution }: Execution & { readonly session: string }) =>
      `${execution} is part of its session and cannot be deleted separately.`,
    ({ session }, { command }) => `Delete the session: ${command({ do: "sessions delete", session })}`,
  ),
};

export interface AmbiguousExecution {
  readonly given: string;
  /** The matching executions, with their workspaces if the workspaces differ. */
  readonly names: readonly { readonly name: string; readonly workspace?: string }[];
  readonly places: "one" | "several";
}
