import { WorldlineError } from "../record/error.ts";
import { checkArgument, checkOptions, type OptionKind, type OptionsOf, option } from "../record/options.ts";
import type { CheckpointFilter, RetryOptions, SaveRequest, StepOptions, SuccessFilter } from "./execution.ts";

const values = {
  state: option.anything,
  context: option.anything,
  variables: option.anything,
  metadata: option.anything,
};

/** A decision that a caller can make about an unfinished step. */
export const decisionKind: OptionKind = {
  must: { must: "decision" },
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
      must: { must: "or-function", of: decisionKind.must },
      holds: (value) => decisionKind.holds(value) || option.callback.holds(value),
      words: decisionKind.words ?? [],
    },
    onFailed: option.oneOf("retry", "rethrow"),
  },
};

/**
 * Checks the arguments of `step`. Indices, retry counts, and decisions are checked elsewhere, where the error messages
 * can be more specific.
 */
export function requireStep(work: unknown, options: unknown): void {
  checkArgument(work, "step-work", option.callback);
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
  checkArgument(request, "save-request", option.object);
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
  checkArgument(restore, "restore-function", option.callback);
}

/**
 * Throws if any argument is passed. `delete` removes the whole execution, so an id that was meant for a single
 * checkpoint must not delete all checkpoints.
 */
export function requireNothingGiven(given: readonly unknown[]): void {
  if (given.length === 0) return;
  throw new WorldlineError("delete-with-arguments", {});
}

export function requireCheckpointId(id: unknown): void {
  checkArgument(id, "checkpoint-id", option.text);
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
