import { setTimeout } from "node:timers/promises";
import type { Reply, Session } from "../../../machine/session.ts";
import type { AgentEvent } from "../../../ports/agent-events.ts";
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
  /** The call that the log is the work of, where it is a sub-agent's. */
  readonly task?: string;
  readonly calls: CallBook;
  readonly emit: (event: AgentEvent) => void;
  readonly logName: LogName;
  /** Says, with what was just written, how far the SDK's session has come. Absent for a sub-agent, which nobody goes back in. */
  readonly placed?: (message: string) => Draft;
  /** "reply": each reply gets its checkpoint when it is written, because no hook tells of it before. */
  readonly stepsWith: "hooks" | "reply";
  /** A result is in: what it changed, in the workspace and beside it. */
  readonly onResult: (call: Call) => Promise<readonly OutsideChange[]>;
  /** A reply begins. */
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

/** How long a reply must bring nothing new to be taken as whole, and for how long that is waited for at most. */
const QUIET_MS = 250;
const WHOLE_MS = 2_000;
const ABORTED = "aborted";
const REPLY_CUT = "The reply was cut: it is as long as the model allows.";
const CUT_SHORT = "Interrupted; it is not known whether it took effect.";
const NOT_STARTED = "Not started: the turn was interrupted before.";

/** Writes what the SDK says into one log: the session's own, or that of a sub-agent. */
export class Recorder {
  /** What was said last. */
  answer = "";
  readonly #options: RecorderOptions;
  readonly #partial: PartialReply;
  #reply: PendingReply | undefined;
  #heardAt = 0;
  /** The reply that was written last, of which there may be more. */
  #written: string | undefined;
  #flushed: Promise<void> = Promise.resolve();
  /** Calls of the last reply that have no result yet. */
  readonly #open = new Set<string>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#partial = new PartialReply(options.logName);
  }

  /** A block of a reply. Those of one reply are written together, when it is whole. */
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

  /** The same reply as it arrives: told, and in the log only where it is never finished. */
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
      const parts = outcome === "interrupted" ? cutParts(call) : resultParts(result).map(withoutHook);
      await this.#end(call, { outcome, parts, uuid });
    }
  }

  /** Writes the reply when it is whole, as far as that can be known where nobody tells its end. */
  async settle(): Promise<void> {
    const deadline = performance.now() + WHOLE_MS;
    while (this.#reply !== undefined) {
      const left = Math.min(this.#heardAt + QUIET_MS, deadline) - performance.now();
      if (left <= 0) break;
      await setTimeout(left);
    }
    await this.flush();
  }

  /** Writes the reply as far as it has been heard; one after the other, so that whoever awaits this finds it in the log. */
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
    if (stop === "max_tokens") emit({ type: "warning", code: "REPLY_CUT", message: REPLY_CUT });
  }

  /** The turn is over: what it left half said or half done is written down as such. */
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
    const outside = await onResult(call);
    const end: Draft = {
      kind: "tool-end",
      call: call.id,
      outcome,
      parts,
      ...(outcome === "denied" && call.deniedFor !== undefined ? { reason: call.deniedFor } : {}),
      ...(outside.length === 0 ? {} : { outside }),
    };
    // Only behind the last one: the SDK cannot go on from a place where a result is missing.
    const isLast = this.#open.size === 0 && uuid !== undefined && placed !== undefined;
    const drafts = [...(call.result === "later" ? [] : [end]), ...(isLast ? [placed(uuid)] : [])];
    try {
      if (drafts.length > 0) await session.write(drafts.map((draft) => ({ draft })));
    } finally {
      // What the store could not take waits in the session, and is not to be handed in again.
      calls.ended(call.id);
    }
  }

  #whyError(call: Call): "denied" | "interrupted" | "error" {
    if (call.denied !== undefined) return "denied";
    return this.#options.isStopped() ? "interrupted" : "error";
  }
}

function cutParts({ state }: Call): readonly Part[] {
  return [textPart(state === "asked" ? NOT_STARTED : CUT_SHORT)];
}

/** The SDK puts the hook's name before what a hook refuses, as if it had failed. */
const HOOK = /^PreToolUse:\S+ hook error: (?=Denied: |Not started: )/u;

function withoutHook(part: Part): Part {
  return part.type === "text" ? textPart(part.text.replace(HOOK, "")) : part;
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

/** The block that is being said: told as it arrives, and kept in case that it is never finished. */
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

  /** What is to be told of the event. */
  apply(event: SdkRawEvent): readonly AgentEvent[] {
    if (event.type === "content_block_start") {
      const { type, id = "", name = "" } = event.content_block;
      this.#text = "";
      this.#call = type === "tool_use" ? { id, name: this.#logName(name) } : undefined;
      return this.#call === undefined ? [] : [callEvent(this.#call, "")];
    }
    return event.type === "content_block_delta" ? this.#delta(event.delta) : [];
  }

  /** The block has come as a whole. */
  whole(): void {
    this.#text = "";
  }

  /** Text alone: thinking without its signature and half a call are of no use to anybody. */
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
