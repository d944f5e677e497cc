import type { AgentEvent } from "../../../ports/agent-events.ts";
import type { Block, CallBlock } from "../block.ts";
import { EMPTY_TRANSCRIPT, type RunningCall, type Transcript } from "../transcript.ts";

/** Of what a call prints, as much as is kept while it runs. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 65_536;
/** Of a sub-agent's conversation, as much as is shown below its call. */
const MOST_BELOW = 50;

export function hearOutput(
  transcript: Transcript,
  { call, text }: Extract<AgentEvent, { type: "output" }>,
): Transcript {
  return changed(transcript, call, ({ block, ...running }) => ({
    ...running,
    block: { ...block, ...tail(block, text) },
  }));
}

/** What cannot change anything is not written down as started: then this is its start. */
export function hearDoing(transcript: Transcript, call: string, now: number): Transcript {
  return changed(transcript, call, ({ block, ...running }) => ({
    ...running,
    block: { ...block, state: "running", since: block.since ?? now },
  }));
}

/** The sub-agent's own conversation, built as this one is. */
export function hearSubAgent(
  transcript: Transcript,
  call: string,
  hear: (agent: Transcript) => Transcript,
): Transcript {
  return changed(transcript, call, ({ block, agent: before }) => {
    const agent = hear(before ?? EMPTY_TRANSCRIPT);
    return { block: { ...block, below: shownBelow(agent) }, agent };
  });
}

/** What is written down now stands for what was only heard. */
export function without(transcript: Transcript, call: string): Transcript {
  if (!transcript.running.has(call)) return transcript;
  const running = new Map(transcript.running);
  running.delete(call);
  return { ...transcript, running };
}

function changed(
  transcript: Transcript,
  call: string,
  change: (running: RunningCall) => RunningCall,
): Transcript {
  const before = transcript.running.get(call) ?? openCall(transcript, call);
  if (before === undefined) return transcript;
  return { ...transcript, running: new Map(transcript.running).set(call, change(before)) };
}

function openCall({ settled, memory }: Transcript, call: string): RunningCall | undefined {
  const open = memory.built.open.find((each) => each.call === call);
  const block = open === undefined ? undefined : settled[open.at];
  return block?.kind === "call" ? { block } : undefined;
}

/** Its prompt is the call's own; what its calls print and think is too much. */
function shownBelow({ settled, live, running }: Transcript): readonly Block[] {
  return [...settled, ...live]
    .filter(({ kind }) => kind === "call" || kind === "text" || kind === "happening")
    .slice(-MOST_BELOW)
    .map((block) => (block.kind === "call" ? latest(block, running) : block));
}

/** The call as it is known now. */
export function latest(block: CallBlock, running: Transcript["running"]): CallBlock {
  const known = running.get(block.call)?.block;
  return known?.key === block.key ? known : block;
}

/** What is kept is the end of it; how much is not is counted. */
function tail(block: CallBlock, more: string): Pick<CallBlock, "output" | "dropped"> {
  const text = block.output + more;
  const kept = text.slice(startOfTail(text));
  const cut = text.slice(0, text.length - kept.length);
  const dropped = (block.dropped ?? 0) + cut.split("\n").length - 1;
  return dropped === 0 ? { output: kept } : { output: kept, dropped };
}

function startOfTail(text: string): number {
  const first = Math.max(0, text.length - MOST_CHARACTERS);
  let at = text.length;
  for (let line = 0; line <= MOST_LINES; line += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at <= first) return first;
  }
  return at + 1;
}
