import { whyKeepFiles } from "../../../agent/tools/backtrack/backtrack.ts";
import { tellBacktrack } from "../../../agent/turn/card.ts";
import { tellChangedFiles } from "../../../agent/turn/files/tell-changed-files.ts";
import {
  atLimit,
  failed,
  giveUp,
  interrupted,
  type Outcome,
  tellEnd,
} from "../../../agent/turn/turn-outcome.ts";
import type { TurnEnd } from "../../../ports/agent-events.ts";
import type { ModelFailure } from "../../../ports/model.ts";
import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import type { Utterance } from "../conversation/conversation.ts";
import { failureOfResult } from "../sdk/failure.ts";
import type { SdkResult } from "../sdk/sdk-types.ts";
import { beginTurn, type ClaudeBench } from "./claude-bench.ts";
import { sdkContent, spentIn } from "./recording/reply-parts.ts";

type Failure = Pick<WorldlineError, "code" | "message" | "hint"> | ModelFailure;

/** From words to the final answer. `begin` writes them down; whatever the SDK does, the turn ends with an outcome. */
export async function runClaudeTurn(
  bench: ClaudeBench,
  begin: () => Promise<Utterance>,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { clock, now, recorder } = bench;
  const started = clock.now();
  const tally = beginTurn(now, signal);
  recorder.answer = "";
  bench.calls.clear();
  const outcome = await outcomeOf(bench, begin)
    .catch((error: unknown) => {
      // The caller still has it; the next turn must not say it a second time.
      bench.queue.takeUnheard();
      throw error;
    })
    .finally(() => {
      now.turn = "none";
    });
  await tellChangedFiles(bench);
  return tellEnd(bench, outcome, { tally, answer: recorder.answer, started });
}

/** What our own store refuses ends the turn too: nothing may run that is not written down. */
async function outcomeOf(bench: ClaudeBench, begin: () => Promise<Utterance>): Promise<Outcome> {
  const { session, now } = bench;
  try {
    const words = await begin();
    const outcome = now.signal.aborted ? await interrupted(bench) : await sayAll(bench, words);
    await session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await giveUp(bench);
    return failed(error);
  }
}

/** One utterance after the other, as long as the turn goes on: after a backtrack, or with what the person said meanwhile. */
async function sayAll(bench: ClaudeBench, first: Utterance): Promise<Outcome> {
  let words = first;
  for (;;) {
    const end = await endOf(bench, await say(bench, words));
    if (end !== undefined) return end;
    const next = (await wentBack(bench)) ?? (await queuedWords(bench));
    if (next === undefined) return { outcome: "done" };
    words = next;
  }
}

/** How the turn ended, unless it may go on. */
async function endOf(bench: ClaudeBench, said: SdkResult | WorldlineError): Promise<Outcome | undefined> {
  const { now } = bench;
  if (now.refused !== undefined) throw now.refused;
  if (now.signal.aborted) return interrupted(bench);
  if (now.stop === "step-limit") return atLimit(bench, bench.settings.maxSteps);
  const failure = isWorldlineError(said) ? said : failureOfResult(said, now.said);
  return failure === undefined ? undefined : afterFailure(bench, failure);
}

/** Says it and hears the turn of the SDK to its end, with everything that it brought in the log; or how its process failed. */
async function say(bench: ClaudeBench, words: Utterance): Promise<SdkResult | WorldlineError> {
  const { conversation, now } = bench;
  now.step = "due";
  now.stop = undefined;
  now.said = undefined;
  const stop = (): void => void conversation.live?.interrupt();
  now.signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await conversation.say(words, now.signal);
    const { usage, cost } = spentIn(result);
    now.tally.add(usage, cost);
    // A command of the SDK's own answers without a model, and so without a reply.
    if (now.tally.steps === 0 && !result.is_error) bench.recorder.answer ||= result.result ?? "";
    return result;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    // Whatever its tools run would go on to change files, and nobody would know.
    if (conversation.live === undefined) await bench.endOrphans();
    return error;
  } finally {
    now.signal.removeEventListener("abort", stop);
    await finish(bench);
  }
}

async function finish({ recorder, subAgents }: ClaudeBench): Promise<void> {
  try {
    await recorder.finish();
  } finally {
    await subAgents.endAll();
  }
}

/** Carries out the backtrack that a call has filed, if any; then the note is what is said next, or why it was dropped. */
async function wentBack(bench: ClaudeBench): Promise<Utterance | undefined> {
  const { session, captures, conversation, now } = bench;
  // A backtrack captures the workspace itself: what the calls of the step did must be told from what others do since.
  if (session.isGoingBack) await captures.seen();
  const end = await session.endStep({
    changed: [],
    running: [],
    whyKeepFiles: () => whyKeepFiles(bench.mode()),
  });
  if (end.status === "none") return undefined;
  if (end.status === "carried-out") now.tally.wentBackTo(end.to);
  await tellBacktrack(bench, end);
  const words = await conversation.prepare([]);
  await session.append(words.host);
  return words;
}

/** What the person said when the last step had begun already: it is heard in the same turn. */
async function queuedWords({
  queue,
  session,
  captures,
  conversation,
}: ClaudeBench): Promise<Utterance | undefined> {
  return queue.next(async (prompt) => {
    const words = await conversation.prepare(sdkContent(prompt));
    const { checkpoint } = await session.prompt(prompt, words.host);
    captures.afterStep(checkpoint);
    return words;
  });
}

async function afterFailure({ session, captures }: ClaudeBench, failure: Failure): Promise<Outcome> {
  const { code, message, hint } = failure;
  await session.append({ kind: "error", code, message, ...(hint === undefined ? {} : { hint }) });
  captures.afterInterrupt();
  return failed(failure);
}
