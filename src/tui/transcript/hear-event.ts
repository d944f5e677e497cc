import type { AgentEvent, TurnEnd } from "../../ports/agent-events.ts";
import type { Entry } from "../../record/entry.ts";
import type { Block, Happening } from "./block.ts";
import { fillCard, fillCompaction, fillFiles, keepBelow, tellFiles } from "./fill.ts";
import { addBlock, hearEntry } from "./hear-entry.ts";
import { hearCall, hearText, hearThinking } from "./live/live-reply.ts";
import { hearDoing, hearOutput, hearSubAgent, without } from "./live/running-calls.ts";
import type { Transcript } from "./transcript.ts";

interface Hearing {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The conversation after what the agent told. Entries settle; all else is gone when the turn has ended, except warnings. */
export function hearEvent(transcript: Transcript, event: AgentEvent, { now }: Hearing): Transcript {
  switch (event.type) {
    case "entry":
      return heardEntry(transcript, event.entry);
    case "text":
      return hearText(running(transcript), event.text);
    case "thinking":
      return hearThinking(running(transcript), event.text);
    case "call":
      return hearCall(running(transcript), event);
    case "output":
      return hearOutput(transcript, event);
    case "doing":
      return event.doing.what === "tool" ? hearDoing(transcript, event.doing.call, now) : transcript;
    case "sub-agent":
      return hearSubAgent(transcript, event.call, (agent) => hearEvent(agent, event.event, { now }));
    case "retry":
      return {
        ...silent(transcript),
        live: [{ kind: "happening", key: "live-retry", happening: { what: "retry", retry: event } }],
      };
    case "backtrack":
    case "files":
      return filled(transcript, event);
    case "warning":
    case "compaction":
      return said(transcript, event);
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

/** A piece of a reply ends what was said of a retry. */
function running(transcript: Transcript): Transcript {
  const { live } = transcript;
  const isRetry = live.length > 0 && live.every(({ kind }) => kind === "happening");
  return { ...transcript, turn: "runs", ...(isRetry ? { live: [] } : {}) };
}

function heardEntry(transcript: Transcript, entry: Entry): Transcript {
  switch (entry.kind) {
    case "prompt":
    case "reply":
    case "step":
      return { ...hearEntry(silent(transcript), entry), turn: "runs" };
    case "error":
    case "interrupt":
    case "backtrack":
    case "rewind":
    case "redo":
      return hearEntry(silent(transcript), entry);
    case "tool-start":
      return hearEntry(without(transcript, entry.call), entry);
    case "tool-end":
      return hearEntry(without(keepBelow(transcript, entry.call), entry.call), entry);
    default:
      // Such as a snapshot, which may be told while a reply arrives.
      return hearEntry(transcript, entry);
  }
}

/** Without what was said of a reply: the entry says it, or it is void. */
function silent(transcript: Transcript): Transcript {
  return { ...transcript, live: [], memory: { ...transcript.memory, run: undefined } };
}

function filled(
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "backtrack" | "files" }>,
): Transcript {
  if (event.type === "files") {
    const key = keyOfFiles(transcript);
    if (key === undefined) return transcript;
    return tellFiles(transcript, key, { files: event.files, more: event.more });
  }
  const card = transcript.settled.findLast((block) => block.kind === "card");
  if (card === undefined) return transcript;
  const { entries, tokens, prompt } = event;
  return fillCard(transcript, card.key, { entries, tokens, ...(prompt === undefined ? {} : { prompt }) });
}

/** Of the turn that runs; between turns, of the command that has ended last. */
function keyOfFiles({ turn, settled, memory }: Transcript): string | undefined {
  const prompt = memory.built.turn?.prompt;
  if (turn === "runs") return prompt === undefined ? undefined : `files-${prompt}`;
  return settled.findLast(({ kind }) => kind === "files")?.key;
}

/** What an entry tells as well is left to it. */
function said(
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "warning" | "compaction" }>,
): Transcript {
  if (event.type === "warning") {
    if (event.code === "REPLY_CUT") return transcript;
    const { code, message, hint, reason, params } = event;
    return told(transcript, {
      what: "warning",
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(reason === undefined ? {} : { reason, params }),
    });
  }
  if (event.outcome !== "done") return told(transcript, { what: "not-compacted", told: event });
  const isCompaction = (block: Block): boolean =>
    block.kind === "happening" && block.happening.what === "compaction";
  const written = transcript.settled.findLast(isCompaction);
  return written === undefined ? transcript : fillCompaction(transcript, written.key, event.after);
}

function told(transcript: Transcript, happening: Happening): Transcript {
  return addBlock(transcript, (key) => ({ kind: "happening", key, happening }));
}

function ended(transcript: Transcript, { outcome, error }: TurnEnd): Transcript {
  const { memory } = transcript;
  const still: Transcript = { ...silent(transcript), running: new Map(), turn: "none" };
  const prompt = memory.built.turn?.prompt;
  const key = `files-${prompt}`;
  const filled = prompt === undefined ? still : fillFiles(still, key, undefined);
  if (outcome !== "failed" || error === undefined) return filled;
  const { code, ...said } = error;
  return told(filled, isWritten(code, still) ? { what: "go-on" } : { what: "error", ...said });
}

/** Whether the last entry of the turn that tells of a failure tells of this one. What the store refused is on none. */
function isWritten(code: string, { memory }: Transcript): boolean {
  const last = memory.story.findLast(
    (told) => "entry" in told && (told.entry.kind === "error" || told.entry.kind === "prompt"),
  );
  return last !== undefined && "entry" in last && last.entry.kind === "error" && last.entry.code === code;
}
