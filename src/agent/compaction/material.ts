import type { Entry, EntryOf } from "../../record/entry.ts";
import type { Part } from "../../record/parts.ts";
import { quoteLines, quoteName } from "../../timeline/context/quote.ts";
import { isPersonCall } from "../../timeline/person-command.ts";
import { estimateTokens } from "../../timeline/tokens/estimate.ts";
import { withoutMiddle, withoutStanding } from "./standing.ts";

/** One thing that was said or done. Only what must not be lost has no limit to how it is shortened. */
interface Piece {
  readonly title: string;
  readonly text: string;
  readonly kind: "summary" | "said" | "call" | "result";
}

/** How many characters each kind of piece may have, from the first try to the one that hurts most. */
const LIMITS: readonly Readonly<Record<"said" | "call" | "result", number>>[] = [
  { said: 40_000, call: 4_000, result: 8_000 },
  { said: 40_000, call: 2_000, result: 2_000 },
  { said: 20_000, call: 1_000, result: 500 },
  { said: 4_000, call: 400, result: 200 },
  { said: 1_000, call: 200, result: 100 },
];

export interface Material {
  readonly text: string;
  readonly tokens: number;
}

/**
 * What is to be summarised, as one text of at most about `budget` tokens: without thinking, media and what we ourselves
 * have put into the conversation. Long results lose their middle first, then all else that is long, and then the oldest
 * pieces go. An earlier summary is the last to be shortened: nothing else says what it says.
 */
export function materialOf(entries: readonly Entry[], budget: number): Material {
  const pieces = piecesOf(entries);
  for (const limits of LIMITS) {
    const material = measured(pieces.map((piece) => textOf(piece, limits)));
    if (material.tokens <= budget) return material;
  }
  return newestOf(pieces, budget);
}

/** The newest pieces that fit, behind the earlier summary. */
function newestOf(pieces: readonly Piece[], budget: number): Material {
  const limits = LIMITS[LIMITS.length - 1] ?? { said: 1_000, call: 200, result: 100 };
  const first = pieces
    .filter(({ kind }) => kind === "summary")
    .map((piece) => fitted(piece, budget))
    .join("\n\n");
  const kept: string[] = [];
  let room = budget - estimateTokens(first);
  const others = pieces.filter(({ kind }) => kind !== "summary").map((piece) => textOf(piece, limits));
  for (const text of others.toReversed()) {
    room -= estimateTokens(text) + 1;
    if (room < 0) break;
    kept.unshift(text);
  }
  const gone = others.length - kept.length;
  const remark = gone === 0 ? [] : [`[${gone} earlier pieces are left out here]`];
  return measured([...(first === "" ? [] : [first]), ...remark, ...kept]);
}

/** The piece without the middle of its text, until it takes no more than half of the budget. */
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

function textOf({ title, text, kind }: Piece, limits: (typeof LIMITS)[number]): string {
  return titled(title, kind === "summary" ? text : withoutMiddle(text, limits[kind]));
}

/** Quoted, so that a file in which there is a title of ours does not speak as the person. */
function titled(title: string, text: string): string {
  return `[${title}]\n${quoteLines(text)}`;
}

function piecesOf(entries: readonly Entry[]): Piece[] {
  const namesByCall = new Map<string, string>();
  const pieces = entries.flatMap((entry, index): Piece[] => {
    switch (entry.kind) {
      case "compaction":
        return [
          { kind: "summary", title: "Summary of what came before", text: withoutStanding(entry.summary) },
        ];
      case "prompt":
        return [{ kind: "said", title: "The person", text: partsText(entry.parts) }];
      case "reply":
        return replyPieces(entry, namesByCall);
      case "notice":
        return isPersonEnd(entries[index - 1])
          ? [{ kind: "result", title: "Told to the agent", text: entry.text }]
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

/** A model may call a tool by any name. */
function shownName(name: string): string {
  return /^[\w-]+$/u.test(name) ? name : quoteName(name);
}

/** The end of a command of the person's: the agent knows of it only what the notice behind it says. */
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

/** The note, and what the person said on the way that was left: it stands nowhere else on the branch. */
function notePieces(entry: EntryOf<"backtrack">): Piece[] {
  const title = `The agent went back to checkpoint ${entry.to} with this note to itself`;
  const prompts = entry.prompts.map(
    (parts): Piece => ({ kind: "said", title: "The person", text: partsText(parts) }),
  );
  return [...prompts, { kind: "said", title, text: entry.note }];
}

function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}
