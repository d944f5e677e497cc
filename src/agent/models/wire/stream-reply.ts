import type { ModelEvent, ModelRequest } from "../../../ports/model.ts";
import { HttpError } from "../../http/http-error.ts";
import { failureOf, type Scene } from "./failure.ts";

/** A reply that is put together from the pieces of a provider's stream. */
export interface GrowingReply<Piece> {
  /** Nothing that follows belongs to it. */
  readonly isOver: boolean;
  take(piece: Piece): Iterable<ModelEvent>;
  outcome(scene: Scene): ModelEvent;
}

export interface Streaming<Piece> {
  readonly reply: GrowingReply<Piece>;
  /** Makes the request; the signal aborts it. */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Piece>;
  readonly scene: (cancelled: Scene["cancelled"]) => Scene;
}

const TOO_LONG = "It is longer than any reply of a model.";
/** Of text, thinking and arguments in one reply: many times the longest one of any model. */
const MAX_REPLY_CHARACTERS = 16_000_000;

/** One request, from its first piece to its end or its failure: what `Model.stream` promises, whatever the provider. */
export async function* streamReply<Piece>(
  { signal: wanted }: ModelRequest,
  { reply, pieces, scene }: Streaming<Piece>,
): AsyncGenerator<ModelEvent> {
  // Whoever stops reading wants no more of it either.
  const stop = new AbortController();
  const signal = AbortSignal.any([wanted, stop.signal]);
  const sceneNow = (): Scene => scene(wanted.aborted ? "yes" : "no");
  const silence = new Silence(sceneNow(), (error) => stop.abort(error));
  let characters = 0;
  try {
    wanted.throwIfAborted();
    silence.begin();
    for await (const piece of pieces(signal)) {
      for (const event of reply.take(piece)) {
        characters += "text" in event ? event.text.length : 0;
        if (characters > MAX_REPLY_CHARACTERS) throw new HttpError("HTTP_BODY_TOO_LARGE", TOO_LONG);
        // A slow reader does not mean that the provider is silent.
        silence.pause();
        yield event;
        silence.beginAfterEvent();
      }
      if (reply.isOver) break;
    }
    yield reply.outcome(sceneNow());
  } catch (error) {
    yield { type: "failed", failure: failureOf(silence.error ?? error, sceneNow()) };
  } finally {
    silence.pause();
    stop.abort();
  }
}

/**
 * Counts the time in which nothing of the reply comes. Pings, comments and empty deltas show that a connection lives, and not that
 * a model answers: they do not count.
 */
class Silence {
  error: HttpError | undefined;
  readonly #scene: Scene;
  readonly #onSilent: (error: HttpError) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(scene: Scene, onSilent: (error: HttpError) => void) {
    this.#scene = scene;
    this.#onSilent = onSilent;
  }

  begin(): void {
    this.#start(this.#scene.connectMs + this.#scene.firstByteMs, "HTTP_FIRST_BYTE_TIMEOUT");
  }

  beginAfterEvent(): void {
    this.#start(this.#scene.silenceMs, "HTTP_SILENT");
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number, code: "HTTP_FIRST_BYTE_TIMEOUT" | "HTTP_SILENT"): void {
    this.pause();
    this.#timer = setTimeout(() => {
      this.error = new HttpError(code, "Nothing of the reply came in time.");
      this.#onSilent(this.error);
    }, ms);
  }
}
