import { writeSync } from "node:fs";
import { CURSOR_MARKER, StdinBuffer, setKittyProtocolActive, visibleWidth } from "@earendil-works/pi-tui";
import type { Space } from "../look/look.ts";
import { type KeyPress, readKeys } from "./keys.ts";

interface PainterDeps {
  /** Returns exactly as many lines as the screen has rows. */
  readonly draw: (space: Space) => readonly string[];
  readonly press: (key: KeyPress) => void;
  /** Called with the terminal's background, if the terminal reports it. */
  readonly background: (background: "light" | "dark") => void;
}

const ASK_BACKGROUND = "\u001B]11;?\u0007";
const BACKGROUND = /\]11;rgb:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/iu;
/** The time between two frames on a typical display. */
const FRAME_MS = 16;

/** Writes drawn lines to the terminal, and passes on typed input. */
export class Painter {
  readonly terminal: ScreenTerminal;
  readonly #parts: PainterDeps;
  /** The current content of the terminal. Undefined if something else may have written over the screen. */
  #shown: Shown | undefined;
  #timer: NodeJS.Timeout | undefined;
  #paintedAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  /** Resolves after the first frame has been drawn. Expensive work starts only then. */
  readonly painted: Promise<void>;
  #setPainted: () => void = () => undefined;

