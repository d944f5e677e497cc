import type { Agent } from "../../../../ports/agent.ts";
import type { TurnEnd } from "../../../../ports/agent-events.ts";
import { WorldlineError } from "../../../../record/error.ts";
import type { OpenedAgent } from "../../../agent/open-agent.ts";
import type { Frame } from "../../../command/frame.ts";
import { type ExitCode, exitCodeOf } from "../../../exit.ts";
import type { Wish } from "../wish.ts";
import type { BacktrackDisplay } from "./card-lines.ts";
import { jsonVoice } from "./json-voice.ts";
import type { Denial } from "./print-person.ts";
import { streamVoice } from "./stream-voice.ts";
import { textVoice } from "./text-voice.ts";
import type { Voice } from "./voice.ts";

export interface PrintedTurn {
  readonly opened: OpenedAgent;
  readonly wish: Pick<Wish, "outputFormat" | "keepSession">;
  /** What was denied so far; grows while the turn runs. */
  readonly denied: readonly Denial[];
  readonly display: BacktrackDisplay;
  readonly work: (agent: Agent) => Promise<TurnEnd>;
}

/** Has a turn done, tells it in the format that was asked for, and lets go of the agent whatever happens. */
export async function printTurn(frame: Frame, turn: PrintedTurn): Promise<ExitCode> {
  const { opened, wish, denied } = turn;
  const { agent, recap } = opened;
  const voice = voiceFor(frame, turn);
  const stopListening = agent.on((event) => voice.hear(event));
  if (recap !== undefined && wish.outputFormat === "text") frame.output.notice(recap);
  const interrupts = listenToInterrupts(frame, turn);
  let end: TurnEnd;
  try {
    end = await turn.work(agent);
    await interrupts.settled();
  } finally {
    try {
      await opened.close();
    } finally {
      interrupts.release();
      stopListening();
    }
  }
  voice.end({
    session: agent.session,
    model: agent.model,
    end,
    denied,
    ...(wish.keepSession === "yes" ? { resume: `worldline -r ${agent.session}` } : {}),
  });
  return exitCodeOfTurn(end);
}

function voiceFor(frame: Frame, { wish, display }: PrintedTurn): Voice {
  switch (wish.outputFormat) {
    case "text":
      return textVoice(frame, display);
    case "json":
      return jsonVoice(frame);
    case "stream-json":
      return streamVoice(frame);
    default:
      return wish.outputFormat satisfies never;
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
      return error === undefined ? 1 : exitCodeOf(new WorldlineError(error.code, error.message));
    default:
      return outcome satisfies never;
  }
}

interface Interrupts {
  /** Resolves when an interrupt that was asked for has been carried out. */
  settled(): Promise<void>;
  release(): void;
}

/**
 * The first signal ends the turn in order. It gives the signals back, so that a second one ends the process at once.
 * A reader of the events who leaves is the same as a signal: nobody looks on any more.
 */
function listenToInterrupts(frame: Frame, { opened, wish }: PrintedTurn): Interrupts {
  const { output, strings, surroundings } = frame;
  let interrupting: Promise<void> | undefined;
  const interrupt = () => {
    interrupting ??= opened.agent.interrupt().catch((error: unknown) => {
      output.warn(error instanceof Error ? error.message : String(error));
    });
  };
  const release = surroundings.onInterrupt(() => {
    release();
    if (wish.outputFormat === "text") output.notice(strings.agent.interrupting);
    interrupt();
  });
  if (wish.outputFormat === "stream-json") surroundings.stdout.on("error", interrupt);
  return { settled: async () => interrupting, release };
}
