import type { TurnEnd } from "../../ports/agent-events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ModelEvent, ModelFailure, ModelRequest } from "../../ports/model.ts";
import { inEnglish, isWorldlineError } from "../../record/error.ts";
import { noUsage, type ReplyPart, type ToolCallPart, textOf } from "../../record/parts.ts";
import type { AgentContext, Tally } from "../agent-context.ts";
import { errorEntry, type Failure, madeFrom, replyCut } from "../error-entry.ts";
import { tellBacktrack, whyKeepFiles } from "../tools/conversation.ts";
import { runCalls } from "./calls.ts";
import { tellChangedFiles } from "./files/changed-files.ts";
import type { TurnContext } from "./turn-context.ts";

/** How a turn ended, whichever agent made it. */
export type Outcome = Pick<TurnEnd, "outcome" | "error">;

/**
 * One turn, whichever agent makes it: `work` writes what it begins with and makes its steps. Whatever the model or a tool
 * does, the turn ends with an outcome.
 */
export async function runTurn(
  context: AgentContext,
  tally: Tally,
  work: () => Promise<Outcome>,
): Promise<TurnEnd> {
  const { clock, queue, spending, tell } = context;
  const started = clock.now();
  const outcome = await outcomeOf(context, work).catch((error: unknown) => {
    // The caller still has it; the next turn must not say it a second time.
    queue.takeUnheard();
    throw error;
  });
  await tellChangedFiles(context);
  for (const { usage, cost } of spending.take()) tally.add(usage, cost);
  const { answer, cost, usage, steps, backtracks } = tally;
  // What the user said and no step came to hear goes back to them.
  const unheard = queue.takeUnheard();
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer,
    steps,
    backtracks,
    usage,
    cost,
    milliseconds: clock.now() - started,
    unheard: unheard.length === 0 ? undefined : unheard,
  };
  tell({ type: "doing", doing: { what: "nothing" } });
  tell(end);
  return end;
}

/** What our own store refuses ends the turn too: nothing may run that is not written down. */
async function outcomeOf(context: AgentContext, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    const outcome = await work();
    await context.session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await giveUp(context);
    return failed(error);
  }
}

/** What was filed must not happen in the next turn, and what tools changed is the timeline's, whatever the store says. */
async function giveUp({ session, captures }: AgentContext): Promise<void> {
  try {
    await session.endTurn();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
  captures.afterInterrupt();
}

export async function interrupted({ session, captures }: AgentContext): Promise<Outcome> {
  await session.interrupt("person");
  captures.afterInterrupt();
  return {
    outcome: "interrupted",
    error: turnError(inEnglish("turn-interrupted", {})),
  };
}

export async function atLimit({ session, captures, settings }: AgentContext): Promise<Outcome> {
  const { maxSteps } = settings;
  await session.interrupt("limit");
  captures.afterInterrupt();
  return {
    outcome: "step-limit",
    error: turnError(inEnglish("step-limit", { steps: maxSteps })),
  };
}

export function failed(failure: Failure): Outcome {
  return { outcome: "failed", error: turnError(failure) };
}

function turnError(failure: Failure): NonNullable<TurnEnd["error"]> {
  const { code, message, hint } = failure;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...madeFrom(failure) };
}

/** How a step ended: the turn goes on, or it is over. */
type StepEnd =
  | { readonly end: "goes-on" }
  | { readonly end: "done" }
  | { readonly end: "interrupted" }
  | { readonly end: "failed"; readonly failure: ModelFailure };

const GOES_ON: StepEnd = { end: "goes-on" };
const INTERRUPTED: StepEnd = { end: "interrupted" };

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
  if (end === "length") context.tell(replyCut());
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
    if (end.status !== "none") await tellBacktrack(context, end);
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

/** What came of asking the model, retries included. `by`: which one, as the person may choose another meanwhile. */
type Asked =
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
async function askModel(context: TurnContext, request: ModelRequest, checkpoint: number): Promise<Asked> {
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
