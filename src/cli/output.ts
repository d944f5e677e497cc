import type { Environment } from "../app/places/home.ts";
import { systemCode } from "../app/places/home.ts";
import { type JsonForm, oneLine, printable, printableJson } from "../record/visible-text.ts";
import { type Painter, painterFor, type Style } from "../show/style.ts";
import type { Strings } from "../strings/strings.ts";
import type { Failure } from "./failure.ts";
import type { Frame } from "./frame.ts";

/** A JSON document. It is an object rather than a list, so that warnings can be added to it. */
export type JsonDocument = Readonly<Record<string, unknown>>;

interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly mode: "text" | "json";
  /** The form of a JSON document on stdout. */
  readonly form?: JsonForm;
  readonly environment: Environment;
  readonly strings: Strings;
}

/**
 * Writes all output of a command. The answer goes to stdout, and messages about it go to stderr. With `--json`, stdout
 * always receives exactly one document, which also contains warnings and errors.
 */
export class Output {
  readonly mode: "text" | "json";
  /** The style for the text of the answer. */
  readonly style: Style;
  readonly #options: OutputOptions;
  readonly #stdout: Pipe;
  readonly #stderr: Pipe;
  readonly #stdoutPainter: Painter;
  readonly #stderrPainter: Painter;
  readonly #warnings: string[] = [];
  readonly #lastWords: (() => void)[] = [];
  #document: JsonDocument = {};
  #form: JsonForm;
  /** Receives warnings if the answer consists of lines. */
  #listener: ((warning: string) => void) | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.#form = options.form ?? "lines";
    this.#stdoutPainter = painterFor(options.stdout, options.environment);
    this.#stderrPainter = painterFor(options.stderr, options.environment);
    this.style = this.#stdoutPainter.style;
    this.#stdout = openPipe(options.stdout);
    this.#stderr = openPipe(options.stderr);
  }

  /**
   * Sets the answer. The document is held back until `finish`, because a later error replaces it. `text` is computed
   * only if it is printed, and a final line break is added to it.
   */
  answer(document: JsonDocument, text: () => string): void {
    if (this.mode === "json") this.#document = document;
    else this.#print(text());
  }

  /**
   * Writes one of several JSON documents immediately, on one line, for a command that runs until it is stopped. The
   * final document or an error is then also written on one line.
   */
  line(document: JsonDocument): void {
    if (this.mode !== "json") return;
    this.#form = "line";
    this.#stdout.write(`${printableJson(document, "line")}\n`);
  }

  /**
   * Prepares for a command whose answer consists only of lines. With `--json`, no document follows the lines unless the
   * command fails. Warnings, including earlier ones, are passed to `report`, which writes them as lines too.
   */
  linesOnly(report: (warning: string) => void): void {
    this.#listener = report;
    for (const warning of this.#warnings.splice(0)) report(warning);
  }

  /**
   * Writes the answer in pieces, byte for byte, for an answer that is too large for memory or is not text. Must not be
   * used for a terminal, which would interpret the bytes, or with `--json`, because JSON output must be a document.
   */
  async pour(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const piece of pieces) if ((await this.#stdout.hand(piece)) === "gone") return;
  }

  /**
   * Prints a message about the work in progress, such as how far it has progressed. The message is never part of the
   * answer.
   */
  notice(text: string): void {
    this.#stderr.write(`${printable(text)}\n`);
  }

  warn(text: string): void {
    if (this.#listener !== undefined) {
      this.#listener(text);
      return;
    }
    this.#warnings.push(text);
    if (this.mode === "text") this.#labelled("yellow", this.#options.strings.output.warning, text);
  }

  /**
   * Calls `say` when the command has ended, even if it failed. Use this for warnings about problems that are discovered
   * only while the command is running.
   */
  beforeFinish(say: () => void): void {
    this.#lastWords.push(say);
  }

  fail(failure: Failure): void {
    const { trace, ...error } = failure;
    if (trace !== undefined) this.notice(trace);
    if (this.mode === "json") {
      this.#document = { error };
      return;
    }
    const { output } = this.#options.strings;
    this.#labelled("red", output.error, failure.message);
    if (failure.hint !== undefined) this.#labelled("dim", output.hint, failure.hint);
  }

  /**
   * Writes all output that is held back. "unwritten": the answer could not be written, although its reader still
   * exists.
   */
  async finish(): Promise<"written" | "unwritten"> {
    for (const say of this.#lastWords) say();
    if (this.mode === "json" && (this.#listener === undefined || "error" in this.#document)) {
      const warnings = this.#warnings.length === 0 ? {} : { warnings: this.#warnings };
      this.#stdout.write(`${printableJson({ ...this.#document, ...warnings }, this.#form)}\n`);
    }
    const error = await this.#stdout.drained();
    if (error !== undefined) this.notice(this.#options.strings.output.unwritable(error.message));
    await this.#stderr.drained();
    return error === undefined ? "written" : "unwritten";
  }

  #print(text: string): void {
    if (text === "") return;
    const safe = this.#stdoutPainter.finished(text);
    this.#stdout.write(safe.endsWith("\n") ? safe : `${safe}\n`);
  }

  #labelled(look: keyof Style, label: string, text: string): void {
    const { style, finished } = this.#stderrPainter;
    // A full-width colon is as wide as a colon and a space.
    const gap = label.endsWith("：") ? "" : " ";
    this.#stderr.write(`${finished(style[look](label))}${gap}${printable(text)}\n`);
  }
}

/** The part of a stream that Worldline uses. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(content: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Writes to a stream whose reader may close it. */
interface Pipe {
  write(text: string): void;
  /**
   * Writes a piece and resolves when it has been written, so that a slow reader slows down the writer. Resolves with
   * "gone" if the reader has closed the stream.
   */
  hand(piece: string | Uint8Array): Promise<"taken" | "gone">;
  /**
   * Resolves when everything has been written. A reader that has closed the stream (`| head`) is not an error. If
   * the disk is full, the error is returned.
   */
  drained(): Promise<Error | undefined>;
}

function openPipe(stream: OutputStream): Pipe {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  stream.on("error", fail);
  return {
    write(text) {
      if (failure !== undefined) return;
      stream.write(text, (error) => {
        if (error) fail(error);
      });
    },
    async hand(piece) {
      if (failure !== undefined) return "gone";
      await new Promise<void>((resolve) => {
        stream.write(piece, (error) => {
          if (error) fail(error);
          resolve();
        });
      });
      return failure === undefined ? "taken" : "gone";
    },
    async drained() {
      // An empty write's callback is called after the callbacks of all earlier writes.
      if (failure === undefined) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return failure === undefined || isReaderGone(failure) ? undefined : failure;
    },
  };
}

function isReaderGone(error: Error): boolean {
  return systemCode(error) === "EPIPE";
}

/**
 * Returns the maximum width of a line. Without a terminal, the width is unlimited, because files and programs need
 * complete lines.
 */
export function columnsOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** A line that is repeatedly overwritten while work is running. */
export interface Progress {
  show(text: string): void;
  /** Clears the line. Called before anything else is printed, and at the end of the work. */
  clear(): void;
}

/** How long work must run before its progress is shown. Shorter work does not need a progress line. */
const PATIENCE_MS = 400;
const PAUSE_MS = 100;
const WIPE = "\r\u001b[K";

/** Opens the progress line, which is shown only on a terminal and not with `--json`. */
export function openProgress(
  { output, surroundings }: Pick<Frame, "output" | "surroundings">,
  now: () => number = Date.now,
): Progress {
  const { stderr } = surroundings;
  if (stderr.isTTY !== true || output.mode === "json") return { show: () => {}, clear: () => {} };
  let due = now() + PATIENCE_MS;
  let isShown = false;
  const write = (text: string) => stderr.write(text, () => undefined);
  return {
    show(text) {
      if (now() < due) return;
      due = now() + PAUSE_MS;
      isShown = true;
      write(`${WIPE}${oneLine(text).slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    clear() {
      if (isShown) write(WIPE);
      isShown = false;
    },
  };
}
