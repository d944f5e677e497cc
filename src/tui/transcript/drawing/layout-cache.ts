import type { Look } from "../../look/look.ts";
import type { Block } from "../block.ts";
import { highlighterState } from "./highlight.ts";
import { layOut } from "./lay-out.ts";
import type { Layout } from "./layout.ts";

interface Kept {
  readonly layout: Layout;
  readonly look: Pick<Look, "strings" | "paint" | "glyphs">;
  readonly highlighter: ReturnType<typeof highlighterState>;
  /** For what says how long it takes: when that was. */
  readonly second: number;
  readonly lines: readonly string[];
}

/** Keeps the lines of each block for as long as the block is there and nothing about the room or the look has changed. */
export class LayoutCache {
  readonly #kept = new WeakMap<Block, Kept>();
  /** How many blocks were laid out, ever: what a frame costs is told by how much this grows. */
  laidOut = 0;

  linesOf(block: Block, layout: Layout, look: Look): readonly string[] {
    const second = secondOf(block, look);
    const kept = this.#kept.get(block);
    if (kept !== undefined && kept.second === second && isSame(kept, layout, look)) return kept.lines;
    const lines = layOut(block, layout, look);
    this.laidOut += 1;
    this.#kept.set(block, { layout, look, highlighter: highlighterState(), second, lines });
    return lines;
  }
}

function isSame(kept: Kept, layout: Layout, { strings, paint, glyphs }: Look): boolean {
  const { width, folds, display, workspace, detail } = layout;
  return (
    kept.layout.width === width &&
    kept.layout.folds === folds &&
    kept.layout.detail === detail &&
    kept.layout.display === display &&
    kept.layout.workspace === workspace &&
    kept.look.strings === strings &&
    kept.look.paint === paint &&
    kept.look.glyphs === glyphs &&
    kept.highlighter === highlighterState()
  );
}

function secondOf(block: Block, { now }: Look): number {
  return block.kind === "call" && block.state === "running" ? Math.floor(now / 1000) : 0;
}
