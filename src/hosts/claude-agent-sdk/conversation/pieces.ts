import { type ImagePart, type Part, type ReplyPart, textOf } from "../../../record/parts.ts";
import type { ContextMessage, ToolMessage } from "../../../timeline/context/context.ts";
import { breakTag, type Framing } from "../../../timeline/context/foreign-text.ts";

/** A piece of a record, with shorter forms for when there is less room. The last form may be empty. */
export interface Piece {
  readonly by: "person" | "ours" | "agent";
  readonly forms: readonly string[];
}

/** Pieces, and the images that they refer to. */
interface RecordPieces {
  readonly pieces: readonly Piece[];
  readonly images: readonly ImagePart[];
}

const MAX = { reply: 20_000, input: 4_000, result: 8_000 } as const;
const BRIEF = { reply: 300, input: 200, result: 300, ours: 2_000, person: 2_000 } as const;
const MIN_PERSON = 200;

/**
 * Splits the messages into pieces, each with its author. Elements begin only with the session's tag, which foreign text
 * never contains.
 */
export function piecesOf(messages: readonly ContextMessage[], framing: Framing): RecordPieces {
  const all = messages.map((message) => piecesOfMessage(message, framing));
  return { pieces: all.flatMap(({ pieces }) => pieces), images: all.flatMap(({ images }) => images) };
}

function piecesOfMessage(message: ContextMessage, framing: Framing): RecordPieces {
  switch (message.role) {
    case "user":
      return userPieces(message.parts, framing);
    case "assistant":
      return {
        pieces: message.parts.flatMap((part) => replyPieces(part, message.model, framing)),
        images: [],
      };
    case "tool":
      return { pieces: resultPieces(message, framing), images: [] };
    default:
      return message satisfies never;
  }
}

function userPieces(parts: readonly Part[], { tag }: Framing): RecordPieces {
  const said = parts.filter((part) => !isOurs(part, tag));
  const text = said.map((part) => (part.type === "text" ? part.text : "(an image, shown below)")).join("\n");
  const person = personPiece(text, (content) => element({ name: "person" }, content, tag));
  return {
    pieces: [...(said.length === 0 ? [] : [person]), ...oursPieces(parts, tag)],
    images: parts.filter((part) => part.type === "image"),
  };
}

/** Returns a piece with the user's text. Such a piece is shortened last and never dropped. */
export function personPiece(text: string, dressed: (text: string) => string = (same) => same): Piece {
  const forms = [text, shortened(text, BRIEF.person), shortened(text, MIN_PERSON)];
  return { by: "person", forms: forms.map(dressed) };
}

/**
 * Returns a piece with our own text in its frame. Shortening the text does not remove the frame's closing tag. The text
 * is cut at line breaks, because part of a line would lose its quote mark.
 */
export function oursPiece(text: string, tag: string): Piece {
  return { by: "ours", forms: [text, shortenedByLines(text, BRIEF.ours, `</system-${tag}>`)] };
}

function oursPieces(parts: readonly Part[], tag: string): Piece[] {
  return parts.flatMap((part) => {
    if (part.type !== "text" || !isOurs(part, tag)) return [];
    return [{ by: "ours" as const, forms: [...oursPiece(part.text, tag).forms, ""] }];
  });
}

export function isOurs(part: Part, tag: string): boolean {
  return part.type === "text" && part.text.startsWith(`<system-${tag}>`);
}

/** Returns the parts of a reply. Thinking is left out, because it is signed for the model that produced it. */
function replyPieces(part: ReplyPart, model: string, framing: Framing): Piece[] {
  const { tag } = framing;
  if (part.type === "thinking") return [];
  if (part.type === "text") {
    const dressed = (text: string): string =>
      element({ name: "reply", about: `by "${named(model, framing)}"` }, text, tag);
    return part.text.trim() === "" ? [] : [agentPiece(part.text, [MAX.reply, BRIEF.reply], dressed)];
  }
  const input = breakTag(part.malformed ?? JSON.stringify(part.input), framing);
  const dressed = (text: string): string =>
    element({ name: "call", about: `of "${named(part.name, framing)}"` }, text, tag);
  return [agentPiece(input, [MAX.input, BRIEF.input], dressed)];
}

function resultPieces({ name, outcome, parts }: ToolMessage, framing: Framing): Piece[] {
  const { tag } = framing;
  const said = parts.filter((part) => !isOurs(part, tag));
  const images = said.flatMap((part) => (part.type === "image" ? [`(an image, ${part.mediaType})`] : []));
  const text = [textOf(said), ...images].filter((line) => line !== "").join("\n");
  const about = `of "${named(name, framing)}", ${outcome}`;
  const dressed = (content: string): string => element({ name: "result", about }, content, tag);
  return [
    agentPiece(breakTag(text, framing), [MAX.result, BRIEF.result], dressed),
    ...oursPieces(parts, tag),
  ];
}

