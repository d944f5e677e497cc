import { setTimeout } from "node:timers/promises";
import { replyCut } from "../../../agent/failure.ts";
import type { Reply, Session } from "../../../machine/session.ts";
import type { AgentEvent } from "../../../ports/agent-events.ts";
import { type CallReason, callReasonInEnglish } from "../../../record/call-reason.ts";
import type { Draft } from "../../../record/entry.ts";
import type { OutsideChange } from "../../../record/files.ts";
import {
  noUsage,
  type Part,
  type ReplyPart,
  type ToolCallPart,
  textOf,
  textPart,
} from "../../../record/parts.ts";
import { type LogName, mergeUsage, replyPart, resultParts, toolResults, usageOf } from "../sdk/content.ts";
import type { SdkAssistant, SdkRawEvent, SdkUsage, SdkUser } from "../sdk/sdk-types.ts";
import type { Call, CallBook } from "./call-book.ts";

export interface RecorderOptions {
  readonly session: Session;
  /** The call that started the sub-agent, if this is a sub-agent's log. */
  readonly task?: string;
  readonly calls: CallBook;
  readonly emit: (event: AgentEvent) => void;
  readonly logName: LogName;
  /**
   * Returns an entry with the place that the SDK's session has reached. Absent for a sub-agent, whose log is never
   * rewound.
   */
  readonly placed?: (message: string) => Draft;
  /** "reply" means that each reply gets its checkpoint when it is written, because no hook runs before it. */
  readonly stepsWith: "hooks" | "reply";
  /** Called for each result. Returns the call's changes outside the workspace. */
  readonly onResult: (call: Call) => Promise<readonly OutsideChange[]>;
  /** Called when a reply begins. */
  readonly onReply?: () => Promise<void>;
  readonly onWritten?: () => void;
  readonly isStopped: () => boolean;
}

interface PendingReply {
  readonly id: string;
  readonly model: string;
  readonly parts: ReplyPart[];
  readonly calls: string[];
  last: string;
  usage: SdkUsage | undefined;
  stop: string | null | undefined;
}

/** A reply counts as complete after `QUIET_MS` without new blocks, or after `WHOLE_MS` at the latest. */
const QUIET_MS = 250;
const WHOLE_MS = 2_000;
const ABORTED = "aborted";
const CUT_SHORT = "Interrupted; it is not known whether it took effect.";
const NOT_STARTED: CallReason = { code: "not-started-interrupted" };

