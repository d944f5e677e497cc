import type { Json } from "../../record/parts.ts";

/** One of the four ways in which a request can be written. */
export type Wire = "anthropic" | "chat" | "responses" | "ollama";

/** What the model says, in words that all wires share; the server writes it as the wire of the request wants it. */
export interface ScriptedReply {
  readonly thinking?: string;
  /** Sent in two or more deltas. */
  readonly text?: string;
  /** All of one reply: parallel calls. */
  readonly calls?: readonly ScriptedCall[];
  /** What is not given is counted by the server. */
  readonly usage?: Partial<TokenCounts>;
  readonly stop?: "length" | "content-filter";
  readonly misbehave?: Misbehaviour;
  /** Waits before the first byte of the answer, its headers included. */
  readonly delayMs?: number;
  /** Waits for it after the first delta, or before the first byte: see `holdAt`. A client that goes away ends the wait. */
  readonly hold?: Promise<void>;
  /** By default "first-delta". */
  readonly holdAt?: "start" | "first-delta";
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: Json;
  /** By default one that no other call has. Empty and repeated ids are sent as they are given. */
  readonly id?: string;
  /** Sent instead of `input`, and need not be JSON. */
  readonly rawArguments?: string;
}

/** Tokens, as a provider bills them. */
export interface TokenCounts {
  /** Of the request, neither read from the cache nor written to it. */
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** What a provider does on a bad day. */
export type Misbehaviour =
  /**
   * Answers with this status and the wire's own error, or with `body`. In a `scripted` list it does so `times`
   * times (once by default), and what else the reply says comes after that.
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
  /** Ends the stream politely, but without its last events. */
  | { readonly do: "end-early" }
  /** Says in the middle of the stream that it failed. */
  | { readonly do: "error-event"; readonly message?: string }
  /** A valid reply with nothing in it. */
  | { readonly do: "empty" }
  /** Never answers; ends when the client goes away or the server closes. */
  | { readonly do: "silence" }
  /** Sends bytes that are no events. */
  | { readonly do: "garbage" };

/** Decides the reply to a request that was not refused. `index` counts these requests, from 0. */
export type Responder = (request: ReceivedRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

/** A message as any wire wrote it. Results of tools are messages of role "tool", one for each run of results. */
export interface NormalMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  /** All text of it; blocks are joined by a line break. */
  readonly text: string;
  readonly calls: readonly NormalCall[];
  readonly results: readonly NormalResult[];
  /** How many, also those inside results. */
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
  /** Only Anthropic's wire can say so. */
  readonly isError: boolean;
}

/** A request of the model, as it came and as it reads. */
export interface ReceivedRequest {
  /** Its place in `requests`, refused ones included. */
  readonly index: number;
  readonly wire: Wire;
  /** Without what follows a question mark. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly bytes: Uint8Array;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly NormalMessage[];
  /** Names, in the order of the request. */
  readonly tools: readonly string[];
  /** Of the whole request, cached or not. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** Why the server answered 400 or 401 to it; tests assert that no request has one. */
  readonly refused?: string;
}

/** Plays the replies one after the other, and then says that the script is over. */
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
