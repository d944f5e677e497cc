import type { StepCheckpoint } from "../../executions/execution.ts";
import { checkpointNotFound } from "../../executions/execution-error.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import {
  type FoundExecution,
  findExecution,
  type NamedExecution,
  nearExecution,
  requireExecution,
} from "./find-execution.ts";
import { listedId } from "./shown-id.ts";

/** What a person named: an execution, or one step of it. */
export interface FoundPlace {
  readonly found: FoundExecution;
  readonly step?: StepCheckpoint;
}

const CHECKPOINT = /^ckpt-(.+)-(\d+)(?:@(\d+))?$/su;

/**
 * By the id of an execution, or of a checkpoint in one: without its attempt that is the latest. A checkpoint has the whole id
 * of its execution, whatever is done with it.
 */
export async function findPlace(
  context: AppContext,
  store: LogStore,
  wanted: NamedExecution,
): Promise<FoundPlace> {
  const { text } = wanted;
  if (!text.startsWith("ckpt-")) return { found: await requireExecution(context, store, wanted) };
  // A program may call its execution like a checkpoint.
  const named = await findExecution(context, store, { text, naming: "whole" });
  if (named !== undefined) return { found: named };
  const [, execution = "", index, attempt] = CHECKPOINT.exec(text) ?? [];
  const found =
    execution === "" ? undefined : await findExecution(context, store, { text: execution, naming: "whole" });
  if (found === undefined) {
    const near = execution === "" ? undefined : await nearExecution(context, store, execution);
    throw executionNotFound(text, execution, near && checkpointLike(text, execution, near));
  }
  const meant = found.steps.filter(
    (each) => each.index === Number(index) && (attempt === undefined || each.attempt === Number(attempt)),
  );
  const step = meant.findLast(({ branch }) => branch === "here") ?? meant.at(-1);
  if (step !== undefined) return { found, step };
  throw checkpointNotFound(
    text,
    found.steps.map(({ id }) => id),
  );
}

function executionNotFound(given: string, execution: string, near: string | undefined): WorldlineError {
  return new WorldlineError("checkpoint-named-unknown", {
    given,
    ...(execution === "" ? {} : { execution }),
    ...(near === undefined ? {} : { near }),
  });
}

/** The same step of the other execution. */
function checkpointLike(text: string, execution: string, near: string): string {
  return `ckpt-${near}${text.slice("ckpt-".length + execution.length)}`;
}

function severalSteps(id: string, name: string, places: readonly number[]): WorldlineError {
  return new WorldlineError("steps-of-same-name", { execution: listedId(id), name, places });
}

/** The step that `--step` means, by its place or its name: the latest attempt that can be gone back to. */
export function namedStep({ id, steps }: FoundExecution, wanted: string): StepCheckpoint {
  const placed = steps.filter(({ index }) => String(index) === wanted);
  const meant = placed.length > 0 ? placed : steps.filter(({ name }) => name === wanted);
  const here = meant.filter(({ branch }) => branch === "here");
  const places = [...new Set((here.length > 0 ? here : meant).map(({ index }) => index))];
  if (places.length > 1) throw severalSteps(id, wanted, places);
  const step =
    (here.length > 0 ? here : meant).findLast(({ status }) => status === "success") ?? meant.at(-1);
  if (step !== undefined) return step;
  const known = [...new Set(steps.map(({ index, name }) => `${index} ${name}`))];
  throw new WorldlineError("step-named-unknown", { execution: id, step: wanted, known });
}
