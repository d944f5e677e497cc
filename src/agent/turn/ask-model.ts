import type { Clock } from "../../ports/clock.ts";
import type { ModelEvent, ModelFailure, ModelRequest } from "../../ports/model.ts";
import type { ReplyPart } from "../../record/parts.ts";
import { errorEntry, madeFrom } from "../error-entry.ts";
import type { TurnContext } from "./turn-context.ts";

/** What came of asking the model, retries included. `by`: which one, as the person may choose another meanwhile. */
export type Asked =
  | { readonly got: "reply"; readonly reply: Extract<ModelEvent, { type: "end" }>; readonly by: string }
  | { readonly got: "failure"; readonly failure: ModelFailure }
  /** What had arrived by then. */
  | { readonly got: "interrupt"; readonly parts: readonly ReplyPart[]; readonly by: string };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A provider may ask for more patience than anybody has. */
const LONGEST_ASKED_MS = 120_000;

/**
 * Asks the model, and asks again from the same checkpoint when the failure is one that passes. Each failure is written
 * down and told; what had been said of the reply by then is void.
 */
export async function askModel(
  context: TurnContext,
  request: ModelRequest,
  checkpoint: number,
): Promise<Asked> {
  const { maxRetries } = context.settings;
  for (let attempt = 0; ; attempt += 1) {
    const asked = await askOnce(context, request);
    if (asked.got !== "failure") return asked;
    const { failure } = asked;
    const { code, message } = failure;
    await context.session.append(errorEntry(failure));
    if (failure.retry === "never" || attempt >= maxRetries) return asked;
    const waitMs = pauseBefore(attempt, failure, context.clock);
    context.tell({
      type: "retry",
      checkpoint,
      attempt: attempt + 1,
      of: maxRetries,
      waitMs,
      code,
      message,
      ...madeFrom(failure),
    });
    await context.clock.wait(waitMs, request.signal);
    if (request.signal.aborted) return { got: "interrupt", parts: [], by: context.model().name };
  }
}

async function askOnce(context: TurnContext, request: ModelRequest): Promise<Asked> {
  const partial = new PartialReply();
  const model = context.model();
  const by = model.name;
  for await (const event of model.stream(request)) {
    if (event.type === "end") {
      return { got: "reply", reply: event, by };
    }
    if (event.type === "failed") {
      const isOurs = event.failure.code === "CANCELLED" || request.signal.aborted;
      if (isOurs) return { got: "interrupt", parts: partial.parts, by };
      return { got: "failure", failure: event.failure };
    }
    partial.add(event);
    context.tell(event);
  }
  return {
    got: "failure",
    failure: { code: "MODEL_FAILED", message: "The model's reply had no end.", retry: "soon" },
  };
}

/** Grows with each attempt, and differs between programs that were refused together. */
function pauseBefore(attempt: number, { retryAfterMs }: ModelFailure, clock: Clock): number {
  if (retryAfterMs !== undefined) return Math.min(LONGEST_ASKED_MS, retryAfterMs);
  const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  const [chance = 0] = clock.random(1);
  return Math.round(grown * (0.75 + chance / 512));
}

type Delta = Exclude<ModelEvent, { type: "end" | "failed" }>;

/** What has arrived of a reply. Calls are left out: half of one must not be run, nor be answered. */
class PartialReply {
  readonly #parts: { type: "text" | "thinking"; text: string }[] = [];

  add(delta: Delta): void {
    if (delta.type === "call" || delta.text === "") return;
    const last = this.#parts.at(-1);
    if (last?.type === delta.type) last.text += delta.text;
    else this.#parts.push({ type: delta.type, text: delta.text });
  }

  get parts(): readonly ReplyPart[] {
    return this.#parts.filter(({ text }) => text.trim() !== "");
  }
}
