import type { Entry } from "../../record/entry.ts";
import { type Part, type TodoItem, textOf } from "../../record/parts.ts";
import { quoteLines, quoteName } from "../../timeline/context/quote.ts";
import { estimateTokens } from "../../timeline/tokens/estimate.ts";

/** Begins the part of a summary that no model wrote. A model's own text never holds this line: it is scrubbed out. */
export const STANDING_LINE = "Taken from the log, word for word:";

const MOST_TODOS = 50;
const MOST_FILES = 100;
const TODO_LENGTH = 300;
const PROMPT_LENGTHS = [2_000, 600, 200] as const;

/** What holds whatever the summary says. */
export interface Standing {
  readonly todos: readonly TodoItem[];
  /** Files that were changed and are as the agent left them, as the person would name them. */
  readonly changedFiles: readonly string[];
  /** What the person has said, oldest first: prompts, and backtracks that repeat some. */
  readonly prompts: readonly Entry[];
  /** How many tokens the quotes may take. */
  readonly budget: number;
}

/** The summary as it is stored: the model's, and behind it what we know better than any model. */
export function withStanding(summary: string, standing: Standing): string {
  const sections = standingSections(standing);
  return sections.length === 0 ? summary : [summary, STANDING_LINE, ...sections].join("\n\n");
}

/** The model's part of a stored summary: the rest is taken from the log again. */
export function withoutStanding(summary: string): string {
  const lines = summary.split("\n");
  const at = lines.indexOf(STANDING_LINE);
  return at === -1 ? summary : lines.slice(0, at).join("\n").trimEnd();
}

function standingSections({ todos, changedFiles, prompts, budget }: Standing): string[] {
  return [
    ...section("The todo list:", todos.map(todoLine), MOST_TODOS),
    ...section(
      "Files that were changed so far:",
      changedFiles.map((path) => `- ${quoteName(path)}`),
      MOST_FILES,
    ),
    ...quotes(prompts.flatMap(promptTexts), budget),
  ];
}

/** A list with a limit; what is beyond it is counted. */
function section(title: string, lines: readonly string[], most: number): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - most;
  return [[title, ...lines.slice(0, most), ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")];
}

function todoLine({ text, status }: TodoItem): string {
  return `- [${status}] ${quoteName(withoutMiddle(text.replace(/\s+/gu, " "), TODO_LENGTH))}`;
}

function promptTexts(entry: Entry): string[] {
  if (entry.kind === "prompt") return [wordsOf(entry.parts)];
  return entry.kind === "backtrack" ? entry.prompts.map(wordsOf) : [];
}

function wordsOf(parts: readonly Part[]): string {
  return textOf(parts).trim();
}

/** The first prompt says what all is about, the newest what holds now; of those in between, as many as fit. */
function quotes(texts: readonly string[], budget: number): string[] {
  const said = texts.filter((text) => text !== "");
  if (said.length === 0) return [];
  const chosen = chooseQuotes(said, budget);
  if (chosen.size === 0) return [];
  const left = said.length - chosen.size;
  const lines = [...chosen.entries()].sort(([a], [b]) => a - b).map(([, quote]) => quote);
  const title = "What the person has said, oldest first; what they asked for in general still holds:";
  return [[title, ...lines, ...(left === 0 ? [] : [`(${left} more are left out)`])].join("\n")];
}

function chooseQuotes(said: readonly string[], budget: number): ReadonlyMap<number, string> {
  const newestFirst = said.map((_, index) => index).reverse();
  const order = [0, ...newestFirst.filter((index) => index !== 0)];
  const chosen = new Map<number, string>();
  let room = budget;
  for (const index of order) {
    const quote = quoteWithin(said[index] ?? "", room);
    if (quote === undefined) continue;
    chosen.set(index, quote);
    room -= estimateTokens(quote) + 1;
  }
  return chosen;
}

/** One prompt may not take more than half of the room that is left, so that there is room for others. */
function quoteWithin(text: string, room: number): string | undefined {
  for (const length of PROMPT_LENGTHS) {
    const quote = quoteOf(withoutMiddle(text, length));
    if (estimateTokens(quote) <= room / 2) return quote;
  }
  return undefined;
}

function quoteOf(text: string): string {
  return quoteLines(text)
    .split("\n")
    .map((line, index) => `${index === 0 ? "- " : "  "}${line}`)
    .join("\n");
}

/** What the beginning of a shortened text gets; its end gets the rest. */
const BEGINNING = 0.6;

/** At most about `most` characters: the beginning and the end, and in between how much was left out. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = wholeBefore(text, Math.floor(most * BEGINNING));
  const to = wholeAfter(text, text.length - Math.ceil(most * (1 - BEGINNING)));
  const left = (to - from).toLocaleString("en");
  return `${text.slice(0, from)}\n[… ${left} characters left out …]\n${text.slice(to)}`;
}

/** Half of a surrogate pair is no text: providers refuse it, or send back something else. */
function wholeBefore(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function wholeAfter(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
