import type { CheckpointFilter, SuccessFilter } from "../execution.ts";
import { requireFields, requireGiven } from "./given.ts";

const STEP_HINT = 'Call it so: step("fetch", async () => fetchIt(), { maxRetries: 3 })';

export function requireStep(work: unknown, options: unknown): void {
  requireGiven(work, { what: "The work of a step", kind: "function", hint: STEP_HINT });
  requireGiven(options, { what: "What a step is given beside its work", kind: "object", hint: STEP_HINT });
}

export function requireSaveRequest(request: unknown): void {
  const hint = 'Say at least its name and place: save({ name: "fetch", index: 0 })';
  requireGiven(request, { what: "What is saved", kind: "object", hint });
}

export function requireRetry(options: unknown): void {
  requireFields(
    options,
    { restore: "function", run: "function" },
    {
      what: "What retryFrom is given beside the place",
      hint: "Call it so: retryFrom(2, { maxRetries: 3, restore, run })",
    },
  );
}

export function requireRestore(restore: unknown): void {
  const hint = "Nothing was changed. Hand in a function that gets the checkpoint, or leave it out.";
  requireGiven(restore, { what: "What restores a state", kind: "function", hint });
}

export function requireCheckpointId(id: unknown): void {
  const hint = "checkpoints() has those that there are, such as ckpt-exec-123-2@1.";
  requireGiven(id, { what: "The id of a checkpoint", kind: "text", hint });
}

export function checkpointFilter(filter: CheckpointFilter = {}): Required<CheckpointFilter> {
  const hint = 'Call it so: checkpoints({ branch: "here" })';
  requireFields(filter, { branch: "branch" }, { what: "What checkpoints is given", hint });
  return { branch: filter.branch ?? "all" };
}

export function successFilter(filter: SuccessFilter = {}): Required<SuccessFilter> {
  const hint = "Call it so: lastSuccessful({ before: 3 })";
  requireFields(filter, { before: "number" }, { what: "What lastSuccessful is given", hint });
  return { before: filter.before ?? Number.POSITIVE_INFINITY };
}
