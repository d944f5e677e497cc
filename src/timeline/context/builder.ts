import { type Part, type ReplyPart, type TextPart, type ToolCallPart, textPart } from "../../record/parts.ts";
import type { ContextMessage, ToolMessage } from "./message.ts";
import { OpenCalls } from "./open-calls.ts";

const UNFINISHED = "Interrupted; it is not known whether it took effect.";

/** A place that is kept for a tool's result, directly behind the call. */
interface Slot {
  readonly call: string;
  readonly name: string;
  result: { readonly outcome: ToolMessage["outcome"]; readonly parts: readonly Part[] } | undefined;
  readonly after: TextPart[];
}

/** A message of the user that markers are still added to: copying its parts for each would cost their square. */
interface UserDraft {
  readonly role: "user";
  readonly parts: Part[];
}

type Draft =
  | { readonly slot: Slot }
  | { readonly slot?: undefined; readonly message: UserDraft | Exclude<ContextMessage, { role: "user" }> };

/**
 * Puts messages in an order that every provider accepts: each call is followed by exactly one
 * result, whatever arrived in between and whatever never arrived.
 */
export class ContextBuilder {
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

  /** The note follows what stood at the checkpoint; the cache is warm up to there. */
  addNote(note: readonly Part[]): void {
    this.#target = this.#drafts.length - 1;
    this.addUser(note);
  }

  addReply(model: string, parts: readonly ReplyPart[]): void {
    // Providers refuse an empty message, now and in every later request.
    if (parts.length === 0) return;
    this.#drafts.push({ message: { role: "assistant", model, parts } });
    const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
    const slots = calls.map(({ call, name }): Slot => ({ call, name, result: undefined, after: [] }));
    for (const slot of slots) this.#drafts.push({ slot });
    this.#open.open(slots);
  }

  /** A result that nobody asked for is not shown. */
  addResult(call: string, outcome: ToolMessage["outcome"], parts: readonly Part[]): void {
    const slot = this.#open.take(call);
    if (slot !== undefined) slot.result = { outcome, parts };
  }

  seal(): void {
    this.#open.seal();
  }

  /** A marker belongs to the message before it; behind a reply it stands alone. */
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
