import type { AgentEvent, TurnEnd } from "../../ports/agent-events.ts";
import type { Entry } from "../../record/entry.ts";
import { ABOUT } from "../../timeline/turn-state.ts";
import {
  addBlock,
  applyEntry,
  fillCard,
  fillCompaction,
  fillFiles,
  keepBelow,
  setFiles,
} from "./apply-entry.ts";
import type { Block, CallBlock, Happening } from "./block.ts";
import { grow, lastPiece, NO_CHUNKS } from "./chunks.ts";
import { textBlock } from "./entry-blocks.ts";
import { EMPTY_TRANSCRIPT, type LiveRun, type RunningCall, type Transcript } from "./transcript.ts";

interface EventContext {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns the conversation after an event. Entries become permanent. Everything else, except warnings, disappears when
 * the turn ends.
 */
export function applyEvent(transcript: Transcript, event: AgentEvent, { now }: EventContext): Transcript {
  switch (event.type) {
    case "entry":
      return applyLiveEntry(transcript, event.entry);
    case "text":
      return appendText(running(transcript), event.text);
    case "thinking":
      return appendThinking(running(transcript), event.text);
    case "call":
      return appendCall(running(transcript), event);
    case "output":
      return appendOutput(transcript, event);
    case "doing":
      return event.doing.what === "tool" ? markRunning(transcript, event.doing.call, now) : transcript;
    case "sub-agent":
      return applySubAgentEvent(transcript, event.call, (agent) => applyEvent(agent, event.event, { now }));
    case "retry":
      return {
        ...withoutLive(transcript),
        live: [{ kind: "happening", key: "live-retry", happening: { what: "retry", retry: event } }],
      };
    case "backtrack":
    case "files":
      return filled(transcript, event);
    case "warning":
    case "compaction":
      return applyNotice(transcript, event);
    case "turn-end":
      return ended(transcript, event);
    case "session":
    case "journey":
    case "mode":
    case "busy":
    case "model":
      return transcript;
    default:
      return event satisfies never;
  }
}

/** Marks the turn as running. Removes the notice about a retry, because part of a new reply has arrived. */
function running(transcript: Transcript): Transcript {
  const { live } = transcript;
  const isRetry = live.length > 0 && live.every(({ kind }) => kind === "happening");
  return { ...transcript, turn: "runs", ...(isRetry ? { live: [] } : {}) };
}

function applyLiveEntry(transcript: Transcript, entry: Entry): Transcript {
  switch (entry.kind) {
    case "prompt":
    case "reply":
    case "step":
      return { ...applyEntry(withoutLive(transcript), entry), turn: "runs" };
    case "error":
    case "interrupt":
    case "backtrack":
    case "rewind":
    case "redo":
      return applyEntry(withoutLive(transcript), entry);
    case "tool-start":
      return applyEntry(withoutRunning(transcript, entry.call), entry);
    case "tool-end":
      return applyEntry(withoutRunning(keepBelow(transcript, entry.call), entry.call), entry);
    default:
      // Entries such as snapshots may be emitted while a reply arrives.
      return applyEntry(transcript, entry);
  }
}

/** Removes the streamed reply, because its entry replaces it or because the reply was discarded. */
function withoutLive(transcript: Transcript): Transcript {
  return { ...transcript, live: [], memory: { ...transcript.memory, run: undefined } };
}

function filled(
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "backtrack" | "files" }>,
): Transcript {
  if (event.type === "files") {
    const key = keyOfFiles(transcript);
    if (key === undefined) return transcript;
    return setFiles(transcript, key, { files: event.files, more: event.more });
  }
  const card = transcript.settled.findLast((block) => block.kind === "card");
  if (card === undefined) return transcript;
  const { entries, tokens, prompt } = event;
  return fillCard(transcript, card.key, { entries, tokens, ...(prompt === undefined ? {} : { prompt }) });
}

/**
 * Returns the key of the block with the running turn's files. Between turns, returns the key of the block for the last
 * command that has ended.
 */
function keyOfFiles({ turn, settled, memory }: Transcript): string | undefined {
  const prompt = memory.built.turn?.prompt;
  if (turn === "runs") return prompt === undefined ? undefined : `files-${prompt}`;
  return settled.findLast(({ kind }) => kind === "files")?.key;
}

/** Adds a notice, unless an entry reports the same thing. */
function applyNotice(
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "warning" | "compaction" }>,
): Transcript {
  if (event.type === "warning") {
    if (event.code === "REPLY_CUT") return transcript;
    const { code, message, hint, reason, params } = event;
    return addHappening(transcript, {
      what: "warning",
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(reason === undefined ? {} : { reason, params }),
    });
  }
  if (event.outcome !== "done") return addHappening(transcript, { what: "not-compacted", failure: event });
  const isCompaction = (block: Block): boolean =>
    block.kind === "happening" && block.happening.what === "compaction";
  const written = transcript.settled.findLast(isCompaction);
  return written === undefined ? transcript : fillCompaction(transcript, written.key, event.after);
}

function addHappening(transcript: Transcript, happening: Happening): Transcript {
  return addBlock(transcript, (key) => ({ kind: "happening", key, happening }));
}

function ended(transcript: Transcript, { outcome, error }: TurnEnd): Transcript {
  const { memory } = transcript;
  const still: Transcript = { ...withoutLive(transcript), running: new Map(), turn: "none" };
  const prompt = memory.built.turn?.prompt;
  const key = `files-${prompt}`;
  const filled = prompt === undefined ? still : fillFiles(still, key, undefined);
  if (outcome !== "failed" || error === undefined) return filled;
  const { code, ...said } = error;
  return addHappening(filled, isWritten(code, still) ? { what: "go-on" } : { what: "error", ...said });
}