  constructor(parts: PainterDeps, terminal = new ScreenTerminal()) {
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
      (data) => this.#receive(data),
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

  /** Draws after a short delay, so that changes at about the same time share one frame. */
  paint(): void {
    if (!this.#isStarted || this.#timer !== undefined) return;
    const wait = Math.max(0, FRAME_MS - (performance.now() - this.#paintedAt));
    this.#timer = setTimeout(() => this.#paintNow(), wait);
  }

  /** Draws everything again, because something else may have written over the screen. */
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

  #receive(data: string): void {
    const answered = BACKGROUND.exec(data);
    if (answered === null) {
      for (const key of readKeys(data)) this.#parts.press(key);
      this.paint();
    } else this.#parts.background(brightness(answered.slice(1)));
  }
}

/** The content of the terminal. */
export interface Shown extends Space {
  readonly lines: readonly string[];
  /** The sequence that moves the terminal's cursor to its position, or "" if the position does not matter. */
  readonly cursor: string;
}

/**
 * Tells the terminal to show all changes at once, if it can. Also tells the terminal to cut off lines that it considers
 * too wide, instead of wrapping them.
 */
const BEGIN = "\u001B[?2026h\u001B[?7l";
const END = "\u001B[?7h\u001B[?2026l";
const CLEAR = "\u001B[0m\u001B[2J";
/** Prevents colors and links from continuing on the next line. */
const LINE_END = "\u001B[0m\u001B]8;;\u0007";

/** Returns the bytes that turn the current content into these lines. Only lines that have changed are written. */
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

/**
 * Returns the sequence that moves the terminal's cursor. Input methods open at the cursor, even though it is hidden.
 */
function cursorIn(drawn: readonly string[], width: number): string {
  const row = drawn.findLastIndex((line) => line.includes(CURSOR_MARKER));
  const line = drawn[row] ?? "";
  if (row === -1) return "";
  return at(row, Math.min(width - 1, visibleWidth(line.slice(0, line.indexOf(CURSOR_MARKER)))));
}

function at(row: number, column: number): string {
  return `\u001B[${row + 1};${column + 1}H`;
}

/**
 * Splits the composed vowel AM in Thai and Lao into two characters. Terminals disagree about the width of the composed
 * character, but not about the width of its parts.
 */
function decomposed(line: string): string {
  return line.replace(/[\u0e33\u0eb3]/gu, (am) => (am === "\u0e33" ? "\u0e4d\u0e32" : "\u0ecd\u0eb2"));
}

/**
 * Returns whether a color is light or dark. Each component has one to four hexadecimal digits and is relative to the
 * maximum value for its length.
 */
function brightness(parts: readonly string[]): "light" | "dark" {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[2J\u001B[H\u001B[?2004h";
const MOUSE_ON = "\u001B[?1000h\u001B[?1006h";
const MOUSE_OFF = "\u001B[?1006l\u001B[?1000l";
const ASK_KITTY = "\u001B[?u";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
const SPEAKS_KITTY = /^\u001B\[\?\d+u$/u;
/**
 * Requests distinct codes for keys with Shift, Ctrl or Alt, reports of key releases, and key positions for layouts
 * without Latin letters.
 */
const KITTY_KEYS = "\u001B[>7u";
/** The same request in xterm's form, for terminals such as tmux that do not support the kitty form. */
const OTHER_KEYS = "\u001B[>4;2m";
const ANSWER_MS = 150;
/** How long to wait for the rest of an incomplete sequence. */
const REST_MS = 10;
/**
 * Resets everything that the screen may have changed: mouse, pasting, keys, wrapping, synchronized output, colors,
 * cursor, and the alternate buffer.
 */
const RESTORE = `${MOUSE_OFF}\u001B[?2004l\u001B[<u\u001B[>4;0m\u001B[?7h\u001B[?2026l\u001B[0m\u001B[?25h\u001B[?1049l`;

/** The streams of a terminal. Tests pass their own streams. */
export interface TerminalStreams {
  readonly stdin: Pick<NodeJS.ReadStream, "on" | "off" | "resume" | "pause" | "setEncoding"> & {
    setRawMode?(mode: boolean): unknown;
  };
  readonly stdout: Pick<NodeJS.WriteStream, "on" | "off" | "write"> & {
    readonly columns?: number;
    readonly rows?: number;
    readonly fd?: number;
  };
  /** Writes synchronously, because this may be the last thing that the program does. */
  writeNow(text: string): void;
}

const processStreams: TerminalStreams = {
  stdin: process.stdin,
  stdout: process.stdout,
  writeNow: (text) => {
    writeSync(process.stdout.fd, text);
  },
};

/**
 * The user's terminal. The screen uses the alternate buffer, so that the previous content reappears afterwards. The
 * terminal is restored no matter how the program ends, except by SIGKILL.
 */
export class ScreenTerminal {
  readonly #streams: TerminalStreams;
  #mouse: "on" | "off" = "off";
  /** Undoes what `start` did. Undefined while the terminal is not in use. */
  #release: (() => void) | undefined;
  readonly #atExit = (): void => this.giveBack();

  constructor(streams: TerminalStreams = processStreams) {
    this.#streams = streams;
  }

  get space(): Space {
    const { columns, rows } = this.#streams.stdout;
    return { width: columns || 80, rows: rows || 24 };
  }

  /**
   * Turns mouse reports on or off. If they are on, the mouse wheel scrolls the conversation, and the user must hold
   * Shift to select text.
   */
  setMouse(mouse: "on" | "off"): void {
    if (mouse === this.#mouse) return;
    this.#mouse = mouse;
    if (this.#release !== undefined) this.write(mouse === "on" ? MOUSE_ON : MOUSE_OFF);
  }

  /** Starts using the terminal. `onInput` receives whole sequences, and pasted text in one piece between its marks. */
  start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin, stdout } = this.#streams;
    stdin.setRawMode?.(true);
    stdin.setEncoding("utf8");
    this.write(ENTER + (this.#mouse === "on" ? MOUSE_ON : "") + ASK_KITTY);
    const sequences = new StdinBuffer({ timeout: REST_MS });
    const askOtherKeys = setTimeout(() => this.write(OTHER_KEYS), ANSWER_MS);
    let keys: "kitty" | "plain" = "plain";
    sequences.on("data", (sequence) => {
      if (keys === "kitty" || !SPEAKS_KITTY.test(sequence)) {
        onInput(sequence);
        return;
      }
      keys = "kitty";
      clearTimeout(askOtherKeys);
      setKittyProtocolActive(true);
      this.write(KITTY_KEYS);
    });
    sequences.on("paste", (text) => onInput(`\u001B[200~${text}\u001B[201~`));
    const read = (data: string): void => sequences.process(data);
    stdin.on("data", read);
    stdin.resume();
    stdout.on("resize", onResize);
    process.on("exit", this.#atExit);
    // The window may have been resized while the program was stopped, which Node does not notice.
    if (process.platform !== "win32") process.kill(process.pid, "SIGWINCH");
    this.#release = () => {
      clearTimeout(askOtherKeys);
      setKittyProtocolActive(false);
      sequences.destroy();
      stdin.off("data", read);
      stdout.off("resize", onResize);
      process.off("exit", this.#atExit);
    };
  }

  stop(): void {
    const { stdin } = this.#streams;
    this.giveBack();
    // Reading stops here, so that everything that the user types next goes to the shell.
    stdin.pause();
    stdin.setRawMode?.(false);
  }

  write(text: string): void {
    this.#streams.stdout.write(text);
  }

  giveBack(): void {
    const release = this.#release;
    if (release === undefined) return;
    this.#release = undefined;
    release();
    try {
      this.#streams.writeNow(RESTORE);
    } catch {
      // The terminal no longer exists, so there is nothing to restore.
    }
  }
}
