import type { EntryOf } from "../../../record/entry.ts";
import { BACKTRACK_TOOL } from "../../../record/parts.ts";
import type { Block, LeftBlock, LeftCounts, LeftItemBlock } from "../block.ts";
import type { Told } from "../transcript.ts";
import { leftKey } from "./built.ts";

type LeavingJourney = EntryOf<"backtrack" | "redo">;

/**
 * What a journey left, as `built` shows it, in blocks that can be folded: a line that counts, then one block for each thing.
 * Prompts, answers and the last message keep a line of their own. Nothing where nothing was said, asked or called.
 */
export function leftBlocks(
  journey: LeavingJourney,
  told: readonly Told[] | undefined,
  built: readonly Block[],
): readonly (LeftBlock | LeftItemBlock)[] {
  const again = told === undefined ? toldAgain(journey) : [];
  const answers = new Set([...(told ?? []).flatMap(answerIn), ...again.map(({ key }) => key)]);
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

/** Of a way that is not in this log, such as in a fork, the journey's own entry knows what was said last. */
function toldAgain(journey: LeavingJourney): readonly Block[] {
  if (journey.kind === "redo") return [];
  const { id, told } = journey;
  return told.map((text, index) => ({ kind: "text", key: `${id}-told-${index}`, text, place: "first" }));
}

/** The journey's own call is told by its card. */
function isWorthKeeping(block: Block): boolean {
  return block.kind !== "call" || block.name !== BACKTRACK_TOOL || block.state !== "ok";
}

function isSaid(block: Block): boolean {
  return ["prompt", "text", "call", "card", "thinking"].includes(innermost(block).kind);
}

/** The key of the first piece of a reply that ended a turn. */
function answerIn(told: Told): readonly string[] {
  if (!("entry" in told) || told.entry.kind !== "reply" || told.entry.end === "interrupted") return [];
  const { id, parts } = told.entry;
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

/** Where a text of the model's begins. */
function isMessage(block: Block): boolean {
  return block.kind === "text" && block.place === "first";
}

function innermost(block: Block): Block {
  return block.kind === "left-item" ? innermost(block.block) : block;
}
