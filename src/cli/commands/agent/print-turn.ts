import type { AgentRequest } from "../../../app/agent/agent-request.ts";
import { type AskedDenial, deniedCalls } from "../../../app/agent/headless-user.ts";
import { runTurnAndClose } from "../../../app/agent/run-turn.ts";
import type { StartedAgent } from "../../../app/agent/start-agent.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { TurnEnd } from "../../../ports/agent-events.ts";
import { problemOf } from "../../../record/error.ts";
import { recapText } from "../../../show/recap-text.ts";
import type { Command } from "../../../strings/commands.ts";
import type { Recap } from "../../../timeline/recap.ts";
import { commandAgain, wordingOf } from "../../command-again.ts";
import { type ExitCode, exitCodeOfCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import type { OutputFormat } from "./agent.ts";
import { jsonPrinter, streamPrinter } from "./print-json.ts";
import { type BacktrackDisplay, textPrinter } from "./print-text.ts";
import { reportText, type TurnPrinter } from "./turn-printer.ts";

export interface PrintedTurn {
  readonly opened: Pick<StartedAgent, "agent" | "close">;
  readonly request: Pick<AgentRequest, "keepSession">;
  readonly outputFormat: OutputFormat;
  /** Calls that were denied because the user could not be asked. The list grows while the turn is running. */
  readonly denied: readonly AskedDenial[];
  /** Plans that the user could not be asked to approve. Only the last plan counts. */
  readonly plans?: readonly string[];
  readonly display: BacktrackDisplay;
  /** Runs the turn. The signal is aborted when the turn is interrupted, so that work between turns can stop too. */
  readonly work: (agent: Agent, signal: AbortSignal) => Promise<TurnEnd>;
  /**
   * Returns what is done, what is still open, and what comes next in a resumed session; absent if the user has already
   * seen this recap.
   */
  readonly recap?: () => Promise<Recap | undefined>;
}

/** Runs a turn, prints it in the requested format, and always closes the agent afterwards. */
export async function printTurn(frame: Frame, turn: PrintedTurn): Promise<ExitCode> {
  const { opened, request } = turn;
  const { agent } = opened;
  const printer = printerFor(frame, turn);
  const denied = deniedCalls(turn.denied);
  const stopListening = agent.on((event) => {
    denied.apply(event);
    printer.apply(event);
  });
  const interrupts = listenToInterrupts(frame, turn);
  const { end, unclosed } = await runTurnAndClose(
    async () => workUntilSettled(frame, turn, interrupts),
    async () => opened.close(),
  ).finally(() => {
    interrupts.release();
    stopListening();
  });
  if (unclosed !== undefined) frame.output.warn(reportText(frame, unclosed));
  printer.end({
    session: agent.session,
    model: agent.model,
    end,
    denied: denied.all(),
    ...planOf(turn),
    ...(request.keepSession === "yes"
      ? { resume: commandAgain(frame.common, wayOn(agent.session, end)) }
      : {}),
  });
  return exitCodeOfTurn(end);
}

function planOf({ plans = [] }: PrintedTurn): { readonly plan?: string } {
  const plan = plans.at(-1);
  return plan === undefined ? {} : { plan };
}

/**
 * Returns the command that continues the session. An interrupted turn can be resumed without a prompt. After a complete
 * turn, the user has to enter a prompt.
 */
function wayOn(session: string, { outcome }: TurnEnd): Command {
  return outcome === "done" ? { do: "open", session, how: "prompt" } : { do: "resume", session };
}

async function workUntilSettled(
  { output, strings }: Frame,
  { work, opened: { agent }, recap, outputFormat }: PrintedTurn,
  { signal, settled }: Interrupts,
): Promise<TurnEnd> {
  const known = outputFormat === "text" ? await recap?.() : undefined;
  if (known !== undefined) output.notice(recapText(known, strings));
  const end = await work(agent, signal);
  await settled();
  return end;
}

function printerFor(frame: Frame, { outputFormat, display }: PrintedTurn): TurnPrinter {
  switch (outputFormat) {
    case "text":
      return textPrinter(frame, display);
    case "json":
      return jsonPrinter(frame);
    case "stream-json":
      return streamPrinter(frame);
    default:
      return outputFormat satisfies never;
  }
}

function exitCodeOfTurn({ outcome, error }: TurnEnd): ExitCode {
  switch (outcome) {
    case "done":
      return 0;
    case "interrupted":
      return 130;
    case "step-limit":
      return 53;
    case "failed":
      return error === undefined ? 1 : exitCodeOfCode(error.code);
    default:
      return outcome satisfies never;
  }
}

interface Interrupts {
  readonly signal: AbortSignal;
  /** Resolves once a requested interrupt has ended the turn. */
  settled(): Promise<void>;
  release(): void;
}

/**
 * Handles interrupts. The first signal ends the turn properly, and restores the default handlers, so that a second
 * signal ends the process immediately. A reader that closes the event pipe has the same effect as a signal.
 */
function listenToInterrupts(frame: Frame, { opened, outputFormat }: PrintedTurn): Interrupts {
  const { output, strings, surroundings } = frame;
  const stop = new AbortController();
  let interrupting: Promise<void> | undefined;
  const interrupt = () => {
    stop.abort();
    interrupting ??= opened.agent.interrupt().catch((error: unknown) => {
      output.warn(wordingOf(frame).message(problemOf(error)));
    });
  };
  const release = surroundings.onInterrupt(() => {
    release();
    if (outputFormat === "text") output.notice(strings.agent.interrupting);
    interrupt();
  });
  if (outputFormat === "stream-json") surroundings.stdout.on("error", interrupt);
  return { signal: stop.signal, settled: async () => interrupting, release };
}
