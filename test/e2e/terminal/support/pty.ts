import { type IPty, spawn } from "@lydell/node-pty";
import xterm, { type Terminal } from "@xterm/headless";
import { currentWidths } from "./cell-widths.ts";
import { bytesOfKey, type Keyboard } from "./keys.ts";
import { type PaintedRun, paintedLines } from "./painted-lines.ts";
import { endTree, treeOf } from "./process-tree.ts";
import { type TerminalModes, watchModes } from "./terminal-modes.ts";

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** By default "legacy": a terminal without kitty's keyboard protocol. */
  readonly keyboard?: Keyboard;
}

export type Wanted = string | RegExp | ((screen: readonly string[]) => boolean);

export interface PtyEnd {
  readonly code: number;
  readonly signal: number;
}

/** Guards against hangs; makes no claim about speed. */
const DEADLINE_MS = 30_000;
const QUIET_MS = 150;
/** As many lines as a user could scroll back to. */
const SCROLLBACK = 10_000;

/** A program in a pseudo-terminal, and the terminal that it draws on. */
export class Pty {
  readonly #pty: IPty;
  readonly #terminal: Terminal;
  readonly #modes: () => TerminalModes;
  readonly #keyboard: Keyboard;
  readonly #looks = new Set<() => void>();
  readonly #ended: Promise<PtyEnd>;
  #end: PtyEnd | undefined;
  #bytes = "";

  constructor({ file, args, cwd, environment, columns, rows, keyboard = "legacy" }: Launch) {
    this.#keyboard = keyboard;
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
    });
    this.#terminal.unicode.register(currentWidths);
    this.#terminal.unicode.activeVersion = currentWidths.version;
    this.#modes = watchModes(this.#terminal, () => {
      if (keyboard === "kitty") this.send("\x1b[?0u");
    });
    this.#pty = spawn(file, [...args], {
      name: "xterm-256color",
      cols: columns,
      rows,
      cwd,
      env: { ...environment },
    });
    // The terminal's own replies, such as the cursor position or its identity.
    this.#terminal.onData((answer) => this.send(answer));
    this.#pty.onData((text) => {
      this.#bytes += text;
      this.#terminal.write(text, () => this.#look());
    });
    this.#ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        // The program's last output may still be being drawn.
        this.#terminal.write("", () => {
          this.#end = { code: exitCode, signal: signal ?? 0 };
          resolve(this.#end);
          this.#look();
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** All raw output of the program. */
  get bytes(): string {
    return this.#bytes;
  }

  type(text: string): void {
    this.send(text);
  }

  /** Sends all keys in one chunk, as they arrive from a fast typist or through tmux. */
  press(...keys: readonly string[]): void {
    this.send(keys.map((key) => bytesOfKey(key, this.#keyboard)).join(""));
  }

  paste(text: string): void {
    this.send(this.modes().bracketedPaste === "on" ? `\x1b[200~${text}\x1b[201~` : text);
  }

  send(bytes: string): void {
    if (this.#end === undefined) this.#pty.write(bytes);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** The visible lines, without trailing blanks. */
  screen(): readonly string[] {
    const { buffer, rows } = this.#terminal;
    return this.#linesOf(buffer.active.baseY, buffer.active.baseY + rows);
  }

  painted(): readonly (readonly PaintedRun[])[] {
    return paintedLines(this.#terminal.buffer.active, this.#terminal.rows);
  }

  /** Row and column are counted from 0. */
  cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  modes(): TerminalModes {
    return this.#modes();
  }

  /**
   * All lines including the scrollback, without trailing blank ones: everything that a program leaves on the
   * terminal.
   */
  scrollback(): readonly string[] {
    const lines = [...this.#linesOf(0, this.#terminal.buffer.active.length)];
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /**
   * Resolves with the first screen that shows `wanted`. Checks after each complete draw, never in the middle
   * of a frame.
   */
  async waitFor(wanted: Wanted, what: string = String(wanted)): Promise<readonly string[]> {
    return this.#until(what, () => {
      const screen = this.screen();
      return isOn(screen, wanted) ? screen : undefined;
    });
  }

  /** Waits until nothing but spinners and second counters has changed for a moment. */
  async settled(): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const quiet = () => finish(() => resolve(this.screen()));
      let timer = setTimeout(quiet, QUIET_MS);
      let before = still(this.screen());
      const again = () => {
        const now = still(this.screen());
        if (now === before) return;
        before = now;
        clearTimeout(timer);
        timer = setTimeout(quiet, QUIET_MS);
      };
      const deadline = setTimeout(
        () => finish(() => reject(this.#complaint("it never settled"))),
        DEADLINE_MS,
      );
      const finish = (then: () => void) => {
        clearTimeout(timer);
        clearTimeout(deadline);
        this.#looks.delete(again);
        then();
      };
      this.#looks.add(again);
    });
  }

  async exit(): Promise<PtyEnd> {
    return this.#until("its end", () => this.#end);
  }

  /** Ends the program and everything that it started. */
  async close(): Promise<void> {
    if (this.#end === undefined) {
      await endTree(treeOf(this.pid));
      await this.#ended;
    }
    this.#terminal.dispose();
  }

  #look(): void {
    for (const look of this.#looks) look();
  }

  #linesOf(from: number, to: number): readonly string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: to - from }, (_, index) =>
      (active.getLine(from + index)?.translateToString(true) ?? "").trimEnd(),
    );
  }

  async #until<Found>(what: string, find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const drawing = this.#end === undefined && this.modes().synchronizedOutput === "on";
        const found = drawing ? undefined : find();
        if (found !== undefined) finish(() => resolve(found));
        else if (this.#end !== undefined) finish(() => reject(this.#complaint(`it ended before ${what}`)));
      };
      const late = () => finish(() => reject(this.#complaint(`waited in vain for ${what}`)));
      const deadline = setTimeout(late, DEADLINE_MS);
      const finish = (then: () => void) => {
        clearTimeout(deadline);
        this.#looks.delete(look);
        then();
      };
      this.#looks.add(look);
      look();
    });
  }

  #complaint(what: string): Error {
    const { row, column } = this.cursor();
    const end = this.#end === undefined ? "running" : `ended with ${JSON.stringify(this.#end)}`;
    const shown = this.screen().map((line) => `│${line}`);
    return new Error([`${what}; ${end}, cursor at ${row}:${column}, the screen:`, ...shown].join("\n"));
  }
}

/** A screen without its spinner and its clock. */
function still(screen: readonly string[]): string {
  return screen.join("\n").replaceAll(/^[|/\\-] |[\u2800-\u28ff]|\d+ (?:s|秒)/gmu, "");
}

function isOn(screen: readonly string[], wanted: Wanted): boolean {
  if (typeof wanted === "function") return wanted(screen);
  const text = screen.join("\n");
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}
