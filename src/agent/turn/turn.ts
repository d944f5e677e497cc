import type { TurnEnd } from "../../ports/agent-events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ModelEvent, ModelFailure, ModelRequest } from "../../ports/model.ts";
import { inEnglish, isWorldlineError } from "../../record/error.ts";
import { noUsage, type ReplyPart, type ToolCallPart, textOf } from "../../record/parts.ts";
import type { AgentContext, Tally } from "../agent-context.ts";
import { errorEntry, type Failure, reasonFields, replyCut } from "../failure.ts";
import { emitBacktrack, whyKeepFiles } from "../tools/conversation.ts";
import { runCalls } from "./calls.ts";
import { emitChangedFiles } from "./files/changed-files.ts";
import type { TurnContext } from "./turn-context.ts";

/*
 * A turn is everything that the agent does in response to one prompt, up to the final answer. This file is ordered from
 * the whole turn to its parts:
 *
 * - `runTurn` wraps the turn of any agent. It turns store errors into an outcome, and emits the turn's end. Its `work`
 *   comes from the agent (`agent.ts`): it logs the prompt, and then calls `runSteps` or the loop of another host.
 * - `runSteps` is the loop of our own agent. It ends when the model makes no more tool calls and the user has sent no
 *   more prompts. An interrupt, the step limit, or a failed model call ends it earlier.
 * - `runStep` is one iteration. `beginStep` sets a checkpoint, `askModel` gets the reply, and `afterReply` logs it,
 *   runs its tool calls (`calls.ts`), carries out a backtrack if one of them requested it, and adds queued prompts.
 *
 * Prompts that the user sends during a turn wait in `queue`. In the background, `captures` saves the workspace's files
 * at each checkpoint, and when a turn ends early.
 */

/** How an agent's turn ended. */
export type Outcome = Pick<TurnEnd, "outcome" | "error">;

/**
 * Runs one turn. `work` logs the beginning of the turn and runs its steps. A turn always ends with an outcome, no
 * matter what the model, a tool or the store does. Throws only if there is a bug in Worldline itself.
 */
export async function runTurn(
  context: AgentContext,
  tally: Tally,
  work: () => Promise<Outcome>,
): Promise<TurnEnd> {
  const { clock, queue, spending, emit } = context;
  const started = clock.now();
  const outcome = await outcomeOf(context, work).catch((error: unknown) => {
    // The front end keeps its own copy of the queued prompts, so the next turn must not send them as well.
    queue.takeUnsent();
    throw error;
  });
  await emitChangedFiles(context);
  // Costs outside the steps: sub-agents and summaries.
  for (const { usage, cost } of spending.take()) tally.add(usage, cost);
  const { answer, cost, usage, steps, backtracks } = tally;
  // The front end may send the remaining prompts again, so the queue must not keep them.
  const unsent = queue.takeUnsent();
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer,
    steps,
    backtracks,
    usage,
    cost,
    milliseconds: clock.now() - started,
    unheard: unsent.length === 0 ? undefined : unsent,
  };
  emit({ type: "doing", doing: { what: "nothing" } });
  emit(end);
  return end;
}

/**
 * Turns a `WorldlineError`, usually from the store, into an outcome. The turn must stop, because work that cannot be
 * logged must not run.
 */
async function outcomeOf(context: AgentContext, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    const outcome = await work();
    // Drops a backtrack that was requested but not carried out.
    await context.session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await giveUp(context);
    return failedOutcome(error);
  }
}

/** Drops a backtrack that was requested but not carried out, and captures the changes that the tools have made. */
async function giveUp({ session, captures }: AgentContext): Promise<void> {
  try {
    await session.endTurn();
  } catch (error) {
    // The store may fail here too, as it did when the turn failed.
    if (!isWorldlineError(error)) throw error;
  }
  captures.atEarlyEnd();
}

export async function runSteps(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    if (signal.aborted) return endInterrupted(context);
    if (tally.steps >= context.settings.maxSteps) return endAtLimit(context);
    const step = await runStep(context, tally, signal);
    if (step.end === "done") return { outcome: "done" };
    if (step.end === "interrupted") return endInterrupted(context);
    // `askModel` has logged the failure. No tool has run since the step's checkpoint, so there is nothing to capture.
    if (step.end === "failed") return failedOutcome(step.failure);
  }
}

