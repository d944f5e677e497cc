import { inspect } from "node:util";
import { type FoundExecution, visibleId } from "../../../app/executions/find-execution.ts";
import { showExecution } from "../../../app/executions/list-executions.ts";
import type { ExecutionStatus, StepCheckpoint } from "../../../executions/execution.ts";
import type { Unstored } from "../../../record/entry.ts";
import { oneLine, printable } from "../../../record/visible-text.ts";
import { table } from "../../../show/table.ts";
import { valueDocument } from "../../../show/value-document.ts";
import { clockTime, dateOf } from "../../../strings/clock.ts";
import { defineCommand, required } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

export const show = defineCommand({
  help: (help) => help.executionsShow,
  arguments: {
    id: required(),
  },
  run: async ({ arguments: { id }, frame }) => {
    const { found, step, status } = await showExecution(frame, id);
    if (step === undefined) {
      frame.output.answer(executionDocument(found, status), () =>
        executionLines(found, frame, status).join("\n"),
      );
    } else {
      frame.output.answer(stepDocument(step), () => stepLines(step, frame).join("\n"));
    }
  },
});

function executionDocument({ id, view, steps, begins }: FoundExecution, status: ExecutionStatus | undefined) {
  const { header } = view;
  return {
    id,
    kind: begins === undefined ? "program" : "turn",
    scope: header.execution?.scope ?? view.id,
    session: view.id,
    workspace: header.workspace,
    ...(status === undefined ? {} : { status }),
    used: new Date(view.used).toISOString(),
    checkpoints: steps.map(stepDocument),
  };
}

/**
 * Returns a step as JSON. Properties that the step does not have are null. Values that JSON cannot express are marked.
 */
function stepDocument(step: StepCheckpoint) {
  const { id, execution, name, index, attempt, status, decided = null, time, checkpoint, branch } = step;
  return {
    ...{ id, execution, name, index, attempt, status, decided },
    error: orNull(step.error),
    state: orNull(step.state),
    context: orNull(step.context),
    variables: orNull(step.variables),
    metadata: orNull(step.metadata),
    output: orNull(step.output),
    ...(step.unstored === undefined ? {} : { unstored: step.unstored }),
    time: time.toISOString(),
    checkpoint: checkpoint ?? null,
    branch,
  };
}

function orNull(value: unknown) {
  return value === undefined ? null : valueDocument(value);
}

type Field = keyof Frame["strings"]["executions"]["fields"];

/** Returns the facts about an execution, and one line for each attempt at a step. */
export function executionLines(
  { id, view, steps, begins }: FoundExecution,
  frame: Frame,
  status: ExecutionStatus | undefined,
): string[] {
  const { executions: words } = frame.strings;
  const rows: [Field, string][] = [
    ["execution", visibleId(id)],
    ["kind", words.kinds[begins === undefined ? "program" : "turn"]],
    ["session", view.id],
    ["workspace", view.header.workspace],
    ...(status === undefined ? [] : [["status", words.statuses[status]] as [Field, string]]),
    ["used", momentOf(view.used)],
  ];
  const facts = table(rows.map(([field, text]) => [words.fields[field], oneLine(text)]));
  if (steps.length === 0) return [...facts, "", words.noSteps];
  const newest = steps.at(-1);
  return [
    ...facts,
    "",
    ...table(steps.map((step) => stepRow(step, frame))),
    ...(newest === undefined ? [] : ["", words.showStep(newest.id, shellWording(frame.common).command)]),
  ];
}

function stepRow(step: StepCheckpoint, { strings: { executions: words } }: Frame): string[] {
  const { index, name, attempt, status, time, checkpoint, branch, decided, error } = step;
  const remarks = [
    ...(decided === undefined ? [] : [words.decisions[decided]]),
    ...(branch === "left" ? [words.left] : []),
    ...(error === undefined ? [] : [errorText(error)]),
  ];
  return [
    String(index),
    oneLine(name),
    words.attempt(attempt),
    words.stepStatuses[status],
    checkpoint === undefined ? "" : `#${checkpoint}`,
    momentOf(time.getTime()),
    oneLine(remarks.join(" ")),
  ];
}

/** Returns everything that is stored about a step. */
export function stepLines(step: StepCheckpoint, { strings: { executions: words } }: Frame): string[] {
  const { fields } = words;
  const decided = step.decided === undefined ? "" : ` ${words.decisions[step.decided]}`;
  const left = step.branch === "left" ? ` ${words.left}` : "";
  const facts: [Field, string][] = [
    ["execution", visibleId(step.execution)],
    ["step", `${step.index} ${step.name}`],
    ["attempt", String(step.attempt)],
    ["status", `${words.stepStatuses[step.status]}${decided}${left}`],
    ["time", momentOf(step.time.getTime())],
    ["checkpoint", step.checkpoint === undefined ? "" : `#${step.checkpoint}`],
  ];
  const values: [Field, unknown][] = [
    ["error", step.error],
    ["state", step.state],
    ["context", step.context],
    ["variables", step.variables],
    ["metadata", step.metadata],
    ["output", step.output],
    ["unstored", step.unstored?.map((each) => unstoredText(each, words)).join("\n")],
  ];
  return [
    ...table(facts.filter(([, text]) => text !== "").map(([field, text]) => [fields[field], oneLine(text)])),
    ...values
      .filter(([, value]) => value !== undefined)
      .flatMap(([field, value]) => ["", `${fields[field]}:`, ...indented(valueText(value))]),
  ];
}

function unstoredText({ path, why, of }: Unstored, words: Frame["strings"]["executions"]): string {
  // A newer version may write reasons that this version does not recognize.
  const reason = (words.unstored as Readonly<Record<string, string>>)[why] ?? why;
  return `${path}: ${reason}${of === undefined ? "" : ` (${of})`}`;
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  const message = (error as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" ? message : valueText(error);
}

const DEEPEST = 8;

/** Formats a value for users. Every object that is not plain is shown with the name of its class. */
function valueText(value: unknown): string {
  if (typeof value === "string") return printable(value);
  if (value instanceof Error) return errorLines(value).join("\n");
  return printable(
    inspect(value, { depth: DEEPEST, breakLength: 100, maxArrayLength: 200, maxStringLength: 2_000 }),
  );
}

/** Formats an error with its properties and causes, but without its stack, which only the program's author needs. */
function errorLines(error: Error, within: readonly Error[] = []): string[] {
  const head = printable(`${error.name}: ${error.message}`).split("\n");
  if (within.includes(error) || within.length >= DEEPEST) return head;
  const shown = Object.entries(error).filter(([key]) => !["name", "message", "stack", "cause"].includes(key));
  const hidden =
    error instanceof AggregateError && !Object.keys(error).includes("errors")
      ? [["errors", error.errors] as const]
      : [];
  const cause = error.cause === undefined ? [] : [["cause", error.cause] as const];
  const inside = [...shown, ...hidden, ...cause].flatMap(([key, value]) => {
    const [first = "", ...rest] =
      value instanceof Error ? errorLines(value, [...within, error]) : valueText(value).split("\n");
    return [`${printable(key)}: ${first}`, ...rest];
  });
  return [...head, ...inside.map((line) => `  ${line}`)];
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}

function momentOf(at: number): string {
  return `${dateOf(at)} ${clockTime(at)}`;
}
