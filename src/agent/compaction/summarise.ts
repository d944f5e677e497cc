import type { Model, ModelEvent, ModelFailure } from "../../ports/model.ts";
import type { Entry } from "../../record/entry.ts";
import { textPart, type Usage } from "../../record/parts.ts";
import { breakTag, type Framing } from "../../timeline/context/foreign-text.ts";
import { instructionLines, instructionText, summariserSystem } from "./instruction.ts";
import { materialOf } from "./material.ts";
import { reserveOf } from "./policy.ts";
import { type SummaryFault, scrub } from "./scrub.ts";

export interface SummaryRequest {
  readonly model: Model;
  readonly entries: readonly Entry[];
  /** How much of what fits is sent: 1 at first, less when that did not go well. */
  readonly share: number;
  readonly focus?: string | undefined;
  readonly framing: Framing;
  readonly signal: AbortSignal;
  readonly onModelEvent?: (event: ModelEvent) => void;
}

export type Summarised =
  | { readonly got: "summary"; readonly summary: string; readonly usage?: Usage }
  | { readonly got: "rejected"; readonly why: SummaryFault; readonly usage?: Usage }
  | { readonly got: "failure"; readonly failure: ModelFailure };

/** Where the model's window is not known, this much fits into most. */
const UNKNOWN_WINDOW = 32_000;
/** Our estimates may be this far below what the provider counts. */
const CAUTION = 0.7;
/** A summary has at most this part of what it stands for. */
const MOST_OF_MATERIAL = 0.25;
const WORDS_PER_TOKEN = 0.7;
const FEWEST_WORDS = 60;
const MOST_WORDS = 1_500;

/** Asks once, and judges the answer. */
export async function summarise(request: SummaryRequest): Promise<Summarised> {
  const { model, entries, focus, framing } = request;
  const { tag } = framing;
  const whole = materialOf(entries, budgetOf(model));
  const material = request.share >= 1 ? whole : materialOf(entries, whole.tokens * request.share);
  const words = wordsFor(material.tokens);
  const text = instructionText({
    material: breakTag(material.text, framing),
    words,
    tag,
    focus,
  });
  const end = await ask(request, text);
  if (end.type === "failed") return { got: "failure", failure: end.failure };
  const usage = end.usage === undefined ? {} : { usage: end.usage };
  // Its last lines are the ones that say what comes next.
  if (end.end === "length") return { got: "rejected", why: "cut", ...usage };
  const instruction = instructionLines(words, focus);
  const answer = scrub({ parts: end.parts, instruction, tag, materialTokens: material.tokens });
  return answer.verdict === "good"
    ? { got: "summary", summary: answer.summary, ...usage }
    : { got: "rejected", why: answer.why, ...usage };
}

function budgetOf({ window }: Model): number {
  const size = window > 0 ? window : UNKNOWN_WINDOW;
  return Math.floor((size - reserveOf(size)) * CAUTION);
}

function wordsFor(tokens: number): number {
  const words = Math.floor(tokens * MOST_OF_MATERIAL * WORDS_PER_TOKEN);
  return Math.max(FEWEST_WORDS, Math.min(MOST_WORDS, words));
}

type End = Extract<ModelEvent, { type: "end" | "failed" }>;

async function ask({ model, signal, onModelEvent }: SummaryRequest, text: string): Promise<End> {
  const context = {
    system: summariserSystem,
    messages: [{ role: "user" as const, parts: [textPart(text)] }],
    breakpoints: [],
  };
  for await (const event of model.stream({ context, tools: [], signal })) {
    onModelEvent?.(event);
    if (event.type === "end" || event.type === "failed") return event;
  }
  const message = "The model's reply had no end.";
  return { type: "failed", failure: { code: "MODEL_FAILED", message, retry: "soon" } };
}