function agentPiece(
  text: string,
  [most, brief]: readonly [number, number],
  dressed: (text: string) => string,
): Piece {
  return { by: "agent", forms: [dressed(shortened(text, most)), dressed(shortened(text, brief)), ""] };
}

interface Mark {
  readonly name: "person" | "reply" | "call" | "result";
  /** Text added to the opening tag. */
  readonly about?: string;
}

function element({ name, about }: Mark, text: string, tag: string): string {
  const opening = about === undefined ? `<${name}-${tag}>` : `<${name}-${tag} ${about}>`;
  return `${opening}\n${text}\n</${name}-${tag}>`;
}

/** Changes a name so that it cannot end the tag that contains it. */
function named(name: string, framing: Framing): string {
  return breakTag(name, framing)
    .replace(/[\s"<>]+/gu, " ")
    .slice(0, 100);
}

const HALF_OF_CHARACTER = { first: /[\ud800-\udbff]$/u, second: /^[\udc00-\udfff]/u } as const;

/**
 * Replaces the middle of the text with a mark that states how much was removed. The end is kept because it often says
 * more than the middle.
 */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, Math.ceil((most * 2) / 3)).replace(HALF_OF_CHARACTER.first, "");
  const end = text.slice(text.length - Math.floor(most / 3)).replace(HALF_OF_CHARACTER.second, "");
  return withGap(text, start, end);
}

/** Does the same as `shortened`, but cuts at line breaks if possible, and always keeps `end` at the end. */
function shortenedByLines(text: string, most: number, end: string): string {
  if (text.length <= most) return text;
  const to = text.lastIndexOf("\n", Math.ceil((most * 2) / 3));
  const from = text.indexOf("\n", text.length - Math.floor(most / 3));
  const start = text
    .slice(0, to === -1 ? Math.ceil((most * 2) / 3) : to)
    .replace(HALF_OF_CHARACTER.first, "");
  return withGap(text, start, from === -1 ? end : text.slice(from + 1));
}

function withGap(text: string, start: string, end: string): string {
  const left = (text.length - start.length - end.length).toLocaleString("en-US");
  return `${start}\n[${left} characters omitted]\n${end}`;
}

/** The order in which pieces are shortened. The user's text is shortened last, and is never dropped. */
const PASSES: readonly { readonly by: Piece["by"]; readonly form: number; readonly of: "older" | "all" }[] = [
  { by: "agent", form: 1, of: "older" },
  { by: "agent", form: 2, of: "older" },
  { by: "agent", form: 1, of: "all" },
  { by: "agent", form: 2, of: "all" },
  { by: "ours", form: 1, of: "all" },
  { by: "ours", form: 2, of: "all" },
  { by: "person", form: 1, of: "all" },
  { by: "person", form: 2, of: "all" },
];
/**
 * The share of the room that is reserved for the most recent pieces. These pieces are shortened only after all older
 * pieces.
 */
const RECENT = 0.4;
/** The length of the empty line that separates two pieces. */
const BETWEEN = 2;

/**
 * Returns the text of each piece. Shortens the oldest pieces first, until all strings fit into `most` characters if
 * possible.
 */
export function fitPieces(pieces: readonly Piece[], most: number): readonly string[] {
  const texts = pieces.map(({ forms }) => forms[0] ?? "");
  let total = texts.reduce((sum, text) => sum + text.length + BETWEEN, 0);
  const recent = total <= most ? 0 : firstRecent(texts, most * RECENT);
  for (const { index, text } of shorterForms(pieces, recent)) {
    if (total <= most) break;
    total += text.length - (texts[index] ?? "").length;
    texts[index] = text;
  }
  return texts;
}

function firstRecent(texts: readonly string[], room: number): number {
  let [index, left] = [texts.length, room];
  while (index > 0 && left >= (texts[index - 1] ?? "").length) {
    index -= 1;
    left -= (texts[index] ?? "").length;
  }
  return index;
}

/** Yields shorter forms of the pieces in the order in which they are used. */
function* shorterForms(
  pieces: readonly Piece[],
  recent: number,
): Generator<{ readonly index: number; readonly text: string }> {
  for (const { by, form, of } of PASSES) {
    for (const [index, piece] of pieces.slice(0, of === "all" ? pieces.length : recent).entries()) {
      const text = piece.by === by ? piece.forms[form] : undefined;
      if (text !== undefined) yield { index, text };
    }
  }
}