/** Writes what the SDK reports to one log: the session's own or a sub-agent's. */
export class Recorder {
  /** The text of the last reply. */
  answer = "";
  readonly #options: RecorderOptions;
  readonly #partial: PartialReply;
  #reply: PendingReply | undefined;
  #heardAt = 0;
  /** The id of the reply that was written last. More blocks of this reply may arrive. */
  #written: string | undefined;
  #flushed: Promise<void> = Promise.resolve();
  /** Calls of the last reply that have no result yet. */
  readonly #open = new Set<string>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#partial = new PartialReply(options.logName);
  }

  /** Adds a block of a reply. The blocks of one reply are written together when the reply is complete. */
  async addBlock({ message, uuid, aborted }: SdkAssistant): Promise<void> {
    if (this.#reply !== undefined && this.#reply.id !== message.id) await this.flush();
    this.#reply ??= pendingOf(message);
    const reply = this.#reply;
    this.#partial.whole();
    this.#heardAt = performance.now();
    reply.last = uuid;
    reply.usage ??= message.usage;
    reply.stop ??= aborted === true ? ABORTED : message.stop_reason;
    const { logName } = this.#options;
    for (const part of message.content.flatMap((block) => replyPart(block, logName)))
      this.#addPart(reply, part);
  }

  #addPart(reply: PendingReply, part: ReplyPart): void {
    reply.parts.push(part);
    if (part.type !== "tool-call") return;
    reply.calls.push(part.call);
    this.#options.calls.add(callOf(part, this.#options));
  }

  /**
   * Handles an event from the reply's stream. The streamed text is emitted as events, and written to the log only if
   * the reply never finishes.
   */
  async addEvent(event: SdkRawEvent): Promise<void> {
    if (event.type === "message_start") await this.#beginReply(event.message.model);
    for (const each of this.#partial.apply(event)) this.#options.emit(each);
    if (event.type === "message_delta" && this.#reply !== undefined) {
      this.#reply.usage = mergeUsage(this.#reply.usage, event.usage);
      this.#reply.stop = event.delta?.stop_reason ?? this.#reply.stop;
    }
    if (event.type === "message_stop") await this.flush();
  }

  async #beginReply(model: string): Promise<void> {
    this.#partial.begin(`anthropic/${model}`);
    this.#written = undefined;
    await this.#options.onReply?.();
  }

  async addResults({ message, uuid }: SdkUser): Promise<void> {
    const results = toolResults(message.content);
    if (results.length > 0) await this.flush();
    for (const result of results) {
      const call = this.#options.calls.get(result.tool_use_id);
      if (call === undefined || call.state === "ended") continue;
      const outcome = result.is_error === true ? this.#whyError(call) : "ok";
      const parts = outcome === "interrupted" ? cutParts(call) : partsOf(call, resultParts(result));
      await this.#end(call, { outcome, parts, uuid });
    }
  }

  /**
   * Waits until the reply seems to be complete and then writes it. There may be no event for its end, so a pause counts
   * as the end.
   */
  async settle(): Promise<void> {
    const deadline = performance.now() + WHOLE_MS;
    while (this.#reply !== undefined) {
      const left = Math.min(this.#heardAt + QUIET_MS, deadline) - performance.now();
      if (left <= 0) break;
      await setTimeout(left);
    }
    await this.flush();
  }

  /**
   * Writes the part of the reply that has arrived. Writes run one after another, so that the reply is in the log when
   * this resolves.
   */
  async flush(): Promise<void> {
    const flushed = this.#flushed.then(async () => this.#write());
    this.#flushed = flushed.catch(() => undefined);
    await flushed;
  }

  async #write(): Promise<void> {
    const reply = this.#reply;
    if (reply === undefined) return;
    this.#reply = undefined;
    const { session, emit, placed, stepsWith } = this.#options;
    const { parts, stop, calls } = reply;
    if (parts.length === 0) return;
    const isMore = reply.id === this.#written;
    this.#written = reply.id;
    if (stepsWith === "reply" && !isMore) await session.step();
    this.#options.onWritten?.();
    const isFinal = calls.length === 0;
    for (const call of calls) this.#open.add(call);
    await session.write([
      { draft: { kind: "reply", ...replyOf(reply, isMore ? "more" : "first") } },
      ...(isFinal && placed !== undefined ? [{ draft: placed(reply.last) }] : []),
    ]);
    this.answer = textOf(parts).trim();
    for (const call of calls) this.#options.calls.wrote(call);
    if (stop === "max_tokens") emit(replyCut());
  }

  /** Logs unfinished replies and calls as interrupted. Called at the end of the turn. */
  async finish(): Promise<void> {
    await this.flush();
    await this.#keepPartial();
    for (const call of this.#options.calls.open()) {
      if (call.session !== this.#options.session || call.result === "later") continue;
      await this.#end(call, { outcome: "interrupted", parts: cutParts(call) });
    }
  }

  async #keepPartial(): Promise<void> {
    const { parts, model } = this.#partial.take();
    if (parts.length === 0) return;
    await this.#options.session.reply({ parts, model, end: "interrupted" });
    this.answer = textOf(parts).trim();
  }

  async #end(call: Call, { outcome, parts, uuid }: CallEnd): Promise<void> {
    const { session, calls, placed, onResult } = this.#options;
    this.#open.delete(call.id);
    const denial = denialOf(call, outcome);
    const outside = await onResult(call);
    const end: Draft = {
      kind: "tool-end",
      call: call.id,
      outcome,
      parts,
      ...(denial === undefined ? {} : { denial }),
      ...(outside.length === 0 ? {} : { outside }),
    };
    // The place is recorded only with the last result, because the SDK cannot continue from a place where a result is
    // missing.
    const isLast = this.#open.size === 0 && uuid !== undefined && placed !== undefined;
    const drafts = [...(call.result === "later" ? [] : [end]), ...(isLast ? [placed(uuid)] : [])];
    try {
      if (drafts.length > 0) await session.write(drafts.map((draft) => ({ draft })));
    } finally {
      // An entry that the store refused stays in the session's queue, and must not be written again.
      calls.ended(call.id);
    }
  }

  #whyError(call: Call): "denied" | "interrupted" | "error" {
    if (call.denied !== undefined) return "denied";
    return this.#options.isStopped() ? "interrupted" : "error";
  }
}

