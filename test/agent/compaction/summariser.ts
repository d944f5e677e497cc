import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../../src/ports/model.ts";
import type { ReplyPart } from "../../../src/record/parts.ts";
import { textOf, textPart } from "../../../src/record/parts.ts";

/**
 * How a summarizer answers a request: with a text, with parts, with a failure, or with a function of its
 * input.
 */
export type Behaviour =
  | string
  | readonly ReplyPart[]
  | Pick<ModelFailure, "code" | "retry">
  | ((given: string) => string | Pick<ModelFailure, "code" | "retry">);

/** A summarizer that works through `behaviours`, repeats the last one forever, and records its inputs. */
export function summariser(
  behaviours: readonly [Behaviour, ...Behaviour[]],
  { name = "test/summariser", window = 100_000 }: Partial<Pick<Model, "name" | "window">> = {},
): Model & { readonly given: string[] } {
  const given: string[] = [];
  return {
    name,
    window,
    given,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const asked = request.context.messages.map(({ parts }) => textOf(parts)).join("\n");
      given.push(asked);
      const behaviour = behaviours[Math.min(given.length, behaviours.length) - 1] ?? "";
      if (request.signal.aborted) yield failed({ code: "CANCELLED", retry: "never" });
      else yield eventOf(typeof behaviour === "function" ? behaviour(asked) : behaviour);
    },
  };
}

function eventOf(behaviour: Exclude<Behaviour, (given: string) => unknown>): ModelEvent {
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
  if (typeof behaviour === "string") {
    return { type: "end", parts: behaviour === "" ? [] : [textPart(behaviour)], usage };
  }
  return "code" in behaviour ? failed(behaviour) : { type: "end", parts: behaviour, usage };
}

function failed({ code, retry }: Pick<ModelFailure, "code" | "retry">): ModelEvent {
  return { type: "failed", failure: { code, retry, message: `The provider says ${code}.` } };
}
