import type { Entry, EntryOf } from "../../record/entry.ts";
import { type Seq, toSeq } from "../../record/ids.ts";
import { type Part, type ReplyPart, type TextPart, type ToolCallPart, textPart } from "../../record/parts.ts";
import { OpenCalls } from "../calls.ts";
import { branchSince, nearest, type Outline } from "../outline.ts";
import type { Row } from "../row.ts";
import { breakTagInParts, breakTagInReply, type Framing } from "./foreign-text.ts";
import { frame, framedNote, framedNotice, markerOf, summaryFrame } from "./notices.ts";

/** The exact content that is sent to the model, independent of any provider's format. */
export interface Context {
  readonly system: string;
  readonly messages: readonly ContextMessage[];
  /** The index of the last message of each part of the context that the provider should cache. */
  readonly breakpoints: readonly number[];
}

export type ContextMessage = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly Part[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly model: string;
  readonly parts: readonly ReplyPart[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly call: string;
  readonly name: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
}

/** The entries that a context is built from, with their long strings included in full. */
export interface Shown {
  readonly session: EntryOf<"session">;
  /** The last compaction on the branch, if any. */
  readonly compaction?: EntryOf<"compaction">;
  readonly pinned: readonly Entry[];
  /**
   * All entries up to the head. The first of them is the first entry that the compaction keeps or, without a
   * compaction, the first entry of the branch.
   */
  readonly entries: readonly Entry[];
}

/**
 * Builds the context, which depends only on the branch. Later entries never affect how an earlier one is rendered. The
 * same bytes are therefore sent to the model again, and the provider's prefix cache stays valid after a backtrack.
 */
export function contextOf(shown: Shown): Context {
  const { session, compaction } = shown;
  const builder = new ContextBuilder();
  if (compaction !== undefined) builder.addUser([summaryFrame(compaction.summary, session)]);
  for (const entry of shown.pinned) addEntry(builder, entry, session);
  const compactedUpTo = compaction?.seq ?? 0;
  for (const entry of shown.entries) {
    if (entry.kind === "step") builder.seal();
    // The model is shown only checkpoint numbers that it can use. Numbers from before a compaction are hidden. If the
    // model cannot go back, all numbers are hidden.
    const isHiddenMarker =
      entry.kind === "step" && (entry.seq < compactedUpTo || session.backtrack === "off");
    if (!isHiddenMarker) addEntry(builder, entry, session);
  }
  return { system: session.system, ...builder.finish() };
}

function addEntry(builder: ContextBuilder, entry: Entry, framing: Framing): void {
  switch (entry.kind) {
    case "prompt":
      builder.addPrompt(breakTagInParts(entry.parts, framing));
      break;
    case "step":
      builder.addMarker(markerOf(entry, framing.tag));
      break;
    case "reply":
      builder.addReply(entry.model, breakTagInReply(entry.parts, framing));
      break;
    case "tool-end":
      builder.addResult(entry.call, entry.outcome, breakTagInParts(entry.parts, framing));
      break;
    case "notice":
      builder.addUser([framedNotice(entry.text, framing)]);
      break;
    case "backtrack":
      builder.addNote(framedNote(entry, framing));
      break;
    default:
      addRemark(builder, entry, framing);
  }
}

/** Adds remarks about events that changed the conversation itself, because they would otherwise surprise the model. */
function addRemark(builder: ContextBuilder, entry: Entry, { tag }: Framing): void {
  if (entry.kind === "redo" && entry.revokes === "note") {
    builder.addUser([
      frame(
        "The person undid your backtrack from here. The note that you wrote for it no longer holds.",
        tag,
      ),
    ]);
  }
  if (entry.kind === "interrupt" && entry.by === "person") {
    builder.addUser([frame("The person interrupted the turn here.", tag)]);
  }
}

/**
 * The lines to read in order to build a context. If there is a compaction, its entry must be read first, because it
 * determines where the lines begin.
 */
interface ShownLines {
  readonly session: Seq;
  readonly compaction?: Seq;
  readonly pinned: readonly Seq[];
  readonly entries: readonly Seq[];
}

export function lastCompaction(outline: Outline, head: Row | undefined): Row | undefined {
  return nearest(outline, head, (row) => row.kind === "compaction");
}

/** The lines to read for the context at `head`. */
export function shownLines(
  outline: Outline,
  head: Row | undefined,
  compaction: EntryOf<"compaction"> | undefined,
): ShownLines {
  const session = toSeq(1);
  if (compaction === undefined) return { session, pinned: [], entries: linesFrom(outline, head, 1) };
  const start = outline.byId(compaction.firstKept)?.seq ?? firstGap(outline, compaction);
  return {
    session,
    compaction: compaction.seq,
    pinned: compaction.pinned.flatMap((id) => outline.byId(id)?.seq ?? []).filter((line) => line < start),
    entries: linesFrom(outline, head, start),
  };
}

function linesFrom(outline: Outline, head: Row | undefined, start: number): Seq[] {
  return branchSince(outline, start, head).flatMap((row) => (row.kind === "session" ? [] : row.seq));
}

/**
 * Finds a replacement for the first line that a compaction keeps if that line is lost. The lost line must be one of the
 * gaps, so the first possible gap is used. As a result, the context may include too much, but never too little.
 */
function firstGap(outline: Outline, compaction: EntryOf<"compaction">): number {
  const earlier = lastCompaction(outline, outline.at(outline.parentAt(compaction.seq)));
  return outline.gaps.find((line) => line > (earlier?.seq ?? 0)) ?? compaction.seq;
}

/** The current todo list of a branch. */
export function todosOf(entries: readonly Entry[]): EntryOf<"todos">["items"] {
  const last = entries.findLast((entry): entry is EntryOf<"todos"> => entry.kind === "todos");
  return last?.items ?? [];
}

const UNFINISHED = "Interrupted; it is not known whether it took effect.";

/** A slot for the result of a tool call, directly after the call. */
interface Slot {
  readonly call: string;
  readonly name: string;
  result: { readonly outcome: ToolMessage["outcome"]; readonly parts: readonly Part[] } | undefined;
  readonly after: TextPart[];
}

/**
 * A user message to which markers can still be appended. The message is mutable, because copying its parts for each
 * marker would take quadratic time.
 */
interface UserDraft {
  readonly role: "user";
  readonly parts: Part[];
}

type Draft =
  | { readonly slot: Slot }
  | { readonly slot?: undefined; readonly message: UserDraft | Exclude<ContextMessage, { role: "user" }> };

/**
 * Arranges messages in an order that every provider accepts. Exactly one result directly follows each call, even if
 * other entries came in between or the result is missing.
 */
class ContextBuilder {
  readonly #drafts: Draft[] = [];
  readonly #open = new OpenCalls<Slot>();
  #task: number | undefined;
  #target: number | undefined;

  addPrompt(parts: readonly Part[]): void {
    this.addUser(parts);
    if (parts.length > 0) this.#task ??= this.#drafts.length - 1;
  }

  addUser(parts: readonly Part[]): void {
    if (parts.length > 0) this.#drafts.push({ message: { role: "user", parts: [...parts] } });
  }

  /**
   * Adds a backtrack's note, and adds a cache breakpoint before it, because the provider has already cached the
   * messages up to the checkpoint.
   */
  addNote(note: readonly Part[]): void {
    this.#target = this.#drafts.length - 1;
    this.addUser(note);
  }

  addReply(model: string, parts: readonly ReplyPart[]): void {
    // Empty replies are left out, because providers would reject every later request with an empty message.
    if (parts.length === 0) return;
    this.#drafts.push({ message: { role: "assistant", model, parts } });
    const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
    const slots = calls.map(({ call, name }): Slot => ({ call, name, result: undefined, after: [] }));
    for (const slot of slots) this.#drafts.push({ slot });
    this.#open.open(slots);
  }

  /** Adds the result of a call. A result without a matching call is dropped. */
  addResult(call: string, outcome: ToolMessage["outcome"], parts: readonly Part[]): void {
    const slot = this.#open.take(call);
    if (slot !== undefined) slot.result = { outcome, parts };
  }

  seal(): void {
    this.#open.seal();
  }

  /**
   * Appends a marker to the preceding user message or result. After a reply, the marker becomes a separate message.
   */
  addMarker(marker: TextPart): void {
    const last = this.#drafts.at(-1);
    if (last?.slot !== undefined) last.slot.after.push(marker);
    else if (last?.message.role === "user") last.message.parts.push(marker);
    else this.addUser([marker]);
  }

  finish(): { readonly messages: readonly ContextMessage[]; readonly breakpoints: readonly number[] } {
    const messages = this.#drafts.map((draft) =>
      draft.slot === undefined ? draft.message : resultOf(draft.slot),
    );
    const marks = [this.#task, this.#target, messages.length - 1].filter(
      (index): index is number => index !== undefined && index >= 0,
    );
    return { messages, breakpoints: [...new Set(marks)].sort((a, b) => a - b) };
  }
}

function resultOf(slot: Slot): ToolMessage {
  const { call, name, after } = slot;
  const { outcome, parts } = slot.result ?? { outcome: "interrupted", parts: [textPart(UNFINISHED)] };
  return { role: "tool", call, name, outcome, parts: [...parts, ...after] };
}
