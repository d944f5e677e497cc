import type { ErrorCode } from "../record/error.ts";
import type { JsonObject, ReplyPart, Usage } from "../record/parts.ts";
import type { Context } from "../timeline/context/context.ts";

/**
 * Something that answers a context: a provider's model, a local one, or the offline worker.
 *
 * Contract, checked by `modelContract` in `testing/`:
 * - `stream` never throws. It yields deltas as they arrive and ends with exactly one `end` or `failed`.
 * - `end` contains the whole reply, in order, including the deltas.
 * - It makes one request and does not retry: the caller decides about retries.
 * - When the signal aborts it ends soon, with `failed` and CANCELLED.
 * - The same context and tools are the same bytes in the request, up to their last message; a longer context begins
 *   with them.
 */
export interface Model {
  /** Its name in the log: "anthropic/claude-sonnet-4-5". */
  readonly name: string;
  /** How many tokens its context holds. */
  readonly window: number;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly context: Context;
  readonly tools: readonly ToolSpec[];
  /** By default the model's own limit. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

/** A tool's definition for the model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The arguments of a call, piece by piece; the first piece may be empty. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly text: string }
  | {
      readonly type: "end";
      readonly parts: readonly ReplyPart[];
      /** "length": it hit its limit. */
      readonly end?: "length";
      readonly usage?: Usage;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** Why there is no reply. Failures are expected, so they are returned and not thrown. */
export interface ModelFailure {
  readonly code: ModelFailureCode;
  readonly message: string;
  readonly hint?: string;
  /**
   * The code and parameters of the message and hint, if the message is Worldline's own: screens render them in the
   * user's language.
   */
  readonly reason?: string;
  readonly params?: unknown;
  /** "soon": the same request may succeed in a while. "never": it will not. */
  readonly retry: "soon" | "never";
  /** The delay that the provider asked for, if any. */
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