/** Checks whether the turn's last entry is the log's entry about this failure. Store failures are not logged. */
function isWritten(code: string, { memory }: Transcript): boolean {
  const last = memory.story.findLast(
    (item) => "entry" in item && (item.entry.kind === "error" || item.entry.kind === "prompt"),
  );
  return last !== undefined && "entry" in last && last.entry.kind === "error" && last.entry.code === code;
}

/** Maximum number of characters kept from a call's arguments. This is enough to say what the call is about. */
const MAX_ARGUMENTS = 2_000;
const NAMED = ABOUT.map((name) => new RegExp(String.raw`"${name}"\s*:\s*"((?:[^"\\]|\\.)*)"`, "u"));

function appendText(before: Transcript, text: string): Transcript {
  const transcript = endThinking(before);
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

function appendThinking(transcript: Transcript, text: string): Transcript {
  const { live, memory } = transcript;
  const run = runOf(transcript, "thinking");
  const before = live[run.at];
  const said = before?.kind === "thinking" ? before.text : "";
  const block: Block = { kind: "thinking", key: `live-${run.at}`, text: said + text, state: "live" };
  return { ...transcript, live: [...live.slice(0, run.at), block], memory: { ...memory, run } };
}

/** Adds a piece to a call's arguments. The pieces of several calls may be interleaved. */
function appendCall(
  current: Transcript,
  { call, name, text }: Extract<AgentEvent, { type: "call" }>,
): Transcript {
  const transcript = endThinking(current);
  const { memory } = transcript;
  const run = runOf(transcript, "calls");
  const live = [...transcript.live];
  const found = live.findIndex((block, index) => index >= run.at && isCall(block, call));
  const at = found === -1 ? live.length : found;
  const before = live[at];
  const known = before?.kind === "call" && typeof before.input === "string" ? before.input : "";
  if (before !== undefined && known.length >= MAX_ARGUMENTS) return transcript;
  const input = (known + text).slice(0, MAX_ARGUMENTS);
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

/** Marks thinking as done, because another part of the reply follows. */
function endThinking(transcript: Transcript): Transcript {
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

/** Returns the part of the reply that continues, or a new part at its end. */
function runOf({ live, memory: { run } }: Transcript, of: LiveRun["of"]): LiveRun {
  if (run?.of === of && run.at <= live.length) return run;
  return { of, at: live.length, chunks: NO_CHUNKS };
}

/** Returns the subject of a call, based on arguments that may be incomplete. */
function aboutPartial(text: string): string {
  const found = NAMED.map((named) => named.exec(text)).find((match) => match !== null);
  return (found?.[1] ?? "").replace(/\\[nrt]/gu, " ").replace(/\\(.)/gu, "$1");
}

/** Maximum number of lines kept from a call's output while the call is running. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 65_536;
/** Maximum number of blocks of a sub-agent's conversation that are shown below its call. */
const MAX_BELOW = 50;

function appendOutput(
  transcript: Transcript,
  { call, text }: Extract<AgentEvent, { type: "output" }>,
): Transcript {
  return changed(transcript, call, ({ block, ...running }) => ({
    ...running,
    block: { ...block, ...tail(block, text) },
  }));
}

/**
 * Marks a call as running. The start of a call that cannot change anything is not logged, so this event marks its
 * start.
 */
function markRunning(transcript: Transcript, call: string, now: number): Transcript {
  return changed(transcript, call, ({ block, ...running }) => ({
    ...running,
    block: { ...block, state: "running", since: block.since ?? now },
  }));
}

/** Applies an event to the sub-agent's own conversation, which is built like the main one. */
function applySubAgentEvent(
  transcript: Transcript,
  call: string,
  update: (agent: Transcript) => Transcript,
): Transcript {
  return changed(transcript, call, ({ block, agent: before }) => {
    const agent = update(before ?? EMPTY_TRANSCRIPT);
    return { block: { ...block, below: shownBelow(agent) }, agent };
  });
}

/**
 * Drops what events have reported about a running call, because the call's entry in the log replaces this information.
 */
function withoutRunning(transcript: Transcript, call: string): Transcript {
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

/**
 * Returns the blocks to show below a call. Omits the sub-agent's prompt, because it repeats the call's input. Also
 * omits other blocks such as thinking, because they would take up too much room.
 */
function shownBelow({ settled, live, running }: Transcript): readonly Block[] {
  return [...settled, ...live]
    .filter(({ kind }) => kind === "call" || kind === "text" || kind === "happening")
    .slice(-MAX_BELOW)
    .map((block) => (block.kind === "call" ? latest(block, running) : block));
}

/** Returns the call in the state that events have reported most recently. */
export function latest(block: CallBlock, running: Transcript["running"]): CallBlock {
  const known = running.get(block.call)?.block;
  return known?.key === block.key ? known : block;
}

/** Returns the end of the output, and the number of lines that were dropped before it. */
function tail(block: CallBlock, more: string): Pick<CallBlock, "output" | "dropped"> {
  const text = block.output + more;
  const kept = text.slice(startOfTail(text));
  const cut = text.slice(0, text.length - kept.length);
  const dropped = (block.dropped ?? 0) + cut.split("\n").length - 1;
  return dropped === 0 ? { output: kept } : { output: kept, dropped };
}

function startOfTail(text: string): number {
  const first = Math.max(0, text.length - MAX_CHARACTERS);
  let at = text.length;
  for (let line = 0; line <= MAX_LINES; line += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at <= first) return first;
  }
  return at + 1;
}