function cutParts({ state }: Call): readonly Part[] {
  return [textPart(state === "asked" ? callReasonInEnglish(NOT_STARTED) : CUT_SHORT)];
}

/**
 * Matches the hook's name, which the SDK puts before the message when a hook refuses a call, as if the hook had failed.
 */
const HOOK = /^PreToolUse:\S+ hook error: /u;

/** Returns the result's parts, without the hook's name if the hook was ours. Another hook may actually have failed. */
function partsOf({ refusal }: Call, parts: readonly Part[]): readonly Part[] {
  if (refusal === undefined) return parts;
  return parts.map((part) => (part.type === "text" ? textPart(part.text.replace(HOOK, "")) : part));
}

function denialOf(call: Call, outcome: CallEnd["outcome"]): CallReason | undefined {
  if (outcome === "denied") return call.deniedFor;
  return outcome === "interrupted" && call.state === "asked" ? NOT_STARTED : undefined;
}

function pendingOf({ id, model }: SdkAssistant["message"]): PendingReply {
  const name = `anthropic/${model}`;
  return { id, model: name, parts: [], calls: [], last: "", usage: undefined, stop: undefined };
}

interface CallEnd {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  readonly uuid?: string | undefined;
}

function callOf({ call, name, input }: ToolCallPart, { session, task }: RecorderOptions): Call {
  const of = task === undefined ? {} : { task };
  return { id: call, name, input, session, ...of, state: "asked", result: "from-sdk" };
}

function replyOf({ parts, model, usage, stop }: PendingReply, piece: "first" | "more"): Reply {
  const used = usageOf(usage);
  const end = stop === ABORTED ? "interrupted" : stop === "max_tokens" ? "length" : undefined;
  return {
    parts,
    model,
    ...(used === undefined ? {} : { usage: piece === "first" ? used : { ...noUsage, output: used.output } }),
    ...(end === undefined ? {} : { end }),
  };
}

/** The block that is being streamed. The block is emitted as it arrives, and kept in case it is never finished. */
export class PartialReply {
  readonly #logName: LogName;
  #model = "";
  #text = "";
  #call: { readonly id: string; readonly name: string } | undefined;

  constructor(logName: LogName) {
    this.#logName = logName;
  }

  begin(model: string): void {
    this.#model = model;
    this.#text = "";
  }

  /** Applies an event from the stream. Returns the events to emit for it. */
  apply(event: SdkRawEvent): readonly AgentEvent[] {
    if (event.type === "content_block_start") {
      const { type, id = "", name = "" } = event.content_block;
      this.#text = "";
      this.#call = type === "tool_use" ? { id, name: this.#logName(name) } : undefined;
      return this.#call === undefined ? [] : [callEvent(this.#call, "")];
    }
    return event.type === "content_block_delta" ? this.#delta(event.delta) : [];
  }

  /** Discards the partial text, because the whole block has arrived. */
  whole(): void {
    this.#text = "";
  }

  /**
   * Returns the text that has arrived. Thinking without its signature and incomplete calls are useless, so both are
   * dropped.
   */
  take(): { readonly parts: readonly ReplyPart[]; readonly model: string } {
    const text = this.#text;
    this.#text = "";
    return { parts: text === "" ? [] : [textPart(text)], model: this.#model };
  }

  #delta(delta: Extract<SdkRawEvent, { type: "content_block_delta" }>["delta"]): readonly AgentEvent[] {
    if (delta.type === "text_delta") {
      const { text = "" } = delta;
      this.#text += text;
      return [{ type: "text", text }];
    }
    if (delta.type === "thinking_delta") return [{ type: "thinking", text: delta.thinking ?? "" }];
    if (delta.type === "input_json_delta" && this.#call !== undefined) {
      return [callEvent(this.#call, delta.partial_json ?? "")];
    }
    return [];
  }
}

function callEvent({ id, name }: { readonly id: string; readonly name: string }, text: string): AgentEvent {
  return { type: "call", call: id, name, text };
}
