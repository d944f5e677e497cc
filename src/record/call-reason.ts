import { type CallReason, callReasonsInEnglish, callReasonText } from "../strings/call-reasons.ts";

export type { CallReason };

/** A reason in English, for models, scripts, and logs that older versions read. */
export function callReasonInEnglish(reason: CallReason): string {
  return callReasonText(callReasonsInEnglish, reason) ?? "";
}
