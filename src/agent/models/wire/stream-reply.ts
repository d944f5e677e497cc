import type { ModelEvent, ModelRequest } from "../../../ports/model.ts";
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

/** One request, from its first piece to its end or its failure: what `Model.stream` promises, whatever the provider. */
export async function* streamReply<Piece>(
  { signal: wanted }: ModelRequest,
  { reply, pieces, scene }: Streaming<Piece>,
): AsyncGenerator<ModelEvent> {
  // Whoever stops reading wants no more of it either.
  const stop = new AbortController();
  const signal = AbortSignal.any([wanted, stop.signal]);
  const sceneNow = (): Scene => scene(wanted.aborted ? "yes" : "no");
  try {
    wanted.throwIfAborted();
    for await (const piece of pieces(signal)) {
      yield* reply.take(piece);
      if (reply.isOver) break;
    }
    yield reply.outcome(sceneNow());
  } catch (error) {
    yield { type: "failed", failure: failureOf(error, sceneNow()) };
  } finally {
    stop.abort();
  }
}