/** Logs that the user interrupted the turn, captures what its tools changed, and returns the outcome. */
export async function endInterrupted({ session, captures }: AgentContext): Promise<Outcome> {
  await session.interrupt("person");
  captures.atEarlyEnd();
  return {
    outcome: "interrupted",
    error: turnError(inEnglish("turn-interrupted", {})),
  };
}

/** Logs that the turn reached the step limit, captures what its tools changed, and returns the outcome. */
export async function endAtLimit({ session, captures, settings }: AgentContext): Promise<Outcome> {
  const { maxSteps } = settings;
  await session.interrupt("limit");
  captures.atEarlyEnd();
  return {
    outcome: "step-limit",
    error: turnError(inEnglish("step-limit", { steps: maxSteps })),
  };
}

export function failedOutcome(failure: Failure): Outcome {
  return { outcome: "failed", error: turnError(failure) };
}

function turnError(failure: Failure): NonNullable<TurnEnd["error"]> {
  const { code, message, hint } = failure;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...reasonFields(failure) };
}

/** How a step ended. After "continue", the turn continues. All other values end the turn. */
type StepEnd =
  | { readonly end: "continue" }
  | { readonly end: "done" }
  | { readonly end: "interrupted" }
  | { readonly end: "failed"; readonly failure: ModelFailure };

const CONTINUE: StepEnd = { end: "continue" };
const INTERRUPTED: StepEnd = { end: "interrupted" };

