import type { ModelFailure } from "../../ports/model.ts";
import { type ToolCallPart, textOf } from "../../record/parts.ts";
import { noUsage } from "../../timeline/stats/stats.ts";
import { whyKeepFiles } from "../tools/backtrack/backtrack.ts";
import { type Asked, askModel } from "./ask-model.ts";
import { runCalls } from "./calls.ts";
import { tellBacktrack } from "./card.ts";
import type { Tally } from "./tally.ts";
import { atLimit, failed, interrupted, type Outcome } from "./turn.ts";
import type { TurnContext } from "./turn-context.ts";

/** How a step ended: the turn goes on, or it is over. */
type StepEnd =
  | { readonly end: "goes-on" }
  | { readonly end: "done" }
  | { readonly end: "interrupted" }
  | { readonly end: "failed"; readonly failure: ModelFailure };

const GOES_ON: StepEnd = { end: "goes-on" };
const INTERRUPTED: StepEnd = { end: "interrupted" };
const REPLY_CUT = "The reply was cut: it is as long as the model allows.";

/** Step after step, until the model has nothing more to do. */
export async function runSteps(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    if (signal.aborted) return interrupted(context);
    if (tally.steps >= context.settings.maxSteps) return atLimit(context);
    const step = await runStep(context, tally, signal);
    if (step.end === "done") return { outcome: "done" };
    if (step.end === "interrupted") return interrupted(context);
    if (step.end === "failed") return failed(step.failure);
  }
}

/** One model call with its tool calls. */
async function runStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<StepEnd> {
  const checkpoint = await beginStep(context, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  context.tell({ type: "doing", doing: { what: "thinking", step: checkpoint } });
  const messages = await context.session.context();
  const asked = await askModel(context, { context: messages, tools: context.specs, signal }, checkpoint);
  if (asked.got === "interrupt") return keepPartial(context, asked);
  if (asked.got === "failure") return afterFailure(context, tally, { failure: asked.failure, signal });
  return afterReply(context, tally, { ...asked, signal });
}

/** A checkpoint before the model is called; where the context is full, another one behind a compaction. */
async function beginStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<number> {
  const { session, captures, compacting } = context;
  let checkpoint = await session.step();
  captures.afterStep(checkpoint);
  if ((await compacting.ifDue(signal)) === "done") {
    checkpoint = await session.step();
    captures.afterStep(checkpoint);
  }
  tally.beginStep(checkpoint);
  return checkpoint;
}

async function keepPartial(
  context: TurnContext,
  { parts, by }: Extract<Asked, { got: "interrupt" }>,
): Promise<StepEnd> {
  if (parts.length > 0) {
    await context.session.reply({ parts, model: by, end: "interrupted" });
  }
  return INTERRUPTED;
}

async function afterFailure(
  context: TurnContext,
  tally: Tally,
  { failure, signal }: { readonly failure: ModelFailure; readonly signal: AbortSignal },
): Promise<StepEnd> {
  if (failure.code === "CONTEXT_TOO_LONG" && (await context.compacting.tooLong(signal)) === "done") {
    tally.takeBackStep();
    return GOES_ON;
  }
  return signal.aborted ? INTERRUPTED : { end: "failed", failure };
}

async function afterReply(
  context: TurnContext,
  tally: Tally,
  { reply, by, signal }: Extract<Asked, { got: "reply" }> & { readonly signal: AbortSignal },
): Promise<StepEnd> {
  const { session } = context;
  const { parts, usage, end } = reply;
  await session.reply({
    parts,
    model: by,
    ...(usage === undefined ? {} : { usage }),
    ...(end === undefined ? {} : { end }),
  });
  tally.add(usage ?? noUsage, usage === undefined ? undefined : context.priceOf(by, usage));
  if (end === "length") context.tell({ type: "warning", code: "REPLY_CUT", message: REPLY_CUT });
  tally.answer = textOf(parts).trim();
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  await runCalls(context, calls, signal);
  if (signal.aborted) return INTERRUPTED;
  if (calls.length > 0) await endStep(context, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  const heard = await hearQueued(context);
  return calls.length > 0 || heard > 0 ? GOES_ON : { end: "done" };
}

/** Carries out the backtrack that a call has filed, if any. An interrupt drops it, as long as it can still be dropped. */
async function endStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<void> {
  const { session, captures } = context;
  const drop = (): void => void session.endTurn().catch(() => undefined);
  signal.addEventListener("abort", drop, { once: true });
  try {
    // A backtrack captures the workspace itself: what the calls of the step did must be told from what others do since.
    if (session.isGoingBack) await captures.seen();
    const end = await session.endStep({
      changed: [],
      running: context.shell.background.running(),
      whyKeepFiles: () => whyKeepFiles(context.mode()),
    });
    if (end.status === "carried-out") tally.wentBackTo(end.to);
    await tellBacktrack(context, end);
  } finally {
    signal.removeEventListener("abort", drop);
  }
}

/** What the person said meanwhile has waited until every call had its result. */
async function hearQueued({ session, captures, queue }: TurnContext): Promise<number> {
  return queue.all(async (prompt) => {
    const { checkpoint } = await session.prompt(prompt);
    captures.afterStep(checkpoint);
  });
}
