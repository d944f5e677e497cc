import type { ErrorCode } from "../record/error.ts";
import type { JsonObject, ReplyPart, Usage } from "../record/parts.ts";
import type { Context } from "../timeline/context/context.ts";

/**
 * A model that replies to a context: a provider's model, a local model, or the offline worker.
 *
 * Contract, checked by `modelContract` in `testing/`:
 * - `stream` never throws, yields deltas as they arrive, and ends with exactly one `end` or `failed`.
 * - `end` contains the whole reply in order, including the parts already sent as deltas.
 * - `stream` makes one request and does not retry. The caller decides whether to retry.
 * - When the signal aborts, `stream` promptly ends with `failed` and the code CANCELLED.
 * - The same context and tools always result in the same request bytes, up to the last message. The request for a
 *   longer context begins with the same bytes.
 */
export interface Model {
  /** The model's name in the log, such as "anthropic/claude-sonnet-4-5". */
  readonly name: string;
  /** The size of the model's context window, in tokens. */
  readonly window: number;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly context: Context;
  readonly tools: readonly ToolSpec[];
  /** The maximum length of the reply; by default, the model's own limit. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

/** The definition of a tool, as sent to the model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the tool's arguments. */
  readonly parameters: JsonObject;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A piece of a call's arguments. The first piece can be empty. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly text: string }
  | {
      readonly type: "end";
      readonly parts: readonly ReplyPart[];
      /** "length": the reply hit the model's output limit. */
      readonly end?: "length";
      readonly usage?: Usage;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** The reason why there is no reply. Failures are expected, so they are returned rather than thrown. */
export interface ModelFailure {
  readonly code: ModelFailureCode;
  readonly message: string;
  readonly hint?: string;
  /**
   * The code and parameters of the message and hint, so that screens can render them in the user's language. Absent if
   * the text was not written by Worldline.
   */
  readonly reason?: string;
  readonly params?: unknown;
  /** "soon": the same request may succeed after a while. "never": the same request would always fail. */
  readonly retry: "soon" | "never";
  /** The delay requested by the provider; absent if the provider requested none. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export type ModelFailureCode = Extract<
  ErrorCode,
  | "CANCELLED"
  | "CONTEXT_TOO_LONG"
  | "MODEL_BUSY"
  | "MODEL_FAILED"
  | "MODEL_KEY"
  | "MODEL_REDIRECTED"
  | "MODEL_REFUSED"
  | "MODEL_UNKNOWN"
  | "MODEL_UNREACHABLE"
>;
