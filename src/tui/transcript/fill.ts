import type { LeftBehind, TurnFiles } from "../../app/queries/query-types.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Block } from "./block.ts";
import type { Fill, Transcript } from "./transcript.ts";

/** What a block wants to have looked up before it can be drawn whole. */
export type Unfilled =
  | { readonly what: "files"; readonly key: string; readonly of: EntryId }
  | { readonly what: "card" | "left"; readonly key: string; readonly journey: EntryId }
  | { readonly what: "compaction"; readonly key: string; readonly compaction: EntryId };

const NO_FILES: TurnFiles = { files: [], more: 0 };
/** Of a way that cannot be counted any more nothing is said. */
const NOTHING_LEFT: LeftBehind = { entries: 0, tokens: 0 };

/** Of some of the conversation's blocks. A turn that runs tells its files itself, when it ends. */
export function unfilled({ turn, memory }: Transcript, blocks: readonly Block[]): readonly Unfilled[] {
  const current = turn === "runs" ? memory.built.turn?.prompt : undefined;
  return blocks.map(itself).flatMap((block): Unfilled[] => {
    if (block.kind === "files" && block.files === undefined && block.of !== current) {
      return [{ what: "files", key: block.key, of: block.of }];
    }
    if (block.kind === "card" && block.left === undefined) {
      return [{ what: "card", key: block.key, journey: block.journey }];
    }
    if (block.kind === "left" && block.holds === undefined) {
      return [{ what: "left", key: block.key, journey: block.journey }];
    }
    if (isUncounted(block) && !memory.fills.has(block.key)) {
      return [{ what: "compaction", key: block.key, compaction: block.key as EntryId }];
    }
    return [];
  });
}

/** Without what says that a journey left it. */
function itself(block: Block): Block {
  return block.kind === "left-item" ? itself(block.block) : block;
}

function isUncounted(block: Block): boolean {
  return (
    block.kind === "happening" && block.happening.what === "compaction" && block.happening.after === undefined
  );
}

/**
 * What was looked up; undefined: they are not known any more, and nothing is said of them. What was told live meanwhile holds:
 * a look may have come before the last capture.
 */
export function fillFiles(transcript: Transcript, key: string, files: TurnFiles | undefined): Transcript {
  return transcript.memory.fills.has(key) ? transcript : tellFiles(transcript, key, files ?? NO_FILES);
}

/** What the agent itself told. */
export function tellFiles(transcript: Transcript, key: string, files: TurnFiles): Transcript {
  return fill(transcript, key, { what: "files", files });
}

export function fillCard(transcript: Transcript, key: string, left: LeftBehind | undefined): Transcript {
  return fill(transcript, key, { what: "card", left: left ?? NOTHING_LEFT });
}

/** What was heard of a call's sub-agent stays when the call has ended. */
export function keepBelow(transcript: Transcript, call: string): Transcript {
  const known = transcript.running.get(call)?.block;
  if (known === undefined || known.below.length === 0) return transcript;
  return fill(transcript, known.key, { what: "below", blocks: known.below });
}

export function fillCompaction(transcript: Transcript, key: string, after: number | undefined): Transcript {
  return fill(transcript, key, { what: "compaction", after });
}

function fill(transcript: Transcript, key: string, known: Fill): Transcript {
  const { settled, memory } = transcript;
  const fills = new Map(memory.fills).set(key, known);
  const filled = settled.map((block) => (block.key === key ? filledBlock(block, known) : block));
  return { ...transcript, settled: filled, memory: { ...memory, fills } };
}

function filledBlock(block: Block, known: Fill): Block {
  if (block.kind === "left-item") return { ...block, block: filledBlock(block.block, known) };
  if (block.kind === "files" && known.what === "files") return { ...block, ...known.files };
  if (block.kind === "card" && known.what === "card") return { ...block, left: known.left };
  if (block.kind === "happening" && block.happening.what === "compaction" && known.what === "compaction") {
    return { ...block, happening: { ...block.happening, after: known.after } };
  }
  return block;
}
