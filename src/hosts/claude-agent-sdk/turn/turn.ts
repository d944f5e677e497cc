import type { Tally } from "../../../agent/agent-context.ts";
import { errorEntry } from "../../../agent/failure.ts";
import { emitBacktrack, whyKeepFiles } from "../../../agent/tools/conversation.ts";
import { endAtLimit, endInterrupted, failedOutcome, type Outcome } from "../../../agent/turn/turn.ts";
import type { Session } from "../../../machine/session.ts";
import type { ModelFailure } from "../../../ports/model.ts";
import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import { markerOf } from "../../../timeline/context/notices.ts";
import { nearest } from "../../../timeline/outline.ts";
import type { Utterance } from "../conversation/conversation.ts";
import { sdkContent, usageOfTurn } from "../sdk/content.ts";
import { failureOfResult } from "../sdk/failures.ts";
import type { SdkResult } from "../sdk/sdk-types.ts";
import { beginTurn, type ClaudeContext } from "./claude-context.ts";

type Failure = WorldlineError | ModelFailure;

interface TurnOptions {
  /** Writes the prompt that starts the turn. */
  readonly begin: () => Promise<Utterance>;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Runs a turn, from a prompt to the final answer. */
export async function runClaudeTurn(
  context: ClaudeContext,
  { begin, tally, signal }: TurnOptions,
): Promise<Outcome> {
  const { now, recorder, calls } = context;
  beginTurn(now, signal, tally);
  recorder.answer = "";
  calls.clear();
  try {
    const words = await begin();
    return signal.aborted ? await endInterrupted(context) : await sendAll(context, words);
  } finally {
    now.turn = "none";
    tally.answer = recorder.answer;
  }
}

/** Sends one prompt after another while the turn continues, because of a backtrack or queued prompts. */
async function sendAll(context: ClaudeContext, first: Utterance): Promise<Outcome> {
  let words = first;
  for (;;) {
    const end = await endOf(context, await send(context, words));
    if (end !== undefined) return end;
    const next = (await performBacktrack(context)) ?? (await nextQueued(context));
    if (next === undefined) return { outcome: "done" };
    words = next;
  }
}

/** Returns how the turn ended, or undefined if it may continue. */
async function endOf(context: ClaudeContext, said: SdkResult | WorldlineError): Promise<Outcome | undefined> {
  const { now } = context;
  if (now.refused !== undefined) throw now.refused;
  if (now.signal.aborted) return endInterrupted(context);
  if (now.stop === "step-limit") return endAtLimit(context);
  const failure = isWorldlineError(said) ? said : failureOfResult(said, now.said);
  return failure === undefined ? undefined : recordFailure(context, failure);
}

/**
 * Sends a prompt and waits until the SDK's turn has ended and all of its entries are in the log. If the process failed,
 * returns the error.
 */
async function send(context: ClaudeContext, words: Utterance): Promise<SdkResult | WorldlineError> {
  const { conversation, now } = context;
  now.step = "due";
  now.stop = undefined;
  now.said = undefined;
  const stop = (): void => void conversation.live?.interrupt();
  now.signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await conversation.send(words, now.signal);
    const { usage, cost } = usageOfTurn(result);
    now.tally.add(usage, cost);
    // The SDK's own commands answer without a model, and thus without a reply.
    if (now.tally.steps === 0 && !result.is_error) context.recorder.answer ||= result.result ?? "";
    return result;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    // The process has ended unexpectedly, but its tools may still be running and would change files unnoticed.
    if (conversation.live === undefined) await context.endOrphans();
    return error;
  } finally {
    now.signal.removeEventListener("abort", stop);
    await finish(context);
  }
}

async function finish({ recorder, subAgents }: ClaudeContext): Promise<void> {
  try {
    await recorder.finish();
  } finally {
    await subAgents.endAll();
  }
}

/**
 * Carries out a recorded backtrack, if any. The prompt to send next is then the backtrack's note, or the reason for
 * dropping the backtrack.
 */
async function performBacktrack(context: ClaudeContext): Promise<Utterance | undefined> {
  const { session, captures, conversation, now } = context;
  // A backtrack captures the workspace itself. Waiting at this point keeps the step's own changes separate from later
  // ones.
  if (session.isGoingBack) await captures.untilLogged();
  const end = await session.endStep({
    changed: [],
    running: [],
    whyKeepFiles: () => whyKeepFiles(context.mode()),
  });
  if (end.status === "none") return undefined;
  if (end.status === "carried-out") now.tally.wentBackTo(end.to);
  await emitBacktrack(context, end);
  const words = await conversation.prepare([]);
  await session.append(words.host);
  return words;
}

/** Prepares the next prompt that was queued after the last step had begun. The prompt is sent in the same turn. */
async function nextQueued({
  queue,
  session,
  captures,
  conversation,
}: ClaudeContext): Promise<Utterance | undefined> {
  return queue.next(async (prompt) => {
    const words = await conversation.prepare(sdkContent(prompt));
    const { checkpoint } = await session.prompt(prompt, words.host);
    captures.atCheckpoint(checkpoint);
    return words;
  });
}

async function recordFailure({ session, captures }: ClaudeContext, failure: Failure): Promise<Outcome> {
  await session.append(errorEntry(failure));
  captures.atEarlyEnd();
  return failedOutcome(failure);
}

/** Creates the checkpoint before a model call. Returns the checkpoint's marker for the model. */
export async function beginStep({ session, captures, now, emit }: ClaudeContext): Promise<string> {
  const checkpoint = await session.step();
  captures.atCheckpoint(checkpoint);
  now.tally.beginStep(checkpoint);
  now.step = "open";
  emit({ type: "doing", doing: { what: "thinking", step: checkpoint } });
  return session.header.backtrack === "on" ? markerAtHead(session) : "";
}

async function markerAtHead(session: Session): Promise<string> {
  const { outline, header } = session;
  const row = nearest(outline, outline.head, ({ kind }) => kind === "step");
  const [step] = row === undefined ? [] : await session.entries([row.seq]);
  return step?.kind === "step" ? markerOf(step, header.tag).text : "";
}

/**
 * Creates the checkpoint for a reply that no hook preceded. For example, the SDK calls the model again on its own after
 * invalid calls.
 */
export async function stepOfReply(context: ClaudeContext): Promise<void> {
  const { now, settings, conversation } = context;
  if (now.step === "open") return;
  if (now.tally.steps < settings.maxSteps) {
    await beginStep(context);
    return;
  }
  now.stop = "step-limit";
  await conversation.live?.interrupt();
}
