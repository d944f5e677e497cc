import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import type { Space } from "../look/look.ts";
import type { KeyPress } from "./keys.ts";
import { readKeys } from "./keys.ts";
import { ScreenTerminal } from "./screen-terminal.ts";

export interface PainterParts {
  /** Exactly as many lines as there are rows. */
  readonly draw: (space: Space) => readonly string[];
  readonly press: (key: KeyPress) => void;
  /** What the terminal says of its own background, where it answers. */
  readonly background: (background: "light" | "dark") => void;
}

const ASK_BACKGROUND = "\u001B]11;?\u0007";
const BACKGROUND = /\]11;rgb:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/iu;
/** As often as a screen can show it. */
const FRAME_MS = 16;

/** Puts drawn lines onto the terminal, and hands on what is typed. */
export class Painter {
  readonly terminal: ScreenTerminal;
  readonly #parts: PainterParts;
  /** What the terminal shows; undefined where something else may have written over it. */
  #shown: Shown | undefined;
  #timer: NodeJS.Timeout | undefined;
  #paintedAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  /** Resolves when the first picture stands: what is heavy begins behind it. */
  readonly painted: Promise<void>;
  #setPainted: () => void = () => undefined;

  constructor(parts: PainterParts, terminal = new ScreenTerminal()) {
    this.#parts = parts;
    this.terminal = terminal;
    this.painted = new Promise((resolve) => {
      this.#setPainted = resolve;
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#shown = undefined;
    this.terminal.start(
      (data) => this.#hear(data),
      () => this.paint(),
    );
    this.terminal.write(ASK_BACKGROUND);
    this.paint();
  }

  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.terminal.stop();
  }

  /** Soon: what changes together is drawn together. */
  paint(): void {
    if (!this.#isStarted || this.#timer !== undefined) return;
    const wait = Math.max(0, FRAME_MS - (performance.now() - this.#paintedAt));
    this.#timer = setTimeout(() => this.#paintNow(), wait);
  }

  /** For when something else may have written over it. */
  repaint(): void {
    this.#shown = undefined;
    this.paint();
  }

  #paintNow(): void {
    this.#timer = undefined;
    this.#paintedAt = performance.now();
    const { space } = this.terminal;
    const { shown, bytes } = frame(this.#parts.draw(space), space, this.#shown);
    this.#shown = shown;
    if (bytes !== "") this.terminal.write(bytes);
    setImmediate(this.#setPainted);
  }

  #hear(data: string): void {
    const answered = BACKGROUND.exec(data);
    if (answered === null) {
      for (const key of readKeys(data)) this.#parts.press(key);
      this.paint();
    } else this.#parts.background(brightness(answered.slice(1)));
  }
}

/** What stands on the terminal. */
export interface Shown extends Space {
  readonly lines: readonly string[];
  /** Where the terminal's cursor is, in the order to go there; "" for anywhere. */
  readonly cursor: string;
}

/** All at once, where the terminal can do that; and a line that it takes for wider than we do is cut, not wrapped. */
const BEGIN = "\u001B[?2026h\u001B[?7l";
const END = "\u001B[?7h\u001B[?2026l";
const CLEAR = "\u001B[0m\u001B[2J";
/** Neither a color nor a link goes on in the next line. */
const LINE_END = "\u001B[0m\u001B]8;;\u0007";

/** The bytes that turn what is shown into these lines: those lines alone that have changed. */
export function frame(
  drawn: readonly string[],
  { width, rows }: Space,
  before: Shown | undefined,
): { readonly shown: Shown; readonly bytes: string } {
  const known = before?.width === width && before.rows === rows ? before : undefined;
  const lines = drawn.slice(0, rows).map((line) => decomposed(line.replaceAll(CURSOR_MARKER, "")));
  const cursor = cursorIn(drawn, width);
  const changed = lines.flatMap((line, row) =>
    known?.lines[row] === line ? [] : [`${at(row, 0)}\u001B[2K${line}${LINE_END}`],
  );
  const gone = (known?.lines ?? []).flatMap((line, row) =>
    row < lines.length || line === "" ? [] : [`${at(row, 0)}\u001B[2K`],
  );
  const shown = { lines, cursor, width, rows };
  const isSame = known !== undefined && changed.length + gone.length === 0 && known.cursor === cursor;
  if (isSame) return { shown, bytes: "" };
  const clear = known === undefined ? CLEAR : "";
  return { shown, bytes: BEGIN + clear + changed.join("") + gone.join("") + cursor + END };
}

/** An input method opens at the terminal's own cursor, although that is hidden. */
function cursorIn(drawn: readonly string[], width: number): string {
  const row = drawn.findLastIndex((line) => line.includes(CURSOR_MARKER));
  const line = drawn[row] ?? "";
  if (row === -1) return "";
  return at(row, Math.min(width - 1, visibleWidth(line.slice(0, line.indexOf(CURSOR_MARKER)))));
}

function at(row: number, column: number): string {
  return `\u001B[${row + 1};${column + 1}H`;
}

/** Terminals differ about the width of the composed Thai and Lao AM; of its two parts they agree. */
function decomposed(line: string): string {
  return line.replace(/[\u0e33\u0eb3]/gu, (am) => (am === "\u0e33" ? "\u0e4d\u0e32" : "\u0ecd\u0eb2"));
}

/** Each part is one to four hexadecimal digits of its own scale. */
function brightness(parts: readonly string[]): "light" | "dark" {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}
