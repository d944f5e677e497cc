import type { AgentEvent } from "../../../ports/agent-events.ts";
import { ABOUT } from "../../../timeline/turn-state.ts";
import type { Block, CallBlock } from "../block.ts";
import { textBlock } from "../building/reply-blocks.ts";
import { grow, lastPiece, NO_CHUNKS } from "../text/chunk.ts";
import type { LiveRun, Transcript } from "../transcript.ts";

/** Enough of a call's arguments to say what it is about. */
const MOST_ARGUMENTS = 2_000;
const NAMED = ABOUT.map((name) => new RegExp(String.raw`"${name}"\s*:\s*"((?:[^"\\]|\\.)*)"`, "u"));

export function hearText(heard: Transcript, text: string): Transcript {
  const transcript = thought(heard);
  const { live, memory } = transcript;
  const run = runOf(transcript, "text");
  const chunks = grow(run.chunks, text);
  const first = run.chunks.pieces.length;
  const last = lastPiece(chunks.open);
  const pieces = [...chunks.pieces.slice(first), ...(last === undefined ? [] : [last])];
  const begin = run.at - first;
  const blocks = pieces.map((piece, index) =>
    textBlock(piece, `live-${run.at + index}`, run.at + index - begin),
  );
  const at = begin + chunks.pieces.length;
  return {
    ...transcript,
    live: [...live.slice(0, run.at), ...blocks],
    memory: { ...memory, run: { of: "text", at, chunks } },
  };
}

export function hearThinking(transcript: Transcript, text: string): Transcript {
  const { live, memory } = transcript;
  const run = runOf(transcript, "thinking");
  const before = live[run.at];
  const said = before?.kind === "thinking" ? before.text : "";
  const block: Block = { kind: "thinking", key: `live-${run.at}`, text: said + text, state: "live" };
  return { ...transcript, live: [...live.slice(0, run.at), block], memory: { ...memory, run } };
}

/** The arguments of several calls may arrive side by side. */
export function hearCall(
  heard: Transcript,
  { call, name, text }: Extract<AgentEvent, { type: "call" }>,
): Transcript {
  const transcript = thought(heard);
  const { memory } = transcript;
  const run = runOf(transcript, "calls");
  const live = [...transcript.live];
  const found = live.findIndex((block, index) => index >= run.at && isCall(block, call));
  const at = found === -1 ? live.length : found;
  const before = live[at];
  const known = before?.kind === "call" && typeof before.input === "string" ? before.input : "";
  if (before !== undefined && known.length >= MOST_ARGUMENTS) return transcript;
  const input = (known + text).slice(0, MOST_ARGUMENTS);
  live[at] = {
    kind: "call",
    key: `live-${at}`,
    call,
    name,
    about: aboutPartial(input),
    input,
    state: "asked",
    output: "",
    below: [],
  };
  return { ...transcript, live, memory: { ...memory, run } };
}

/** Whatever comes behind it ends the thinking. */
function thought(transcript: Transcript): Transcript {
  const { live } = transcript;
  if (!live.some((block) => block.kind === "thinking" && block.state === "live")) return transcript;
  return {
    ...transcript,
    live: live.map((block) => (block.kind === "thinking" ? { ...block, state: "done" as const } : block)),
  };
}

function isCall(block: Block, call: string): block is CallBlock {
  return block.kind === "call" && block.call === call;
}

/** The part of the reply that goes on, or a new one at its end. */
function runOf({ live, memory: { run } }: Transcript, of: LiveRun["of"]): LiveRun {
  if (run?.of === of && run.at <= live.length) return run;
  return { of, at: live.length, chunks: NO_CHUNKS };
}

/** From arguments that are not all there yet. */
function aboutPartial(text: string): string {
  const found = NAMED.map((named) => named.exec(text)).find((match) => match !== null);
  return (found?.[1] ?? "").replace(/\\[nrt]/gu, " ").replace(/\\(.)/gu, "$1");
}
