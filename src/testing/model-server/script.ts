import type { Json } from "../../record/parts.ts";

/** One of the four wire formats of a request. */
export type Wire = "anthropic" | "chat" | "responses" | "ollama";

/** What the model says, independent of the wire; the server writes it in the request's format. */
export interface ScriptedReply {
  readonly thinking?: string;
  /** Sent in two or more deltas. */
  readonly text?: string;
  /** The calls of one reply, made in parallel. */
  readonly calls?: readonly ScriptedCall[];
  /** Counts that are missing are computed by the server. */
  readonly usage?: Partial<TokenCounts>;
  readonly stop?: "length" | "content-filter";
  readonly misbehave?: Misbehaviour;
  /** Waits before the first byte of the answer, including its headers. */
  readonly delayMs?: number;
  /** Waits for this promise after the first delta, or before the first byte; see `holdAt`. The wait ends if the client disconnects. */
  readonly hold?: Promise<void>;
  /** "first-delta" by default. */
  readonly holdAt?: "start" | "first-delta";
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: Json;
  /** By default an id that no other call has. Empty and repeated ids are sent as given. */
  readonly id?: string;
  /** Sent instead of `input`; need not be JSON. */
  readonly rawArguments?: string;
}

/** Tokens, as a provider bills them. */
export interface TokenCounts {
  /** Tokens of the request that were neither read from the cache nor written to it. */
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** How a provider misbehaves. */
export type Misbehaviour =
  /**
   * Answers with this status and the wire's own error, or with `body`. In a `scripted` list it does so `times` times (once by
   * default), and then the rest of the reply follows.
   */
  | {
      readonly do: "status";
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly times?: number;
    }
  /** Destroys the connection. */
  | { readonly do: "cut"; readonly after: "headers" | "first-delta" | "half" }
  /** Ends the stream normally, but without its last events. */
  | { readonly do: "end-early" }
  /** Reports a failure in the middle of the stream. */
  | { readonly do: "error-event"; readonly message?: string }
  /** A valid reply without content. */
  | { readonly do: "empty" }
  /** Never answers; ends when the client disconnects or the server closes. */
  | { readonly do: "silence" }
  /** Sends bytes that are not events. */
  | { readonly do: "garbage" };

/** Decides the reply to a request that was not refused. `index` counts these requests, from 0. */
export type Responder = (request: ReceivedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

/** A message independent of the wire. Results of tools are messages with the role "tool", one for each group of consecutive results. */
export interface NormalMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  /** All its text; blocks are joined by a line break. */
  readonly text: string;
  readonly calls: readonly NormalCall[];
  readonly results: readonly NormalResult[];
  /** The number of images, including those inside results. */
  readonly images: number;
}

export interface NormalCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

export interface NormalResult {
  readonly id: string;
  readonly text: string;
  /** Only Anthropic's wire can express this. */
  readonly isError: boolean;
}

/** A request to the model, as received and as interpreted. */
export interface ReceivedRequest {
  /** Its index in `requests`, which includes refused ones. */
  readonly index: number;
  readonly wire: Wire;
  /** Without the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly bytes: Uint8Array;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly NormalMessage[];
  /** The names, in the order of the request. */
  readonly tools: readonly string[];
  /** For the whole request, cached or not. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** Why the server answered with 400 or 401; tests assert that no request has this. */
  readonly refused?: string;
}

/** Plays the replies one after the other, and then answers that the script is over. */
export function scripted(...replies: readonly ScriptedReply[]): Responder {
  const answers = replies.flatMap(answersOf);
  let next = 0;
  return () => answers[next++] ?? { text: "(the script is over)" };
}

function answersOf(reply: ScriptedReply): readonly ScriptedReply[] {
  const { misbehave, ...rest } = reply;
  if (misbehave?.do !== "status") return [reply];
  const failures = Array.from({ length: misbehave.times ?? 1 }, () => ({ misbehave }));
  const says = rest.text !== undefined || rest.thinking !== undefined || rest.calls !== undefined;
  return says ? [...failures, rest] : failures;
}
