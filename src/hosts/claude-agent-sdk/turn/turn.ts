import { cardOf } from "../../../agent/turn/card.ts";
import { tellChangedFiles } from "../../../agent/turn/files/tell-changed-files.ts";
import { Tally } from "../../../agent/turn/tally.ts";
import type { TurnEnd } from "../../../ports/agent-events.ts";
import type { ModelFailure } from "../../../ports/model.ts";
import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import type { Utterance } from "../conversation/conversation.ts";
import { failureOfResult } from "../sdk/failure.ts";
import type { SdkResult } from "../sdk/sdk-types.ts";
import type { ClaudeBench } from "./claude-bench.ts";
import { sdkContent, spentIn } from "./recording/reply-parts.ts";

type Outcome = Pick<TurnEnd, "outcome" | "error">;
type Failure = Pick<WorldlineError, "code" | "message" | "hint"> | ModelFailure;

/** From words to the final answer. `begin` writes them down; whatever the SDK does, the turn ends with an outcome. */
export async function runClaudeTurn(
  bench: ClaudeBench,
  begin: () => Promise<Utterance>,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { clock, now, recorder } = bench;
  const started = clock.now();
  const tally = new Tally();
  Object.assign(now, {
    tally,
    signal,
    stop: undefined,
    refused: undefined,
    said: undefined,
    compacted: undefined,
  });
  recorder.answer = "";
  bench.calls.clear();
  const outcome = await outcomeOf(bench, begin);
  await tellChangedFiles(bench);
  const { cost, usage, steps, backtracks } = tally;
  const unheard = bench.queue.splice(0);
  const end: TurnEnd = {
    type: "turn-end",
    ...outcome,
    answer: recorder.answer,
    steps,
    backtracks,
    usage,
    ...(cost === undefined ? {} : { cost }),
    milliseconds: clock.now() - started,
    ...(unheard.length === 0 ? {} : { unheard }),
  };
  bench.tell({ type: "doing", doing: { what: "nothing" } });
  bench.tell(end);
  return end;
}

/** What our own store refuses ends the turn too: nothing may run that is not written down. */
async function outcomeOf(bench: ClaudeBench, begin: () => Promise<Utterance>): Promise<Outcome> {
  const { session, captures, now } = bench;
  try {
    const words = await begin();
    const outcome = now.signal.aborted ? await interrupted(bench) : await sayAll(bench, words);
    await session.endTurn();
    return outcome;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    await session.endTurn().catch(() => undefined);
    captures.afterInterrupt();
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
  if (now.stop === "step-limit") return atLimit(bench);
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
  const { session, captures, conversation, now, tell } = bench;
  const end = await session.endStep({ changed: [], running: [] });
  if (end.status === "none") return undefined;
  if (end.status === "dropped") {
    tell({ type: "warning", code: "BACKTRACK_DROPPED", message: `A backtrack was dropped. ${end.why}` });
  } else {
    now.tally.wentBackTo(end.to);
    if (end.files !== undefined) captures.touched(undefined);
    tell(await cardOf(session, end));
  }
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
  const [next] = queue;
  if (next === undefined) return undefined;
  const words = await conversation.prepare(sdkContent(next));
  const { checkpoint } = await session.prompt(next, words.host);
  queue.shift();
  captures.afterStep(checkpoint);
  return words;
}

async function interrupted({ session, captures }: ClaudeBench): Promise<Outcome> {
  await session.interrupt("person");
  captures.afterInterrupt();
  return { outcome: "interrupted", error: { code: "CANCELLED", message: "The turn was interrupted." } };
}

async function atLimit({ session, captures, settings }: ClaudeBench): Promise<Outcome> {
  await session.interrupt("limit");
  captures.afterInterrupt();
  return {
    outcome: "step-limit",
    error: {
      code: "STEP_LIMIT",
      message: `The turn was stopped after ${settings.maxSteps} steps.`,
      hint: "Go on with: worldline resume --continue, or allow more: --max-steps",
    },
  };
}

async function afterFailure({ session, captures }: ClaudeBench, failure: Failure): Promise<Outcome> {
  const { code, message, hint } = failure;
  await session.append({ kind: "error", code, message, ...(hint === undefined ? {} : { hint }) });
  captures.afterInterrupt();
  return failed(failure);
}

function failed({ code, message, hint }: Failure): Outcome {
  return { outcome: "failed", error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}
