import type { ScreenSettings } from "../../app/app-types.ts";
import type { Look, Space } from "../look/look.ts";
import { LayoutCache } from "../transcript/drawing/layout-cache.ts";
import { type Pin, viewport } from "../transcript/drawing/viewport.ts";
import type { Conversation } from "../view/draw-screen.ts";
import type { Board } from "./board.ts";
import type { Following } from "./following.ts";
import { headingLines } from "./opening/first-screen.ts";

/** More lines up than there can be. */
export const TO_THE_START: number = Number.MAX_SAFE_INTEGER;

/** The conversation as it is scrolled now, with what must be read or looked up for that begun. */
export class ConversationView {
  readonly cache: LayoutCache = new LayoutCache();
  readonly #board: Board;
  readonly #following: Following;
  #pin: Pin | undefined;
  #rows = 0;
  #scroll = 0;

  constructor(board: Board, following: Following) {
    this.#board = board;
    this.#following = following;
  }

  /** How many rows were drawn last. */
  get rows(): number {
    return this.#rows;
  }

  draw({ width, rows }: Space, look: Look, display: ScreenSettings["backtrackDisplay"]): Conversation {
    const { view } = this.#board;
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
    // Who wants to the very start stays on the way there while earlier pages are read.
    if (!isGoingUp) this.#settle(viewed.scroll);
    this.#following.lookUp(viewed.looked);
    if (viewed.above === "unloaded") void this.#following.loadEarlier();
    const below = viewed.scroll;
    if (viewed.above !== "top") return { lines: viewed.lines, below };
    const heading = headingLines(view, { width, rows: Math.max(0, rows - viewed.lines.length) }, look);
    return { lines: [...heading, ...viewed.lines], below };
  }

  /** What was scrolled too far comes back to what there is; nothing needs to be drawn again for that. */
  #settle(scroll: number): void {
    if (scroll !== this.#board.view.scroll) this.#board.settle({ scroll });
  }
}
