import type { Json } from "../../record/parts.ts";

/** One of the four wire formats for requests. */
export type Wire = "anthropic" | "chat" | "responses" | "ollama";

/** A model's reply, independent of the wire format. The server writes the reply in the wire format of the request. */
export interface ScriptedReply {
  readonly thinking?: string;
  /** The text of the reply. It is sent in two or more deltas. */
  readonly text?: string;
  /** The calls in the reply. They are made in parallel. */
  readonly calls?: readonly ScriptedCall[];
  /** The token counts. The server computes any counts that are missing. */
  readonly usage?: Partial<TokenCounts>;
  readonly stop?: "length" | "content-filter";
  readonly misbehave?: Misbehaviour;
  /** Time to wait before sending the first byte of the answer, including its headers. */
  readonly delayMs?: number;
  /**
   * A promise to wait for, either before the first byte or after the first delta, as `holdAt` specifies. The wait ends
   * if the client disconnects.
   */
  readonly hold?: Promise<void>;
  /** Where to wait for `hold`. The default is "first-delta". */
  readonly holdAt?: "start" | "first-delta";
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: Json;
  /** The id of the call. The default is an id that no other call has. Empty and repeated ids are sent as given. */
  readonly id?: string;
  /** Text that is sent instead of `input`. It need not be JSON. */
  readonly rawArguments?: string;
}

/** Token counts, as billed by a provider. */
export interface TokenCounts {
  /** Number of tokens in the request that were neither read from the cache nor written to it. */
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** A way that a provider may misbehave. */
export type Misbehaviour =
  /**
   * Answers with this status and with `body`. The default body is the error in the wire format. In a `scripted` list,
   * the server answers this way `times` times (once by default) before it sends the rest of the reply.
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
  /** Sends a valid reply without content. */
  | { readonly do: "empty" }
  /** Never answers. The silence ends when the client disconnects or the server closes. */
  | { readonly do: "silence" }
  /** Sends bytes that are not events. */
  | { readonly do: "garbage" };

/**
 * Chooses the reply to a request that was not refused. `index` counts the requests that were not refused, starting at
 * 0.
 */
export type Responder = (request: ReceivedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

/**
 * A message, independent of the wire format. Tool results are in messages with the role "tool", one message for each
 * group of consecutive results.
 */
export interface NormalMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  /** All text in the message, with a line break between blocks. */
  readonly text: string;
  readonly calls: readonly NormalCall[];
  readonly results: readonly NormalResult[];
  /** Number of images, including images in tool results. */
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
  /** Whether the result is an error. Only Anthropic's wire format can express this. */
  readonly isError: boolean;
}

/** A request to the model, as received and as interpreted. */
export interface ReceivedRequest {
  /** The index of the request among all requests, including refused requests. */
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
  /** The names of the tools, in the order in which the request lists them. */
  readonly tools: readonly string[];
  /** Number of tokens in the whole request, whether or not they are cached. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** The reason why the server refused the request. Tests assert that this field is absent from every request. */
  readonly refused?: string;
}

/** Plays the replies one after another. After the last one, every reply says that the script is over. */
export function scripted(...replies: readonly ScriptedReply[]): Responder {
  const answers = replies.flatMap(answersOf);
  let next = 0;
  return () => answers[next++] ?? { text: "(end of the script)" };
}

function answersOf(reply: ScriptedReply): readonly ScriptedReply[] {
  const { misbehave, ...rest } = reply;
  if (misbehave?.do !== "status") return [reply];
  const failures = Array.from({ length: misbehave.times ?? 1 }, () => ({ misbehave }));
  const says = rest.text !== undefined || rest.thinking !== undefined || rest.calls !== undefined;
  return says ? [...failures, rest] : failures;
}
