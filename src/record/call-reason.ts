import { type CallReason, callReasonsInEnglish, callReasonText } from "../strings/call-reasons.ts";

export type { CallReason };

/** Renders a reason in English, for models, scripts, and older versions that read the log. */
export function callReasonInEnglish(reason: CallReason): string {
  return callReasonText(callReasonsInEnglish, reason) ?? "";
}
