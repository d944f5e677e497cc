import type { ReasonFields } from "../ports/agent-events.ts";
import type { DraftOf } from "../record/entry.ts";
import type { ErrorCode } from "../record/error.ts";
import type { Json } from "../record/parts.ts";

/** What went wrong, as an error that was thrown or as a model's failure. */
export interface Failure extends ReasonFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The reason and its parameters, where there are any, for events and entries. */
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
