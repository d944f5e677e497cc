import type { EntryOf } from "../../../record/entry.ts";
import { isJsonObject, type Json } from "../../../record/json.ts";
import type { ReplyPart } from "../../../record/parts.ts";
import { aboutCall } from "../../../timeline/turn-state.ts";
import type { Block, TextBlock } from "../block.ts";
import { type Chunk, chunk } from "../text/chunk.ts";

/** What the model said, thought and asked for, in its order. */
export function replyBlocks({ id, parts, end }: EntryOf<"reply">): readonly Block[] {
  const blocks = parts.flatMap((part, index) => partBlocks(part, `${id}-${index}`));
  if (end !== "length") return blocks;
  return [...blocks, { kind: "happening", key: `${id}-cut`, happening: { what: "reply-cut" } }];
}

function partBlocks(part: ReplyPart, key: string): readonly Block[] {
  switch (part.type) {
    case "text":
      if (part.text.trim() === "") return [];
      return chunk(part.text).map((piece, index) => textBlock(piece, `${key}-${index}`, index));
    case "thinking":
      return part.text.trim() === "" ? [] : [{ kind: "thinking", key, text: part.text, state: "done" }];
    case "tool-call": {
      const { call, name, input } = part;
      return [
        {
          kind: "call",
          key,
          call,
          name,
          about: aboutOf(input),
          input,
          state: "asked",
          output: "",
          below: [],
        },
      ];
    }
    default:
      return part satisfies never;
  }
}

export function textBlock({ text, fence, start }: Chunk, key: string, index: number): TextBlock {
  return {
    kind: "text",
    key,
    text,
    ...(fence === undefined ? {} : { insideFence: fence }),
    place: index === 0 ? "first" : start === "joined" ? "joined" : "later",
  };
}

/** In one line; a search is about what it looks for and where. */
export function aboutOf(input: Json): string {
  const about = aboutCall(input);
  if (!isJsonObject(input)) return about;
  const { pattern, path } = input;
  return typeof pattern === "string" && typeof path === "string" ? `${pattern} (${path})` : about;
}
