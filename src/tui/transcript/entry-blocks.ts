import type { EntryOf } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import {
  BACKTRACK_TOOL,
  isJsonObject,
  type Json,
  type Part,
  type ReplyPart,
  textOf,
} from "../../record/parts.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { Block, LeftBlock, LeftCounts, LeftItemBlock, PromptBlock, TextBlock } from "./block.ts";
import { type Chunk, chunk } from "./chunks.ts";
import { leftKey, type StoryItem } from "./transcript.ts";

export function promptBlock({ id, parts }: EntryOf<"prompt">, checkpoint: number | undefined): PromptBlock {
  return { ...said(id, id, parts), ...(checkpoint === undefined ? {} : { checkpoint }) };
}

/**
 * Returns blocks for the user's prompts before a backtrack. If the branch that the backtrack left cannot be shown, its
 * prompts are shown again, because the agent is still working on them.
 */
export function promptsAgain({ id, prompts }: EntryOf<"backtrack">): readonly PromptBlock[] {
  return prompts.map((parts, index) => said(`${id}-prompt-${index}`, id, parts));
}

function said(key: string, entry: EntryId, parts: readonly Part[]): PromptBlock {
  const images = parts.filter(({ type }) => type === "image").length;
  return { kind: "prompt", key, text: textOf(parts), images, entry };
}

/** Returns the blocks of a reply in the reply's own order: text, thinking and calls. */
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

/** Returns the subject of a call on one line. For a search, this is the pattern and the folder. */
export function aboutOf(input: Json): string {
  const about = aboutCall(input);
  if (!isJsonObject(input)) return about;
  const { pattern, path } = input;
  return typeof pattern === "string" && typeof path === "string" ? `${pattern} (${path})` : about;
}

type LeavingJourney = EntryOf<"backtrack" | "redo">;

/**
 * Returns the blocks that a journey left behind, in a foldable form: a line with counts, followed by one block for each
 * item of `built`. Prompts, answers and the last message keep separate lines. The result is empty if there was no
 * prompt, message or call.
 */
export function leftBlocks(
  journey: LeavingJourney,
  left: readonly StoryItem[] | undefined,
  built: readonly Block[],
): readonly (LeftBlock | LeftItemBlock)[] {
  const again = left === undefined ? lastTexts(journey) : [];
  const answers = new Set([...(left ?? []).flatMap(answerIn), ...again.map(({ key }) => key)]);
  const shown = [...again, ...built].filter(isWorthKeeping);
  if (!shown.some(isSaid)) return [];
  const lastSaid = shown.findLast((block) => block.kind === "prompt" || isMessage(block));
  const items = shown.map((block): LeftItemBlock => {
    const folded = block === lastSaid || isOwnLine(block, answers) ? "line" : "hidden";
    return { kind: "left-item", key: block.key, by: journey.kind, block, folded };
  });
  const { id, kind } = journey;
  return [{ kind: "left", key: leftKey(id), journey: id, by: kind, holds: countsOf(items) }, ...items];
}

/**
 * Returns the last strings on a branch that is not in this log, which can happen in a fork. The strings are taken from the
 * journey's own entry.
 */
function lastTexts(journey: LeavingJourney): readonly Block[] {
  if (journey.kind === "redo") return [];
  const { id, told } = journey;
  return told.map((text, index) => ({ kind: "text", key: `${id}-told-${index}`, text, place: "first" }));
}

/**
 * Checks whether a block should be shown. The call that requested the journey should not be shown, because the
 * journey's card already shows it.
 */
function isWorthKeeping(block: Block): boolean {
  return block.kind !== "call" || block.name !== BACKTRACK_TOOL || block.state !== "ok";
}

function isSaid(block: Block): boolean {
  return ["prompt", "text", "call", "card", "thinking"].includes(innermost(block).kind);
}

/** Returns the key of the first text piece if the item is a reply that ended a turn. */
function answerIn(item: StoryItem): readonly string[] {
  if (!("entry" in item) || item.entry.kind !== "reply" || item.entry.end === "interrupted") return [];
  const { id, parts } = item.entry;
  if (parts.some(({ type }) => type === "tool-call")) return [];
  const index = parts.findIndex((part) => part.type === "text" && part.text.trim() !== "");
  return index === -1 ? [] : [`${id}-${index}-0`];
}

function isOwnLine(block: Block, answers: ReadonlySet<string>): boolean {
  if (block.kind === "left-item") return block.folded === "line";
  return block.kind === "prompt" || answers.has(block.key);
}

function countsOf(items: readonly LeftItemBlock[]): LeftCounts {
  const hidden = items.filter(({ folded }) => folded === "hidden").map(innermost);
  return {
    calls: hidden.filter(({ kind }) => kind === "call").length,
    messages: hidden.filter(isMessage).length,
  };
}

/** Checks whether one of the model's messages begins with this block. */
function isMessage(block: Block): boolean {
  return block.kind === "text" && block.place === "first";
}

function innermost(block: Block): Block {
  return block.kind === "left-item" ? innermost(block.block) : block;
}
