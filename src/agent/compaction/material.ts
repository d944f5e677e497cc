import type { Entry, EntryOf } from "../../record/entry.ts";
import { type Part, type TodoItem, textOf } from "../../record/parts.ts";
import { isPersonCall } from "../../timeline/calls.ts";
import { quoteLines, quoteName } from "../../timeline/context/notices.ts";
import { estimateTokens } from "../../timeline/token-estimate.ts";

/**
 * One message, call or result of the conversation. A piece whose kind is "summary" is never dropped, but can be
 * shortened as much as necessary.
 */
interface Piece {
  readonly title: string;
  readonly text: string;
  readonly kind: "summary" | "said" | "call" | "result";
}

/** Maximum number of characters for each kind of piece, from the mildest cut to the most drastic. */
const LIMITS: readonly Readonly<Record<"said" | "call" | "result", number>>[] = [
  { said: 40_000, call: 4_000, result: 8_000 },
  { said: 40_000, call: 2_000, result: 2_000 },
  { said: 20_000, call: 1_000, result: 500 },
  { said: 4_000, call: 400, result: 200 },
  { said: 1_000, call: 200, result: 100 },
];

interface Material {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Returns the text to be summarized, about `budget` tokens at most. The text leaves out thinking, media, and text that
 * Worldline itself added to the conversation. The middle is cut out of long results first, and then out of all other
 * long pieces. After that, the oldest pieces are dropped. An earlier summary is shortened last, because nothing else
 * contains its information.
 */
export function materialOf(entries: readonly Entry[], budget: number): Material {
  const pieces = piecesOf(entries);
  for (const limits of LIMITS) {
    const material = measured(pieces.map((piece) => pieceText(piece, limits)));
    if (material.tokens <= budget) return material;
  }
  return newestOf(pieces, budget);
}

/** Returns the earlier summary, followed by as many of the newest pieces as fit. */
function newestOf(pieces: readonly Piece[], budget: number): Material {
  const limits = LIMITS[LIMITS.length - 1] ?? { said: 1_000, call: 200, result: 100 };
  const first = pieces
    .filter(({ kind }) => kind === "summary")
    .map((piece) => fitted(piece, budget))
    .join("\n\n");
  const kept: string[] = [];
  let room = budget - estimateTokens(first);
  const others = pieces.filter(({ kind }) => kind !== "summary").map((piece) => pieceText(piece, limits));
  for (const text of others.toReversed()) {
    room -= estimateTokens(text) + 1;
    if (room < 0) break;
    kept.unshift(text);
  }
  const gone = others.length - kept.length;
  const remark = gone === 0 ? [] : [`[Earlier items omitted: ${gone}]`];
  return measured([...(first === "" ? [] : [first]), ...remark, ...kept]);
}

/** Shortens the piece by cutting out the middle of its text, so that it takes up at most half of the budget. */
function fitted({ title, text }: Piece, budget: number): string {
  let length = text.length;
  let short = titled(title, text);
  while (length > 100 && estimateTokens(short) > budget / 2) {
    length = Math.floor(length / 2);
    short = titled(title, withoutMiddle(text, length));
  }
  return short;
}

function measured(texts: readonly string[]): Material {
  const text = texts.join("\n\n");
  return { text, tokens: estimateTokens(text) };
}

function pieceText({ title, text, kind }: Piece, limits: (typeof LIMITS)[number]): string {
  return titled(title, kind === "summary" ? text : withoutMiddle(text, limits[kind]));
}

/**
 * Adds a title to the text. The text is quoted, so that a file that contains one of our titles cannot be mistaken for
 * the user's words.
 */
function titled(title: string, text: string): string {
  return `[${title}]\n${quoteLines(text)}`;
}

function piecesOf(entries: readonly Entry[]): Piece[] {
  const namesByCall = new Map<string, string>();
  const pieces = entries.flatMap((entry, index): Piece[] => {
    switch (entry.kind) {
      case "compaction":
        return [
          { kind: "summary", title: "Summary of the earlier work", text: withoutStanding(entry.summary) },
        ];
      case "prompt":
        return [{ kind: "said", title: "The user", text: partsText(entry.parts) }];
      case "reply":
        return replyPieces(entry, namesByCall);
      case "notice":
        return isPersonEnd(entries[index - 1])
          ? [{ kind: "result", title: "Notice to the agent", text: entry.text }]
          : [];
      case "tool-end": {
        if (isPersonEnd(entry)) return [];
        const name = namesByCall.get(entry.call);
        const title = `Result of ${name === undefined ? "a call" : shownName(name)}: ${entry.outcome}`;
        return [{ kind: "result", title, text: partsText(entry.parts) }];
      }
      case "backtrack":
        return notePieces(entry);
      default:
        return [];
    }
  });
  return pieces.filter(({ text }) => text.trim() !== "");
}

/** Quotes unusual tool names, because a model may call a tool by any name, even one that does not exist. */
function shownName(name: string): string {
  return /^[\w-]+$/u.test(name) ? name : quoteName(name);
}

/**
 * Checks whether the entry is the end of a command that the user ran. The agent learns about such a command only from
 * the notice that follows.
 */
function isPersonEnd(entry: Entry | undefined): boolean {
  return entry?.kind === "tool-end" && isPersonCall(entry.call);
}

function replyPieces({ parts }: EntryOf<"reply">, namesByCall: Map<string, string>): Piece[] {
  return parts.flatMap((part): Piece[] => {
    if (part.type === "text") return [{ kind: "said", title: "The agent", text: part.text }];
    if (part.type === "thinking") return [];
    namesByCall.set(part.call, part.name);
    const text = part.malformed ?? JSON.stringify(part.input);
    return [{ kind: "call", title: `The agent calls ${shownName(part.name)}`, text }];
  });
}

/** Returns the note and the user's prompts on the abandoned branch, which appear nowhere else on this branch. */
function notePieces(entry: EntryOf<"backtrack">): Piece[] {
  const title = `The agent went back to checkpoint ${entry.to} with this note to itself`;
  const prompts = entry.prompts.map(
    (parts): Piece => ({ kind: "said", title: "The user", text: partsText(parts) }),
  );
  return [...prompts, { kind: "said", title, text: entry.note }];
}

function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/**
 * The first line of the part of a summary that was not written by a model. The line is removed from a model's own text
 * if it occurs there.
 */
export const STANDING_LINE = "Taken from the log, word for word:";

const MAX_TODOS = 50;
const MAX_FILES = 100;
const TODO_LENGTH = 300;
const PROMPT_LENGTHS = [2_000, 600, 200] as const;

/** Facts from the log that are added to every summary. */
export interface Standing {
  readonly todos: readonly TodoItem[];
  /** Changed files that are still as the agent left them, with their paths as a user would write them. */
  readonly changedFiles: readonly string[];
  /** The user's prompts, oldest first, including backtracks that repeat some of the prompts. */
  readonly prompts: readonly Entry[];
  /** Maximum number of tokens for the quoted prompts. */
  readonly budget: number;
}

/** Returns the summary as it is stored: the model's text, followed by the facts from the log. */
export function withStanding(summary: string, standing: Standing): string {
  const sections = standingSections(standing);
  return sections.length === 0 ? summary : [summary, STANDING_LINE, ...sections].join("\n\n");
}

/** Returns the model's part of a stored summary. The next summary takes the facts from the log again. */
export function withoutStanding(summary: string): string {
  const lines = summary.split("\n");
  const at = lines.indexOf(STANDING_LINE);
  return at === -1 ? summary : lines.slice(0, at).join("\n").trimEnd();
}

function standingSections({ todos, changedFiles, prompts, budget }: Standing): string[] {
  return [
    ...section("Todo list:", todos.map(todoLine), MAX_TODOS),
    ...section(
      "Files changed so far:",
      changedFiles.map((path) => `- ${quoteName(path)}`),
      MAX_FILES,
    ),
    ...quotes(prompts.flatMap(promptTexts), budget),
  ];
}

/** Returns a list of limited length. Items beyond the limit are only counted. */
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

/** Quotes the first prompt (the overall goal), the newest one (what applies now), and as many of the rest as fit. */
function quotes(texts: readonly string[], budget: number): string[] {
  const said = texts.filter((text) => text !== "");
  if (said.length === 0) return [];
  const chosen = chooseQuotes(said, budget);
  if (chosen.size === 0) return [];
  const left = said.length - chosen.size;
  const lines = [...chosen.entries()].sort(([a], [b]) => a - b).map(([, quote]) => quote);
  const title = "The user's messages, oldest first (general instructions still apply):";
  return [[title, ...lines, ...(left === 0 ? [] : [`(${left} more omitted)`])].join("\n")];
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

/** Quotes a prompt, using at most half of the remaining space to leave room for other prompts. */
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

/** When text is shortened, the fraction of the kept text that comes from the beginning. The rest comes from the end. */
const BEGINNING = 0.6;

/** Shortens the text to about `most` characters: its beginning, a note that says how much was omitted, and its end. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = wholeBefore(text, Math.floor(most * BEGINNING));
  const to = wholeAfter(text, text.length - Math.ceil(most * (1 - BEGINNING)));
  const left = (to - from).toLocaleString("en");
  return `${text.slice(0, from)}\n[… ${left} characters omitted …]\n${text.slice(to)}`;
}

/**
 * Moves a cut that would split a surrogate pair. Half of a pair is not valid text, so providers reject or change it.
 */
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
