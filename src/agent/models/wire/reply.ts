import type { ModelEvent, ModelRequest } from "../../../ports/model.ts";
import { remark } from "../../../record/error.ts";
import type { ReplyPart, ToolCallPart } from "../../../record/parts.ts";
import { isDeeperThan, isJsonObject, type Json, MAX_INPUT_DEPTH } from "../../../record/parts.ts";
import { HttpError, UnusableResponse } from "../../http-body.ts";
import { type FailureContext, failureOf } from "./failure.ts";
import { takeCallId } from "./prompt.ts";

interface TextDraft {
  readonly type: "text" | "thinking";
  text: string;
  signature?: string;
}

interface CallDraft {
  readonly type: "call";
  readonly call: string;
  readonly name: string;
  text: string;
}

type Draft = TextDraft | CallDraft;

/** Maximum number of parts in one reply. The number is limited because each call is run and logged. */
const MAX_PARTS = 1_000;

/** A reply under construction. The key of each part is the provider's name for it. A provider may reuse a key. */
export class ReplyDraft {
  readonly #taken: Set<string>;
  readonly #drafts: Draft[] = [];
  readonly #byKey = new Map<string, Draft>();

  /** `taken` contains the ids of the context's calls. */
  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  /** Begins a part of text or thinking, or continues the open one with the same key. */
  begin(type: "text" | "thinking", key: string): TextDraft {
    const known = this.#byKey.get(`${type} ${key}`);
    if (known !== undefined && known.type !== "call") return known;
    const draft: TextDraft = { type, text: "" };
    this.#add(draft);
    this.#byKey.set(`${type} ${key}`, draft);
    return draft;
  }

  end(type: "text" | "thinking", key: string): void {
    this.#byKey.delete(`${type} ${key}`);
  }

  *add(type: "text" | "thinking", key: string, text: string): Generator<ModelEvent> {
    const draft = this.begin(type, key);
    if (text === "") return;
    draft.text += text;
    yield { type, text };
  }

  /** Begins a call. `written` is the id that the provider sent, if any. */
  *beginCall(key: string, written: string | undefined, name: string): Generator<ModelEvent> {
    const draft: CallDraft = { type: "call", call: takeCallId(written, this.#taken), name, text: "" };
    this.#add(draft);
    this.#byKey.set(`call ${key}`, draft);
    yield { type: "call", call: draft.call, name, text: "" };
  }

  *addToCall(key: string, text: string): Generator<ModelEvent> {
    const draft = this.#call(key);
    if (draft === undefined || text === "") return;
    draft.text += text;
    yield { type: "call", call: draft.call, name: draft.name, text };
  }

  /** Takes the complete arguments, and emits the text that the earlier pieces did not contain. */
  *endCall(key: string, whole: string): Generator<ModelEvent> {
    const draft = this.#call(key);
    if (draft === undefined) return;
    if (draft.text === "" && whole !== "{}") yield* this.addToCall(key, whole);
    draft.text = whole;
    this.#byKey.delete(`call ${key}`);
  }

  hasCall(key: string): boolean {
    return this.#call(key) !== undefined;
  }

  /** Returns the parts of the reply, except empty ones. Signed thinking is kept even if it is empty. */
  parts(): readonly ReplyPart[] {
    return this.#drafts.flatMap(partsOf);
  }

  #add(draft: Draft): void {
    if (this.#drafts.length >= MAX_PARTS) {
      throw new UnusableResponse("HTTP_BODY_TOO_LARGE", remark("http-too-many-parts", { most: MAX_PARTS }));
    }
    this.#drafts.push(draft);
  }

  #call(key: string): CallDraft | undefined {
    const draft = this.#byKey.get(`call ${key}`);
    return draft?.type === "call" ? draft : undefined;
  }
}

function partsOf(draft: Draft): ReplyPart[] {
  if (draft.type === "call") return [callPart(draft)];
  const { type, text, signature } = draft;
  if (type === "text") return text === "" ? [] : [{ type, text }];
  if (signature !== undefined) return [{ type, text, signature }];
  return text === "" ? [] : [{ type, text }];
}

