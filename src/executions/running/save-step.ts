import { WorldlineError } from "../../record/error.ts";
import { requireSaveRequest } from "../check-calls.ts";
import type { SaveRequest, StepCheckpoint } from "../execution.ts";
import type { StepRecord } from "../step-records.ts";
import { requireIndex, requireName } from "./run-step.ts";
import type { StepLedger } from "./step-ledger.ts";
import { keepFailure, keepGiven } from "./step-values.ts";

/** Writes down a step that the program runs by itself. Everything is checked before anything is written. */
export async function saveStep(ledger: StepLedger, request: SaveRequest): Promise<StepCheckpoint> {
  requireSaveRequest(request);
  const index = requireIndex(request.index);
  const { name, status = "success", error } = request;
  requireName(name);
  if (ledger.running.includes(index)) {
    throw new WorldlineError("step-running", { index, why: "saved" });
  }
  const kept = { ...keepGiven(request), ...(error === undefined ? {} : keepFailure(error)) };
  ledger.claim(index);
  try {
    await ledger.ready();
    const open = openAttempt(ledger, { index, name, status });
    const attempt = open?.attempt ?? ledger.records.nextAttempt(index);
    const draft = { kind: "saved", name, index, attempt, status, ...kept } as const;
    await (status === "pending" ? ledger.begin(draft) : ledger.end(draft));
    return await ledger.read(ledger.records.named({ index, attempt }) as StepRecord);
  } finally {
    ledger.release(index);
  }
}

/** The attempt that this finishes. One that an earlier run began is not begun again: that is another attempt. */
function openAttempt(ledger: StepLedger, { index, name, status }: OpenWish): StepRecord | undefined {
  const known = ledger.records.here(index);
  if (known?.status !== "pending" || known.name !== name) return undefined;
  return status === "pending" && !ledger.isOfThisRun(known) ? undefined : known;
}

type OpenWish = Required<Pick<SaveRequest, "index" | "name" | "status">>;
