import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { ModelState } from "../../app/agent/models.ts";
import type { Settings } from "../../app/settings/table.ts";
import { visibleName } from "../../record/visible-text.ts";
import { lookedForTexts } from "../../show/settings-text.ts";
import type { Look, Space } from "../look/look.ts";
import { printable, wrap } from "../look/text.ts";
import { latest } from "../transcript/apply-event.ts";
import type { Block } from "../transcript/block.ts";
import { gapBetween, type Layout, layOut } from "../transcript/drawing/draw-block.ts";
import { highlighterState } from "../transcript/drawing/text.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { Conversation } from "./draw-screen.ts";
import type { ViewState, ViewStore } from "./view-state.ts";

/**
 * The scroll position for the very start of the conversation. The value is larger than the number of lines in any
 * conversation.
 */
export const TO_THE_START: number = Number.MAX_SAFE_INTEGER;

/** The conversation's data. Drawing the conversation requests anything that is not loaded yet. */
interface ConversationSource {
  lookUp(blocks: readonly Block[]): void;
  loadEarlier(): Promise<void>;
}

/**
 * Draws the conversation at its current scroll position, and starts the reads and lookups needed for the visible part.
 */
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

  /** Number of rows in the last drawing. */
  get rows(): number {
    return this.#rows;
  }

  draw({ width, rows }: Space, look: Look, display: Settings["backtrack.display"]): Conversation {
    const { view } = this.#store;
    this.#rows = rows;
    // After a key press has changed the scroll position, the position counts from the end, and the pin no longer
    // applies.
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

  /** Limits the scroll position to the lines that exist. This does not need a redraw. */
  #settle(scroll: number): void {
    if (scroll !== this.#store.view.scroll) this.#store.settle({ scroll });
  }
}

/** The visible part of the conversation. */
export interface Window extends Layout {
  readonly rows: number;
  /** Number of lines to scroll up from the end. A value that is too large means the very start. */
  readonly scroll: number;
  /**
   * The line that was at the bottom of the last frame. While the user is scrolled up, this line stays there, no matter
   * what is added below.
   */
  readonly pin?: Pin;
}

/**
 * A line of a block, or of the gap below it. After the user has scrolled, there is no pin, so the new scroll position
 * is used.
 */
interface Pin {
  readonly key: string;
  readonly line: number;
}

interface Drawing {
  readonly look: Look;
  readonly cache: LayoutCache;
}

export interface Viewed {
  /** `rows` lines, or fewer if the conversation is shorter. */
  readonly lines: readonly string[];
  /** The actual scroll position, limited to the lines that exist. */
  readonly scroll: number;
  /** The pin for the next frame, while the user is scrolled up. */
  readonly pin: Pin | undefined;
  /** What is above the visible lines: nothing, more lines, or pages that have not been loaded. */
  readonly above: "top" | "more" | "unloaded";
  /**
   * The blocks in the visible part, including blocks without lines. Missing data is looked up only for these blocks.
   */
  readonly looked: readonly Block[];
}

/** Lays out only as many blocks as the window needs, starting from the end. */
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
  /** Number of blank lines below the block. */
  readonly gap: number;
}

/** Walks through the blocks from the end to the beginning. */
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

  /** Returns how many lines are below the pinned line, or undefined if its block no longer exists. */
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

  /** Returns a pin for the line that has `scroll` lines below it. */
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

  /** Returns the lines between two positions, which are counted from the top of the visited blocks. */
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

/** Checks whether a model call is being retried. The line that counts the attempts then also shows the error. */
function isTriedAgain([first]: Transcript["live"]): boolean {
  return first?.kind === "happening" && first.happening.what === "retry";
}

interface Kept {
  readonly layout: Layout;
  readonly look: Pick<Look, "strings" | "paint" | "glyphs">;
  readonly highlighter: ReturnType<typeof highlighterState>;
  /** For a block that says how long something takes: the second when it was drawn. */
  readonly second: number;
  readonly lines: readonly string[];
}

/** Caches the lines of each block for as long as the block exists and neither the space nor the look changes. */
export class LayoutCache {
  readonly #kept = new WeakMap<Block, Kept>();
  /** Number of blocks that have been laid out in total. The increase during a frame is the cost of that frame. */
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

/**
 * Returns the heading above the conversation. The heading shows the folder and, if no model is connected, what the user
 * can do without one.
 */
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
  // On a small screen, only the steps are shown. `/model` shows where Worldline searched for a model.
  const words = wrapTextWithAnsi(paint.strong(screen.withoutModel.title), width);
  return [...words, ...stepLines(width, look)].slice(0, rows);
}

function shownFolder({ workspace, home }: ViewState): string {
  const isBelow = home !== "" && (workspace === home || workspace.startsWith(`${home}/`));
  return printable(isBelow ? `~${workspace.slice(home.length)}` : workspace);
}

/** Checks whether digits choose a step: no model is connected, and the conversation is empty. */
export function isFirstScreen(view: ViewState): boolean {
  return view.phase === "idle" && view.model?.state === "none" && isUnspoken(view);
}

/**
 * Returns the placeholder for the empty editor. If digits take effect immediately, the placeholder must not mention
 * Enter, because a later Enter could answer a question.
 */
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
    paint.dim(words.lookedFor(lookedForTexts(model.lookedFor, strings))),
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
  return FIRST_STEPS.flatMap((step, index) => {
    const number = `  ${paint.accent(String(index + 1))}  `;
    const [first = "", ...rest] = wrap(steps[step], width - visibleWidth(number));
    return [number + first, ...rest.map((line) => " ".repeat(visibleWidth(number)) + line)];
  });
}
