import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { ModelState } from "../../app/agent/models.ts";
import type { ScreenSettings } from "../../app/app.ts";
import { visibleName } from "../../record/visible-text.ts";
import { lookedForTexts } from "../../show/settings-text.ts";
import type { Look, Space } from "../look/look.ts";
import { printable } from "../look/text.ts";
import { latest } from "../transcript/apply-event.ts";
import type { Block } from "../transcript/block.ts";
import { gapBetween, type Layout, layOut } from "../transcript/drawing/draw-block.ts";
import { highlighterState } from "../transcript/drawing/text.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { Conversation } from "./draw-screen.ts";
import type { ViewState, ViewStore } from "./view-state.ts";

/** More lines up than there can be. */
export const TO_THE_START: number = Number.MAX_SAFE_INTEGER;

/** Where the conversation comes from: what is not loaded yet is asked for while it is drawn. */
interface ConversationSource {
  lookUp(blocks: readonly Block[]): void;
  loadEarlier(): Promise<void>;
}

/** The conversation as it is scrolled now, with what must be read or looked up for that begun. */
export class ConversationView {
  readonly cache: LayoutCache = new LayoutCache();
  readonly #store: ViewStore;
  readonly #source: ConversationSource;
  #pin: Pin | undefined;
  #rows = 0;
  #scroll = 0;

  constructor(store: ViewStore, source: ConversationSource) {
    this.#store = store;
    this.#source = source;
  }

  /** How many rows were drawn last. */
  get rows(): number {
    return this.#rows;
  }

  draw({ width, rows }: Space, look: Look, display: ScreenSettings["backtrackDisplay"]): Conversation {
    const { view } = this.#store;
    this.#rows = rows;
    // A scroll that a key has just changed is meant from the end, and not from where the pin is.
    const pin = view.scroll === this.#scroll ? this.#pin : undefined;
    const { scroll, folds, workspace, detail } = view;
    const viewed = viewport(
      view.transcript,
      { width, rows, scroll, folds, display, workspace, detail, ...(pin === undefined ? {} : { pin }) },
      { look, cache: this.cache },
    );
    this.#pin = viewed.pin;
    this.#scroll = viewed.scroll;
    const isGoingUp = view.scroll === TO_THE_START && viewed.above === "unloaded";
    // Scrolling to the very start continues while earlier pages are read.
    if (!isGoingUp) this.#settle(viewed.scroll);
    this.#source.lookUp(viewed.looked);
    if (viewed.above === "unloaded") void this.#source.loadEarlier();
    const below = viewed.scroll;
    if (viewed.above !== "top") return { lines: viewed.lines, below };
    const heading = headingLines(view, { width, rows: Math.max(0, rows - viewed.lines.length) }, look);
    return { lines: [...heading, ...viewed.lines], below };
  }

  /** What was scrolled too far comes back to what there is; nothing needs to be drawn again for that. */
  #settle(scroll: number): void {
    if (scroll !== this.#store.view.scroll) this.#store.settle({ scroll });
  }
}

/** The part of the conversation that is looked at. */
export interface Window extends Layout {
  readonly rows: number;
  /** Lines up from the end; more than there are is as far up as there is. */
  readonly scroll: number;
  /** What was at the bottom of the frame before: it stays there, whatever has come below, while one is scrolled up. */
  readonly pin?: Pin;
}

/** A line of a block, or of the gap below it. Scrolling passes none, so that the new scroll counts. */
interface Pin {
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

/** The steps that can be taken without a model, in the order of their numbers. */
export const FIRST_STEPS = ["sample", "playground", "folder", "sessions", "connect"] as const;

/** The heading above the conversation: the folder and, without a model, what can be done without one. */
export function headingLines(view: ViewState, { width, rows }: Space, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  const { screen } = strings.terminal;
  const title = view.timeline?.title;
  const host = view.host === undefined ? "" : ` · ${screen.status.host(printable(view.host))}`;
  const lines = [
    `${paint.strong(paint.accent(screen.heading))} ${paint.dim(`${shownFolder(view)}${host}`)}`,
    ...(title === undefined ? [] : [paint.dim(screen.resumed(visibleName(title)))]),
    "",
  ].map((line) => truncateToWidth(line, width, glyphs.ellipsis));
  if (view.model?.state !== "none" || !isUnspoken(view))
    return lines.slice(lines.length - Math.min(rows, lines.length));
  const whole = [...lines, ...withoutModel(view.model, width, look)];
  if (whole.length <= rows) return whole;
  // On a small screen what can be done comes first, and what was looked for is left to `/model`.
  const words = wrapTextWithAnsi(paint.strong(screen.withoutModel.title), width);
  return [...words, ...stepLines(width, look)].slice(0, rows);
}

function shownFolder({ workspace, home }: ViewState): string {
  const isBelow = home !== "" && (workspace === home || workspace.startsWith(`${home}/`));
  return printable(isBelow ? `~${workspace.slice(home.length)}` : workspace);
}

/** Whether digits choose a step: there is no model, and nothing has been said yet. */
export function isFirstScreen(view: ViewState): boolean {
  return view.phase === "idle" && view.model?.state === "none" && isUnspoken(view);
}

/** The placeholder of the empty editor. Where digits act at once it must not ask for Enter, which would be an answer. */
export function placeholderIn(
  view: ViewState,
): "placeholder" | "placeholderFirst" | "placeholderWithoutModel" {
  if (view.model?.state !== "none") return "placeholder";
  return isFirstScreen(view) ? "placeholderFirst" : "placeholderWithoutModel";
}

function isUnspoken({ transcript }: ViewState): boolean {
  return (
    transcript.earlier === "no" &&
    [...transcript.settled, ...transcript.live].every(({ kind }) => kind === "notice")
  );
}

function withoutModel(
  model: Extract<ModelState, { state: "none" }>,
  width: number,
  look: Look,
): readonly string[] {
  const { paint, strings } = look;
  const words = strings.terminal.screen.withoutModel;
  const text = [
    paint.strong(words.title),
    paint.dim(words.lookedFor(lookedForTexts(model.lookedFor, strings).join(", "))),
    "",
  ];
  return [
    ...text.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, width))),
    ...stepLines(width, look),
    "",
    ...wrapTextWithAnsi(paint.dim(words.working), width),
    "",
  ];
}

function stepLines(width: number, { paint, strings }: Look): readonly string[] {
  const { steps } = strings.terminal.screen.withoutModel;
  return FIRST_STEPS.flatMap((step, index) =>
    wrapTextWithAnsi(`  ${paint.accent(String(index + 1))}  ${steps[step]}`, width),
  );
}