/** Calls the model, with retries if necessary, and runs the tool calls of its reply. */
async function runStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<StepEnd> {
  const checkpoint = await beginStep(context, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  context.emit({ type: "doing", doing: { what: "thinking", step: checkpoint } });
  const request = { context: await context.session.context(), tools: context.specs, signal };
  const asked = await askModel(context, request, checkpoint);
  if (asked.got === "interrupt") return afterInterrupt(context, asked);
  if (asked.got === "failure") return afterFailure(context, tally, { failure: asked.failure, signal });
  return afterReply(context, tally, { ...asked, signal });
}

/**
 * Creates the step's checkpoint. If the context is full, compacts it and creates another checkpoint after the
 * compaction.
 */
async function beginStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<number> {
  const { session, captures, compacting } = context;
  let checkpoint = await session.step();
  captures.atCheckpoint(checkpoint);
  if ((await compacting.ifDue(signal)) === "done") {
    checkpoint = await session.step();
    captures.atCheckpoint(checkpoint);
  }
  tally.beginStep(checkpoint);
  return checkpoint;
}

/**
 * The result of a model call. `by` names the model that wrote `reply` or `parts`, because the user may choose another
 * model during the call.
 */
type Asked =
  | { readonly got: "reply"; readonly reply: Extract<ModelEvent, { type: "end" }>; readonly by: string }
  | { readonly got: "failure"; readonly failure: ModelFailure }
  /** `parts` contains the parts of the reply that arrived before the interrupt. */
  | { readonly got: "interrupt"; readonly parts: readonly ReplyPart[]; readonly by: string };

/**
 * Calls the model, and retries from the same checkpoint if a failure may be temporary. Logs each failure, and emits
 * each retry. The part of the reply that arrived before a failure is discarded.
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
    context.emit({
      type: "retry",
      checkpoint,
      attempt: attempt + 1,
      of: maxRetries,
      waitMs,
      code,
      message,
      ...reasonFields(failure),
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
      const isInterrupt = event.failure.code === "CANCELLED" || request.signal.aborted;
      if (isInterrupt) return { got: "interrupt", parts: partial.parts, by };
      return { got: "failure", failure: event.failure };
    }
    partial.add(event);
    context.emit(event);
  }
  return {
    got: "failure",
    failure: { code: "MODEL_FAILED", message: "The model's reply ended unexpectedly.", retry: "soon" },
  };
}

type Delta = Exclude<ModelEvent, { type: "end" | "failed" }>;

/**
 * Collects the text and thinking of a reply as they arrive. Tool calls are omitted, because an incomplete call can
 * neither run nor get a result.
 */
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

const FIRST_PAUSE_MS = 500;
const MAX_GROWN_PAUSE_MS = 30_000;
/** Longest pause that a provider can request. Providers sometimes request a longer pause than any user would accept. */
const MAX_REQUESTED_PAUSE_MS = 120_000;

/**
 * Returns the pause before the next attempt. By default, the pause doubles with each attempt, and varies randomly by a
 * quarter so that agents that failed together do not retry together. A pause that the provider requests is used as is,
 * up to a limit.
 */
function pauseBefore(attempt: number, { retryAfterMs }: ModelFailure, clock: Clock): number {
  if (retryAfterMs !== undefined) return Math.min(MAX_REQUESTED_PAUSE_MS, retryAfterMs);
  const grown = Math.min(MAX_GROWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  const [chance = 0] = clock.random(1);
  return Math.round(grown * (0.75 + chance / 512));
}

/** Logs the reply, runs its calls, carries out a backtrack, and adds prompts that the user sent during the step. */
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
  if (end === "length") context.emit(replyCut());
  tally.answer = textOf(parts).trim();
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  await runCalls(context, calls, signal);
  if (signal.aborted) return INTERRUPTED;
  if (calls.length > 0) await endStep(context, tally, signal);
  if (signal.aborted) return INTERRUPTED;
  const queuedCount = await writeQueuedPrompts(context);
  return calls.length > 0 || queuedCount > 0 ? CONTINUE : { end: "done" };
}

/**
 * Ends a step that had tool calls: carries out the backtrack that a call requested, if any. A step without calls cannot
 * have requested a backtrack. An interrupt can still drop the backtrack.
 */
async function endStep(context: TurnContext, tally: Tally, signal: AbortSignal): Promise<void> {
  const { session, captures } = context;
  const dropBacktrack = (): void => {
    // `endTurn` drops the request; calling it again later does no harm. An error here is ignored, because logging the
    // interrupt will then fail too, and that error will end the turn.
    session.endTurn().catch(() => undefined);
  };
  signal.addEventListener("abort", dropBacktrack, { once: true });
  try {
    // The step's changes must be attributed to its calls before the backtrack captures the workspace.
    if (session.isGoingBack) await captures.untilLogged();
    const end = await session.endStep({
      // Empty, because the session itself finds the files that changed.
      changed: [],
      running: context.shell.background.running(),
      whyKeepFiles: () => whyKeepFiles(context.mode()),
    });
    if (end.status === "carried-out") tally.wentBackTo(end.to);
    if (end.status !== "none") await emitBacktrack(context, end);
  } finally {
    signal.removeEventListener("abort", dropBacktrack);
  }
}

/**
 * Logs the prompts that the user sent during the step. Returns how many were logged. The prompts follow the step's
 * results, because providers require a result for every call before the next prompt.
 */
async function writeQueuedPrompts({ session, captures, queue }: TurnContext): Promise<number> {
  return queue.sendEach(async (prompt) => {
    const { checkpoint } = await session.prompt(prompt);
    captures.atCheckpoint(checkpoint);
  });
}

/** Logs the part of the reply that arrived before the interrupt. */
async function afterInterrupt(
  context: TurnContext,
  { parts, by }: Extract<Asked, { got: "interrupt" }>,
): Promise<StepEnd> {
  if (parts.length > 0) {
    await context.session.reply({ parts, model: by, end: "interrupted" });
  }
  return INTERRUPTED;
}

/**
 * Handles a failed model call. If the context was too long and a compaction shortened it, the turn continues with
 * another step. Otherwise, the failure ends the turn, unless the user has interrupted it.
 */
async function afterFailure(
  context: TurnContext,
  tally: Tally,
  { failure, signal }: { readonly failure: ModelFailure; readonly signal: AbortSignal },
): Promise<StepEnd> {
  // The compactor stops after compactions that do not help, so this cannot repeat forever.
  if (failure.code === "CONTEXT_TOO_LONG" && (await context.compacting.compactTooLong(signal)) === "done") {
    tally.uncountStep();
    return CONTINUE;
  }
  return signal.aborted ? INTERRUPTED : { end: "failed", failure };
}
