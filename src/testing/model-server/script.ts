import type { Json } from "../../record/parts.ts";

/** One of the four wire formats of a request. */
export type Wire = "anthropic" | "chat" | "responses" | "ollama";

/** A model's reply, independent of the wire. The server writes it in the format of the request. */
export interface ScriptedReply {
  readonly thinking?: string;
  /** The text, which is sent in two or more deltas. */
  readonly text?: string;
  /** The reply's calls, which are made in parallel. */
  readonly calls?: readonly ScriptedCall[];
  /** The token counts. The server computes the ones that are missing. */
  readonly usage?: Partial<TokenCounts>;
  readonly stop?: "length" | "content-filter";
  readonly misbehave?: Misbehaviour;
  /** How long to wait before the first byte of the answer, including its headers. */
  readonly delayMs?: number;
  /**
   * A promise to wait for, after the first delta or before the first byte; see `holdAt`. The wait ends if the client
   * disconnects.
   */
  readonly hold?: Promise<void>;
  /** "first-delta" by default. */
  readonly holdAt?: "start" | "first-delta";
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: Json;
  /** The id; by default one that no other call has. Empty and repeated ids are sent as given. */
  readonly id?: string;
  /** A text that is sent instead of `input`, and that need not be JSON. */
  readonly rawArguments?: string;
}

/** The numbers of tokens, as a provider bills them. */
export interface TokenCounts {
  /** The tokens of the request that were neither read from the cache nor written to it. */
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** A way in which a provider may misbehave. */
export type Misbehaviour =
  /**
   * Answers with this status, and with the wire's own error or with `body`. In a `scripted` list this happens `times`
   * times (by default once), and then the rest of the reply follows.
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
  /** Never answers. Ends when the client disconnects or the server closes. */
  | { readonly do: "silence" }
  /** Sends bytes that are not events. */
  | { readonly do: "garbage" };

/** Decides the reply to a request that was not refused. `index` counts these requests, from 0. */
export type Responder = (request: ReceivedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

/**
 * A message, independent of the wire. Tool results are messages with the role "tool", one for each group of consecutive
 * results.
 */
export interface NormalMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  /** All text in the message. Blocks are joined by a line break. */
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
  /** Set if the result is an error, which only Anthropic's wire can express. */
  readonly isError: boolean;
}

/** A request to the model, as received and as interpreted. */
export interface ReceivedRequest {
  /** The index of the request in `requests`, which includes refused ones. */
  readonly index: number;
  readonly wire: Wire;
  /** The path, without the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly bytes: Uint8Array;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly NormalMessage[];
  /** The names of the tools, in the order of the request. */
  readonly tools: readonly string[];
  /** The tokens of the whole request, cached or not. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** Why the server answered with 400 or 401. Tests assert that this field is absent from every request. */
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
