import { inspect } from "node:util";
import type { StepCheckpoint } from "../../../executions/execution.ts";
import type { Frame } from "../../command/frame.ts";
import { oneLine, printable } from "../../output/printable.ts";
import { hintAgain } from "../../places/command-again.ts";
import { table } from "../../show/table.ts";
import { clockTime, dateOf } from "../../show/time.ts";
import type { FoundExecution } from "./find-execution.ts";

type Field = keyof Frame["strings"]["executions"]["fields"];

/** The facts of an execution, and a line for each attempt at a step. */
export function executionLines({ id, view, steps, begins }: FoundExecution, frame: Frame): string[] {
  const { executions: words } = frame.strings;
  const rows: [Field, string][] = [
    ["execution", id],
    ["kind", words.kinds[begins === undefined ? "program" : "turn"]],
    ["session", view.id],
    ["workspace", view.header.workspace],
    ["used", momentOf(view.used)],
  ];
  const facts = table(rows.map(([field, text]) => [words.fields[field], oneLine(text)]));
  if (steps.length === 0) return [...facts, "", words.noSteps];
  const newest = steps.at(-1);
  return [
    ...facts,
    "",
    ...table(steps.map((step) => stepRow(step, frame))),
    ...(newest === undefined ? [] : ["", hintAgain(frame.common, words.showStep(newest.id))]),
  ];
}

function stepRow(step: StepCheckpoint, { strings: { executions: words } }: Frame): string[] {
  const { index, name, attempt, status, time, checkpoint, branch, error } = step;
  const told = [
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
    oneLine(told.join(" ")),
  ];
}

/** Everything that a step holds. */
export function stepLines(step: StepCheckpoint, { strings: { executions: words } }: Frame): string[] {
  const { fields } = words;
  const left = step.branch === "left" ? ` ${words.left}` : "";
  const facts: [Field, string][] = [
    ["execution", step.execution],
    ["step", `${step.index} ${step.name}`],
    ["attempt", String(step.attempt)],
    ["status", `${words.stepStatuses[step.status]}${left}`],
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
  ];
  return [
    ...table(facts.filter(([, text]) => text !== "").map(([field, text]) => [fields[field], oneLine(text)])),
    ...values
      .filter(([, value]) => value !== undefined)
      .flatMap(([field, value]) => ["", `${fields[field]}:`, ...indented(valueText(value))]),
  ];
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  const message = (error as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" ? message : valueText(error);
}

const DEEPEST = 8;

/** Readable, with everything that is not plain called by what it is. */
function valueText(value: unknown): string {
  if (typeof value === "string") return printable(value);
  if (value instanceof Error) return printable(`${value.name}: ${value.message}`);
  return printable(
    inspect(value, { depth: DEEPEST, breakLength: 100, maxArrayLength: 200, maxStringLength: 2_000 }),
  );
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}

function momentOf(at: number): string {
  return `${dateOf(at)} ${clockTime(at)}`;
}
