import { type ImagePart, type Part, type ReplyPart, textOf } from "../../../record/parts.ts";
import { breakTag, type Framing } from "../../../timeline/context/foreign-text.ts";
import type { ContextMessage, ToolMessage } from "../../../timeline/context/message.ts";
import { shortened, shortenedByLines } from "./shortened.ts";

/** Something that is told in a record, with how it is told where there is less room; the last form may be nothing. */
export interface Piece {
  readonly by: "person" | "ours" | "agent";
  readonly forms: readonly string[];
}

/** Pieces, and the images that they speak of. */
interface Told {
  readonly pieces: readonly Piece[];
  readonly images: readonly ImagePart[];
}

const MOST = { reply: 20_000, input: 4_000, result: 8_000 } as const;
const BRIEF = { reply: 300, input: 200, result: 300, ours: 2_000, person: 2_000 } as const;
const LEAST_OF_PERSON = 200;

/** What the messages say, with who says it. Only the session's tag begins an element, and no foreign text has it. */
export function piecesOf(messages: readonly ContextMessage[], framing: Framing): Told {
  const told = messages.map((message) => toldOf(message, framing));
  return { pieces: told.flatMap(({ pieces }) => pieces), images: told.flatMap(({ images }) => images) };
}

function toldOf(message: ContextMessage, framing: Framing): Told {
  switch (message.role) {
    case "user":
      return userTold(message.parts, framing);
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

function userTold(parts: readonly Part[], { tag }: Framing): Told {
  const said = parts.filter((part) => !isOurs(part, tag));
  const text = said.map((part) => (part.type === "text" ? part.text : "(an image, shown below)")).join("\n");
  const person = personPiece(text, (content) => element({ name: "person" }, content, tag));
  return {
    pieces: [...(said.length === 0 ? [] : [person]), ...oursPieces(parts, tag)],
    images: parts.filter((part) => part.type === "image"),
  };
}

/** What the person wrote is made shorter when nothing else is left, and never dropped. */
export function personPiece(text: string, dressed: (text: string) => string = (same) => same): Piece {
  const forms = [text, shortened(text, BRIEF.person), shortened(text, LEAST_OF_PERSON)];
  return { by: "person", forms: forms.map(dressed) };
}

/** In a frame of our own, which shortening leaves closed. Half a line would no longer be quoted. */
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

/** Thinking is left out: it is signed, for the one who thought it. */
function replyPieces(part: ReplyPart, model: string, framing: Framing): Piece[] {
  const { tag } = framing;
  if (part.type === "thinking") return [];
  if (part.type === "text") {
    const dressed = (text: string): string =>
      element({ name: "reply", about: `by "${named(model, framing)}"` }, text, tag);
    return part.text.trim() === "" ? [] : [agentPiece(part.text, [MOST.reply, BRIEF.reply], dressed)];
  }
  const input = breakTag(part.malformed ?? JSON.stringify(part.input), framing);
  const dressed = (text: string): string =>
    element({ name: "call", about: `of "${named(part.name, framing)}"` }, text, tag);
  return [agentPiece(input, [MOST.input, BRIEF.input], dressed)];
}

function resultPieces({ name, outcome, parts }: ToolMessage, framing: Framing): Piece[] {
  const { tag } = framing;
  const said = parts.filter((part) => !isOurs(part, tag));
  const images = said.flatMap((part) => (part.type === "image" ? [`(an image, ${part.mediaType})`] : []));
  const text = [textOf(said), ...images].filter((line) => line !== "").join("\n");
  const about = `of "${named(name, framing)}", ${outcome}`;
  const dressed = (content: string): string => element({ name: "result", about }, content, tag);
  return [
    agentPiece(breakTag(text, framing), [MOST.result, BRIEF.result], dressed),
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
  /** Stands in the opening mark. */
  readonly about?: string;
}

function element({ name, about }: Mark, text: string, tag: string): string {
  const opening = about === undefined ? `<${name}-${tag}>` : `<${name}-${tag} ${about}>`;
  return `${opening}\n${text}\n</${name}-${tag}>`;
}

/** A name within a mark must not end it. */
function named(name: string, framing: Framing): string {
  return breakTag(name, framing)
    .replace(/[\s"<>]+/gu, " ")
    .slice(0, 100);
}
