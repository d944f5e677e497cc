import type { ModelFailure } from "../../ports/model.ts";
import { type ToolCallPart, textOf } from "../../record/parts.ts";
import { noUsage } from "../../timeline/stats/stats.ts";
import { whyKeepFiles } from "../tools/backtrack/backtrack.ts";
import { type Asked, askModel } from "./ask-model.ts";
import { runCalls } from "./calls/run-calls.ts";
import { tellBacktrack } from "./card.ts";
import type { Tally } from "./tally.ts";
import type { Workbench } from "./workbench.ts";

/** How a step ended: the turn goes on, or it is over. */
export type StepEnd =
  | { readonly end: "goes-on" }
  | { readonly end: "done" }
  | { readonly end: "interrupted" }
  | { readonly end: "failed"; readonly failure: ModelFailure };

const GOES_ON: StepEnd = { end: "goes-on" };
const INTERRUPTED: StepEnd = { end: "interrupted" };
const REPLY_CUT = "The reply was cut: it is as long as the model allows.";

/** One model call with its tool calls. */
export async function runStep(bench: Workbench, tally: Tally, signal: AbortSignal): Promise<StepEnd> {
  const checkpoint = await beginStep(bench, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  bench.tell({ type: "doing", doing: { what: "thinking", step: checkpoint } });
  const context = await bench.session.context();
  const asked = await askModel(bench, { context, tools: bench.specs, signal }, checkpoint);
  if (asked.got === "interrupt") return keepPartial(bench, asked);
  if (asked.got === "failure") return afterFailure(bench, tally, { failure: asked.failure, signal });
  return afterReply(bench, tally, { ...asked, signal });
}

/** A checkpoint before the model is called; where the context is full, another one behind a compaction. */
async function beginStep(bench: Workbench, tally: Tally, signal: AbortSignal): Promise<number> {
  const { session, captures, compacting } = bench;
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
  bench: Workbench,
  { parts, by }: Extract<Asked, { got: "interrupt" }>,
): Promise<StepEnd> {
  if (parts.length > 0) {
    await bench.session.reply({ parts, model: by, end: "interrupted" });
  }
  return INTERRUPTED;
}

async function afterFailure(
  bench: Workbench,
  tally: Tally,
  { failure, signal }: { readonly failure: ModelFailure; readonly signal: AbortSignal },
): Promise<StepEnd> {
  if (failure.code === "CONTEXT_TOO_LONG" && (await bench.compacting.tooLong(signal)) === "done") {
    tally.takeBackStep();
    return GOES_ON;
  }
  return signal.aborted ? INTERRUPTED : { end: "failed", failure };
}

async function afterReply(
  bench: Workbench,
  tally: Tally,
  { reply, by, signal }: Extract<Asked, { got: "reply" }> & { readonly signal: AbortSignal },
): Promise<StepEnd> {
  const { session } = bench;
  const { parts, usage, end } = reply;
  await session.reply({
    parts,
    model: by,
    ...(usage === undefined ? {} : { usage }),
    ...(end === undefined ? {} : { end }),
  });
  tally.add(usage ?? noUsage, usage === undefined ? undefined : bench.priceOf(by, usage));
  if (end === "length") bench.tell({ type: "warning", code: "REPLY_CUT", message: REPLY_CUT });
  tally.answer = textOf(parts).trim();
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  await runCalls(bench, calls, signal);
  if (signal.aborted) return INTERRUPTED;
  if (calls.length > 0) await endStep(bench, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  const heard = await hearQueued(bench);
  return calls.length > 0 || heard > 0 ? GOES_ON : { end: "done" };
}

/** Carries out the backtrack that a call has filed, if any. An interrupt drops it, as long as it can still be dropped. */
async function endStep(bench: Workbench, tally: Tally, signal: AbortSignal): Promise<void> {
  const { session, captures } = bench;
  const drop = (): void => void session.endTurn().catch(() => undefined);
  signal.addEventListener("abort", drop, { once: true });
  try {
    // A backtrack captures the workspace itself: what the calls of the step did must be told from what others do since.
    if (session.isGoingBack) await captures.seen();
    const end = await session.endStep({
      changed: [],
      running: bench.running(),
      whyKeepFiles: () => whyKeepFiles(bench.mode()),
    });
    if (end.status === "carried-out") tally.wentBackTo(end.to);
    await tellBacktrack(bench, end);
  } finally {
    signal.removeEventListener("abort", drop);
  }
}

/** What the person said meanwhile has waited until every call had its result. */
async function hearQueued({ session, captures, queue }: Workbench): Promise<number> {
  return queue.all(async (prompt) => {
    const { checkpoint } = await session.prompt(prompt);
    captures.afterStep(checkpoint);
  });
}
