import type { AgentEvent, ReasonFields } from "../ports/agent-events.ts";
import type { DraftOf } from "../record/entry.ts";
import { type ErrorCode, remark } from "../record/error.ts";
import type { Json } from "../record/parts.ts";

/** A failure, either thrown as an error or returned by a model. */
export interface Failure extends ReasonFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Returns the reason code and its parameters, if known, for events and entries. */
export function reasonFields({ reason, params }: ReasonFields): ReasonFields {
  return reason === undefined ? {} : { reason, params };
}

export function errorEntry(failure: Failure): DraftOf<"error"> {
  const { code, message, hint, reason, params } = failure;
  return {
    kind: "error",
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(reason === undefined ? {} : { reason, params: params as Json }),
  };
}

/** Returns the warning that a reply was cut off at the model's output limit. */
export function replyCut(): AgentEvent {
  const { why: message, ...made } = remark("reply-cut");
  return { type: "warning", code: "REPLY_CUT", message, ...made };
}