function callPart({ call, name, text }: CallDraft): ToolCallPart {
  const input = argumentsOf(text);
  const base = { type: "tool-call", call, name } as const;
  return input === undefined ? { ...base, input: {}, malformed: text } : { ...base, input };
}

/**
 * Parses a call's arguments. Returns undefined for arguments that tools and Anthropic would reject, because the
 * arguments are not a JSON object or are nested too deeply to be written.
 */
function argumentsOf(text: string): Json | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && !isDeeperThan(value, MAX_INPUT_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a token count from a provider, or 0 for anything that is not a valid count. */
export function tokenCount(said: unknown): number {
  return typeof said === "number" && said >= 0 && said <= Number.MAX_SAFE_INTEGER ? Math.round(said) : 0;
}

/** A reply that is built from the pieces of a provider's stream. */
interface GrowingReply<Piece> {
  /** Whether the reply is complete. Anything that follows a complete reply is ignored. */
  readonly isOver: boolean;
  take(piece: Piece): Iterable<ModelEvent>;
  outcome(context: FailureContext): ModelEvent;
}

interface Streaming<Piece> {
  readonly reply: GrowingReply<Piece>;
  /** Makes the request, which the signal can abort. */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Piece>;
  readonly context: (cancelled: FailureContext["cancelled"]) => FailureContext;
}

/**
 * Maximum number of characters in the text, thinking and arguments of one reply: many times the length of any model's
 * longest reply.
 */
const MAX_REPLY_CHARACTERS = 16_000_000;

/** Makes one request and reads the reply until it ends or fails. Implements `Model.stream` for every provider. */
export async function* streamReply<Piece>(
  { signal: wanted }: ModelRequest,
  { reply, pieces, context }: Streaming<Piece>,
): AsyncGenerator<ModelEvent> {
  // This controller also aborts the request if the reader stops reading.
  const stop = new AbortController();
  const signal = AbortSignal.any([wanted, stop.signal]);
  const contextNow = (): FailureContext => context(wanted.aborted ? "yes" : "no");
  const silence = new Silence(contextNow(), (error) => stop.abort(error));
  let characters = 0;
  try {
    wanted.throwIfAborted();
    silence.begin();
    for await (const piece of pieces(signal)) {
      for (const event of reply.take(piece)) {
        characters += "text" in event ? event.text.length : 0;
        if (characters > MAX_REPLY_CHARACTERS)
          throw new UnusableResponse("HTTP_BODY_TOO_LARGE", remark("http-too-long"));
        // The provider is not silent just because the reader is slow.
        silence.pause();
        yield event;
        silence.beginAfterEvent();
      }
      if (reply.isOver) break;
    }
    yield reply.outcome(contextNow());
  } catch (error) {
    yield { type: "failed", failure: failureOf(silence.error ?? error, contextNow()) };
  } finally {
    silence.pause();
    stop.abort();
  }
}

/**
 * Measures the time since the last piece of the reply arrived. Pings, comments and empty deltas do not count, because
 * they show only that the connection is alive, not that the model is answering.
 */
class Silence {
  error: HttpError | undefined;
  readonly #context: FailureContext;
  readonly #onSilent: (error: HttpError) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: FailureContext, onSilent: (error: HttpError) => void) {
    this.#context = context;
    this.#onSilent = onSilent;
  }

  begin(): void {
    this.#start(this.#context.connectMs + this.#context.firstByteMs, "HTTP_FIRST_BYTE_TIMEOUT");
  }

  beginAfterEvent(): void {
    this.#start(this.#context.silenceMs, "HTTP_SILENT");
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number, code: "HTTP_FIRST_BYTE_TIMEOUT" | "HTTP_SILENT"): void {
    this.pause();
    this.#timer = setTimeout(() => {
      this.error = new HttpError(code, "Timed out waiting for the reply.");
      this.#onSilent(this.error);
    }, ms);
  }
}
