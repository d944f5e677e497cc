import type { Look } from "../../look/look.ts";
import { latest } from "../apply-event.ts";
import type { Block } from "../block.ts";
import type { Transcript } from "../transcript.ts";
import { gapBetween, type Layout, layOut } from "./draw-block.ts";
import { highlighterState } from "./markdown.ts";

/** The part of the conversation that is looked at. */
export interface Window extends Layout {
  readonly rows: number;
  /** Lines up from the end; more than there are is as far up as there is. */
  readonly scroll: number;
  /** What was at the bottom of the frame before: it stays there, whatever has come below, while one is scrolled up. */
  readonly pin?: Pin;
}

/** A line of a block, or of the gap below it. Whoever scrolls gives none, so that the new scroll counts. */
export interface Pin {
  readonly key: string;
  readonly line: number;
}

interface Drawing {
  readonly look: Look;
  readonly cache: LayoutCache;
}

export interface Viewed {
  /** At most `rows`; fewer where the conversation is shorter. */
  readonly lines: readonly string[];
  /** The scroll that this is: at most what there is. */
  readonly scroll: number;
  /** For the next frame, while one is scrolled up. */
  readonly pin: Pin | undefined;
  /** What lies above: nothing, more lines, or pages that are not loaded. */
  readonly above: "top" | "more" | "unloaded";
  /** The blocks that were looked at, those that draw nothing included: what is `unfilled` of them is worth looking up. */
  readonly looked: readonly Block[];
}

/** Lays out as many blocks from the end as it takes to fill the window, and no more. */
export function viewport(transcript: Transcript, window: Window, { look, cache }: Drawing): Viewed {
  const walk = new Walk(transcript, window, (block) => cache.linesOf(block, window, look));
  const wanted = window.scroll === 0 ? 0 : (walk.upTo(window.pin) ?? window.scroll);
  walk.until(wanted + window.rows);
  const scroll = Math.max(0, Math.min(wanted, walk.height - window.rows));
  const first = Math.max(0, walk.height - scroll - window.rows);
  const isTop = walk.isAtStart && first === 0;
  return {
    lines: walk.slice(first, walk.height - scroll),
    scroll,
    pin: scroll === 0 ? undefined : walk.pinAt(scroll),
    above: !isTop ? "more" : transcript.earlier === "no" ? "top" : "unloaded",
    looked: walk.looked,
  };
}

interface Piece {
  readonly block: Block;
  readonly lines: readonly string[];
  /** Blank lines below it. */
  readonly gap: number;
}

/** From the end of the conversation up. */
class Walk {
  readonly #transcript: Transcript;
  readonly #layout: Layout;
  readonly #linesOf: (block: Block) => readonly string[];
  readonly #pieces: Piece[] = [];
  readonly looked: Block[] = [];
  #next: number;
  height = 0;

  constructor(transcript: Transcript, layout: Layout, linesOf: (block: Block) => readonly string[]) {
    this.#transcript = transcript;
    this.#layout = layout;
    this.#linesOf = linesOf;
    this.#next = transcript.settled.length + transcript.live.length - 1;
  }

  get isAtStart(): boolean {
    return this.#next < 0;
  }

  until(height: number): void {
    while (this.height < height && !this.isAtStart) this.#step();
  }

  /** How many lines lie below the pinned one; undefined where its block is gone. */
  upTo(pin: Pin | undefined): number | undefined {
    if (pin === undefined || !this.#holds(pin.key)) return undefined;
    for (;;) {
      const last = this.#pieces.at(-1);
      if (last?.block.key === pin.key) {
        return this.height - Math.min(pin.line + 1, last.lines.length + last.gap);
      }
      if (this.isAtStart) return undefined;
      this.#step();
    }
  }

  /** The line that so many lines lie below of. */
  pinAt(scroll: number): Pin | undefined {
    let below = 0;
    for (const { block, lines, gap } of this.#pieces) {
      const height = lines.length + gap;
      if (below + height > scroll) {
        return { key: block.key, line: height - (scroll - below) - 1 };
      }
      below += height;
    }
    return undefined;
  }

  /** Lines by their place from the top of what was walked. */
  slice(from: number, to: number): readonly string[] {
    const lines: string[] = [];
    let top = 0;
    for (const { lines: own, gap } of this.#pieces.toReversed()) {
      const all = own.length + gap;
      for (let at = Math.max(0, from - top); at < Math.min(all, to - top); at += 1) lines.push(own[at] ?? "");
      top += all;
    }
    return lines;
  }

  #holds(key: string): boolean {
    const { settled, live } = this.#transcript;
    return settled.some((block) => block.key === key) || live.some((block) => block.key === key);
  }

  #step(): void {
    const { settled, live, running, memory } = this.#transcript;
    const known = this.#next < settled.length ? settled[this.#next] : live[this.#next - settled.length];
    const isTried = this.#next === memory.built.failure && isTriedAgain(live);
    this.#next -= 1;
    if (known === undefined || isTried) return;
    const block = known.kind === "call" ? latest(known, running) : known;
    this.looked.push(block);
    const lines = this.#linesOf(block);
    if (lines.length === 0) return;
    const below = this.#pieces.at(-1);
    const gap = below === undefined ? 0 : gapBetween(block, below.block, this.#layout);
    this.#pieces.push({ block, lines, gap });
    this.height += lines.length + gap;
  }
}

/** Then the line that counts the tries says what went wrong. */
function isTriedAgain([first]: Transcript["live"]): boolean {
  return first?.kind === "happening" && first.happening.what === "retry";
}

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
