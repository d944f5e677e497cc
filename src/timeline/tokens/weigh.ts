import type { Draft } from "../../record/entry.ts";
import type { Json } from "../../record/json.ts";
import type { Part, ReplyPart } from "../../record/parts.ts";
import type { Framing } from "../context/foreign-text.ts";
import { frame, framedNote, summaryFrame } from "../context/notices.ts";
import { isPersonCall } from "../person-command.ts";
import { estimateTokens } from "./estimate.ts";

/** What providers add around each message: roles and separators. */
const MESSAGE_TOKENS = 4;
/** Providers count images by their size, which we do not look into; a screenshot is about this much. */
const IMAGE_TOKENS = 1_500;
const TOOL_CALL_TOKENS = 8;
const REVOKED_TOKENS = 40;

/** The raw estimate of what an entry adds to the context; undefined for kinds that add nothing. */
export function weigh(draft: Draft, framing: Framing): number | undefined {
  switch (draft.kind) {
    case "session":
      return estimateTokens(draft.system);
    case "prompt":
      return MESSAGE_TOKENS + weighParts(draft.parts);
    case "tool-end":
      // What the model is told of a command of the person's stands in a notice.
      return isPersonCall(draft.call) ? 0 : MESSAGE_TOKENS + weighParts(draft.parts);
    case "reply":
      return MESSAGE_TOKENS + weighReply(draft.parts);
    case "notice":
      return MESSAGE_TOKENS + estimateTokens(frame(draft.text, framing.tag).text);
    case "backtrack":
      return MESSAGE_TOKENS + weighParts(framedNote({ ...draft, estimate: 0 }, framing));
    case "redo":
      return draft.revokes === "note" ? REVOKED_TOKENS : 0;
    case "compaction":
      return weighSummary(draft.summary, framing);
    default:
      return undefined;
  }
}

export function weighSummary(summary: string, framing: Framing): number {
  return MESSAGE_TOKENS + estimateTokens(summaryFrame(summary, framing).text);
}

function weighParts(parts: readonly Part[]): number {
  return sum(parts.map((part) => (part.type === "text" ? estimateTokens(part.text) : IMAGE_TOKENS)));
}

function weighReply(parts: readonly ReplyPart[]): number {
  return sum(
    parts.map((part) =>
      part.type === "tool-call" ? TOOL_CALL_TOKENS + weighJson(part.input) : estimateTokens(part.text),
    ),
  );
}

function weighJson(input: Json): number {
  return estimateTokens(JSON.stringify(input));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
