import type { ModelFailure, ModelFailureCode } from "../../../ports/model.ts";
import { type ErrorParams, type ErrorReason, inEnglish } from "../../../record/error.ts";

/** A failure by its reason, with the English words. */
export function modelFailure<Reason extends ErrorReason>(
  reason: Reason,
  params: ErrorParams<Reason>,
  retry: ModelFailure["retry"],
): ModelFailure {
  const { code, ...words } = inEnglish(reason, params);
  return { code: code as ModelFailureCode, ...words, retry };
}
