import type { DraftOf } from "../../../record/entry.ts";
import type { Part, ToolCallPart, Usage } from "../../../record/parts.ts";
import type { KimiLine } from "./kimi-lines.ts";
import { type KimiRecord, textIn } from "./kimi-record.ts";

/** The lines of one file, and what a line means among its neighbours. */
export type Neighbourhood = readonly KimiLine[];

/** kimi-cli talks to the model in user lines too. Taken for a notice, such a text is kept and shown, but is no turn. */
const OWN_TEXT = /^\s*<(?:system|system-reminder|notification)[\s>]/;

/** `<system>CHECKPOINT 3</system>` right behind checkpoint 3, and nowhere else: text alone is no truth. */
export function isMarker(lines: Neighbourhood, at: number): boolean {
  const record = lines[at]?.record;
  const before = lines[at - 1]?.record;
  if (record?.is !== "user" || before?.is !== "checkpoint") return false;
  return (
    isOnlyText(record.parts) && textIn(record.parts) === `<system>CHECKPOINT ${before.original}</system>`
  );
}

export function isOwnText(parts: readonly Part[]): boolean {
  return isOnlyText(parts) && OWN_TEXT.test(textIn(parts));
}

/** What a checkpoint stands before: a prompt of the person, or a call of the model. */
export function standsBefore(lines: Neighbourhood, at: number): "prompt" | "step" {
  for (let next = at + 1; next < lines.length; next += 1) {
    const record = lines[next]?.record;
    if (record === undefined || record.is === "checkpoint" || record.is === "reply") return "step";
    if (record.is === "user" && !isMarker(lines, next) && !isOwnText(record.parts)) return "prompt";
  }
  return "step";
}

/** The count before a reply is that of its input, the one behind it that of the whole. */
export function usageOf(lines: Neighbourhood, at: number): Usage | undefined {
  const before = tokensAt(lines[at - 1]?.record);
  const after = tokensAt(lines[at + 1]?.record);
  if (after === undefined || after === 0) return undefined;
  const input = before === undefined || before === 0 || before > after ? after : before;
  return { input, output: after - input, cacheRead: 0, cacheWrite: 0 };
}

/** A note that the agent sent to an earlier checkpoint of its own. */
export interface SentNote {
  readonly to: number;
  readonly message: string;
}

export function sentNoteIn(reply: DraftOf<"reply">): SentNote | undefined {
  const call = reply.parts.find(
    (part): part is ToolCallPart => part.type === "tool-call" && part.name === "SendDMail",
  );
  const input = call?.input as { checkpoint_id?: unknown; message?: unknown } | null | undefined;
  const { checkpoint_id: to, message } = input ?? {};
  return typeof to === "number" && typeof message === "string" ? { to, message } : undefined;
}

function tokensAt(record: KimiRecord | undefined): number | undefined {
  return record?.is === "usage" ? record.tokens : undefined;
}

function isOnlyText(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every((part) => part.type === "text");
}
