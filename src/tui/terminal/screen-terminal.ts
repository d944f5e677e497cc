import { writeSync } from "node:fs";
import { StdinBuffer, setKittyProtocolActive } from "@earendil-works/pi-tui";
import type { Space } from "../look/look.ts";

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[2J\u001B[H\u001B[?2004h";
const MOUSE_ON = "\u001B[?1000h\u001B[?1006h";
const MOUSE_OFF = "\u001B[?1006l\u001B[?1000l";
const ASK_KITTY = "\u001B[?u";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const SPEAKS_KITTY = /^\u001B\[\?\d+u$/u;
/** Keys that differ only in Shift, Ctrl or Alt; when they are released; and their places, for layouts without Latin letters. */
const KITTY_KEYS = "\u001B[>7u";
/** The same as xterm has it, for terminals that do not answer: tmux among them. */
const OTHER_KEYS = "\u001B[>4;2m";
const ANSWER_MS = 150;
/** How long the rest of a sequence may take to come. */
const REST_MS = 10;
/** Everything that the screen may have switched: mouse, pasting, keys, wrapping, synchronized output, colors, cursor, the other buffer. */
const RESTORE = `${MOUSE_OFF}\u001B[?2004l\u001B[<u\u001B[>4;0m\u001B[?7h\u001B[?2026l\u001B[0m\u001B[?25h\u001B[?1049l`;

/** What a terminal is read from and written to; a test has its own. */
export interface TerminalStreams {
  readonly stdin: Pick<NodeJS.ReadStream, "on" | "off" | "resume" | "pause" | "setEncoding"> & {
    setRawMode?(mode: boolean): unknown;
  };
  readonly stdout: Pick<NodeJS.WriteStream, "on" | "off" | "write"> & {
    readonly columns?: number;
    readonly rows?: number;
    readonly fd?: number;
  };
  /** Written before it returns, because it may be the last thing that the program does. */
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
 * The person's terminal, of which the other buffer is taken, so that what was there before is there afterwards. However the
 * program ends, short of a SIGKILL, the terminal is given back.
 */
export class ScreenTerminal {
  readonly #streams: TerminalStreams;
  #mouse: "on" | "off" = "off";
  /** Undoes what `start` did; undefined while the terminal is not taken. */
  #release: (() => void) | undefined;
  readonly #atExit = (): void => this.giveBack();

  constructor(streams: TerminalStreams = processStreams) {
    this.#streams = streams;
  }

  get space(): Space {
    const { columns, rows } = this.#streams.stdout;
    return { width: columns || 80, rows: rows || 24 };
  }

  /** With "on" the wheel scrolls the conversation, and marking text needs Shift. */
  setMouse(mouse: "on" | "off"): void {
    if (mouse === this.#mouse) return;
    this.#mouse = mouse;
    if (this.#release !== undefined) this.write(mouse === "on" ? MOUSE_ON : MOUSE_OFF);
  }

  /** `onInput` gets whole sequences, and what is pasted in one piece between its marks. */
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
    // The window's size may have changed while the program was stopped, which Node does not notice.
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
    // What is still being typed is the shell's, once it has the terminal again.
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
      // The terminal is gone: there is nobody to give it back to.
    }
  }
}
