import type { ErrorParams } from "../../record/error.ts";
import { type ReplyPart, textOf } from "../../record/parts.ts";
import { estimateTokens } from "../../timeline/tokens/estimate.ts";
import { headings } from "./instruction.ts";
import { STANDING_LINE } from "./standing.ts";

/** Why a model's summary is of no use. */
export type SummaryFault = ErrorParams<"summary-unusable">["fault"];

export interface Answer {
  readonly parts: readonly ReplyPart[];
  /** Our own words to the summariser: what repeats them is no summary. */
  readonly instruction: readonly string[];
  readonly tag: string;
  /** Tokens of what was to be summarised. */
  readonly materialTokens: number;
}

export type Scrubbed =
  | { readonly verdict: "good"; readonly summary: string }
  | { readonly verdict: "rejected"; readonly why: SummaryFault };

/** A sentence of ours that is shorter than this may well be one of the summary's own. */
const OWN_WORDS = 20;
const HEADINGS = new Set(headings.map((heading) => heading.toLowerCase()));

/**
 * The summary without what only stands in it because it was asked for: the agent would take it for something that the
 * person had said. What is left is judged.
 */
export function scrub(answer: Answer): Scrubbed {
  const text = textOf(answer.parts);
  const said = withoutThinking(text).trim();
  if (said === "") return rejected(hasThinking(answer.parts, text) ? "only-thinking" : "empty");
  const summary = withoutOurs(said, answer).trim();
  if (isOnlyHeadings(summary)) return rejected("instruction");
  if (estimateTokens(summary) >= answer.materialTokens) return rejected("longer");
  return { verdict: "good", summary };
}

function rejected(why: SummaryFault): Scrubbed {
  return { verdict: "rejected", why };
}

function hasThinking(parts: readonly ReplyPart[], text: string): boolean {
  return parts.some((part) => part.type === "thinking") || text.trim() !== "";
}

/** Models on this machine often think in their text. What is never closed is thinking up to the end. */
function withoutThinking(text: string): string {
  return text.replace(/<(think|thinking)>[\s\S]*?(<\/\1>|$)/giu, "");
}

function withoutOurs(text: string, { instruction, tag }: Answer): string {
  const ours = new Set([...instruction, ...sentencesOf(instruction.join("\n"))].map(plainOf).filter(isLong));
  const lines = withoutTags(text, tag)
    .split("\n")
    .map((line) => withoutSentences(line, ours))
    .filter((line) => line !== undefined && line.trim() !== STANDING_LINE);
  return lines.join("\n").replace(/\n{3,}/gu, "\n\n");
}

/** Frames of ours and the usual ones around an answer. Without the brackets the tag alone means nothing. */
function withoutTags(text: string, tag: string): string {
  return text
    .replace(/<\/?[a-z]*-?([a-z0-9·]+)>/giu, (whole, name: string) =>
      name.replaceAll("·", "") === tag ? "" : whole,
    )
    .replace(/<\/?(summary|record|conversation)>/giu, "");
}

/** The line without sentences of ours; undefined when nothing but them was in it. */
function withoutSentences(line: string, ours: ReadonlySet<string>): string | undefined {
  if (ours.has(plainOf(line))) return undefined;
  const sentences = sentencesOf(line);
  const kept = sentences.filter((sentence) => !isOurs(sentence, ours));
  if (kept.length === sentences.length) return line;
  const rest = kept.join(" ").trim();
  // What stood before a colon only led over to what is gone.
  return plainOf(rest) === "" || rest.endsWith(":") ? undefined : rest;
}

/** Nothing, or headings with nothing below them. */
function isOnlyHeadings(summary: string): boolean {
  return summary.split("\n").every((line) => line.trim() === "" || HEADINGS.has(plainOf(line)));
}

function isOurs(sentence: string, ours: ReadonlySet<string>): boolean {
  const plain = plainOf(sentence);
  return ours.has(plain) || REQUEST.test(plain) || PREAMBLE.test(plain);
}

const RECORD =
  "(conversation|session|record|transcript|history|dialogue|discussion|chat|context|work so far|above|so far)";
/** "The user asked me to summarise the conversation": of the record, or of nothing. To summarise a file is a task like any other. */
const REQUEST = new RegExp(
  `^(the |then the |finally the )?(user|person|human)( has| then| also| finally)? (asked|asks|requested|requests|wants|wanted|instructed|told|tells) .{0,60}(summar|compact|condens)\\w*( (of|the|this|our|all|entire|whole|everything|up))*( ${RECORD}.{0,60})?$`,
  "u",
);
const PREAMBLE =
  /^(sure |okay |ok |certainly )?(here is|heres|below is|this is|the following is) (a|the|my|your) .{0,30}summary.{0,60}$/u;

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.:!?])\s+|\n/u).filter((sentence) => sentence.trim() !== "");
}

function isLong(sentence: string): boolean {
  return sentence.length >= OWN_WORDS;
}

/** Words alone: marks of lists, emphasis and quotes come and go in an echo. */
function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
