import { WorldlineError } from "../record/error.ts";
import { checkArgument, checkOptions, type OptionKind, type OptionsOf, option } from "../record/options.ts";
import type { CheckpointFilter, RetryOptions, SaveRequest, StepOptions, SuccessFilter } from "./execution.ts";

const values = {
  state: option.anything,
  context: option.anything,
  variables: option.anything,
  metadata: option.anything,
};

/** What may become of an unfinished step. */
export const decisionKind: OptionKind = {
  called: '"retry", "skip", "fail" or { skip: output }',
  holds: (value) =>
    ["retry", "skip", "fail"].includes(value as string) ||
    (option.object.holds(value) && Object.keys(value as object).join() === "skip"),
  words: ["retry", "skip", "fail"],
};

const stepOptions: OptionsOf<StepOptions> = {
  call: "step",
  kinds: {
    ...values,
    index: option.anything,
    maxRetries: option.anything,
    unfinished: {
      called: `${decisionKind.called}, or a function that returns it`,
      holds: (value) => decisionKind.holds(value) || option.callback.holds(value),
      words: decisionKind.words ?? [],
    },
    onFailed: option.oneOf("retry", "rethrow"),
  },
};

const STEP_HINT = 'Call it so: step("fetch", async () => fetchIt(), { maxRetries: 3 })';

/** A place, a number of retries and a decision have checks of their own, which say more. */
export function requireStep(work: unknown, options: unknown): void {
  checkArgument(work, "The work of a step", { kind: option.callback, hint: STEP_HINT });
  checkOptions(options, stepOptions);
}

const saveRequest: OptionsOf<SaveRequest> = {
  call: "save",
  kinds: {
    ...values,
    name: option.anything,
    index: option.anything,
    status: option.oneOf("pending", "success", "failed"),
    error: option.anything,
  },
};

export function requireSaveRequest(request: unknown): void {
  const hint = 'Say at least its name and place: save({ name: "fetch", index: 0 })';
  checkArgument(request, "What is saved", { kind: option.object, hint });
  checkOptions(request, saveRequest);
}

const retryOptions: OptionsOf<RetryOptions<unknown>> = {
  call: "retryFrom",
  kinds: {
    maxRetries: option.anything,
    restore: option.callback,
    run: option.callback,
    name: option.anything,
  },
};

export function requireRetry(options: unknown): void {
  checkOptions(options, retryOptions);
}

export function requireRestore(restore: unknown): void {
  const hint = "Nothing was changed. Hand in a function that gets the checkpoint, or leave it out.";
  checkArgument(restore, "What restores a state", { kind: option.callback, hint });
}

/** `delete` means the whole execution: an id that was meant for a single checkpoint must not delete all of them. */
export function requireNothingGiven(given: readonly unknown[]): void {
  if (given.length === 0) return;
  throw new WorldlineError("delete-with-arguments", {});
}

export function requireCheckpointId(id: unknown): void {
  const hint = "checkpoints() has those that there are, such as ckpt-exec-123-2@1.";
  checkArgument(id, "The id of a checkpoint", { kind: option.text, hint });
}

export function checkpointFilter(filter: CheckpointFilter = {}): Required<CheckpointFilter> {
  checkOptions<CheckpointFilter>(filter, {
    call: "checkpoints",
    kinds: { branch: option.oneOf("here", "all") },
  });
  return { branch: filter.branch ?? "all" };
}

export function successFilter(filter: SuccessFilter = {}): Required<SuccessFilter> {
  checkOptions<SuccessFilter>(filter, { call: "lastSuccessful", kinds: { before: option.number } });
  return { before: filter.before ?? Number.POSITIVE_INFINITY };
}
