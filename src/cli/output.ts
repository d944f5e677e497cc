import type { Environment } from "../app/places/home.ts";
import { systemCode } from "../app/places/home.ts";
import { type JsonForm, oneLine, printable, printableJson } from "../record/visible-text.ts";
import { type Painter, painterFor, type Style } from "../show/style.ts";
import type { Strings } from "../strings/strings.ts";
import type { Failure } from "./failure.ts";
import type { Frame } from "./frame.ts";

/** An object, not a list: warnings are added to it. */
export type JsonDocument = Readonly<Record<string, unknown>>;

interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly mode: "text" | "json";
  /** How a JSON document is written to stdout. */
  readonly form?: JsonForm;
  readonly environment: Environment;
  readonly strings: Strings;
}

/**
 * All that a command says. The answer goes to stdout, everything about it to stderr; with `--json`
 * stdout gets exactly one document, whatever happens, with warnings and errors inside it.
 */
export class Output {
  readonly mode: "text" | "json";
  /** For the answer's text. */
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
  /** Gets the warnings, where lines are all of the answer. */
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
   * What was asked for. The document is held back until `finish`, because an error that comes
   * later takes its place; `text` is only made when it is shown, and gets its last line break here.
   */
  answer(document: JsonDocument, text: () => string): void {
    if (this.mode === "json") this.#document = document;
    else this.#print(text());
  }

  /**
   * With `--json`, one document of several, for a command that goes on until it is stopped: written at once, on a line
   * of its own. The last document, and an error, are then on one line too.
   */
  line(document: JsonDocument): void {
    if (this.mode !== "json") return;
    this.#form = "line";
    this.#stdout.write(`${printableJson(document, "line")}\n`);
  }

  /**
   * For a command whose lines are all of its answer: with `--json` no document follows them, unless it fails. Warnings
   * go to `report`, which writes them as lines too; earlier ones at once.
   */
  linesOnly(report: (warning: string) => void): void {
    this.#listener = report;
    for (const warning of this.#warnings.splice(0)) report(warning);
  }

  /**
   * The answer in pieces, byte for byte: for what is too large to be held at once, or is no text. Not for
   * a terminal, which would obey it, and not with `--json`, which promises a document.
   */
  async pour(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const piece of pieces) if ((await this.#stdout.hand(piece)) === "gone") return;
  }

  /** Something the user wants to know while it happens, such as progress. Never part of the answer. */
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

  /** Calls `say` when the work is done, well or not: for a warning of what only the work brings to light. */
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

  /** Hands everything over. Says "unwritten" when the answer could not be written, though its reader is there. */
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

/** What we need of a stream that a person or a program reads. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(content: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Writes to a stream whose reader may go away. */
interface Pipe {
  write(text: string): void;
  /** Resolves when the piece was taken, so that a slow reader slows the writer down; "gone" when the reader has left. */
  hand(piece: string | Uint8Array): Promise<"taken" | "gone">;
  /** Resolves when all was handed over. A reader that left (`| head`) is not an error; a full disk is, and is returned. */
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
      // The callback of an empty write comes after those of all earlier ones.
      if (failure === undefined) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return failure === undefined || isReaderGone(failure) ? undefined : failure;
    },
  };
}

function isReaderGone(error: Error): boolean {
  return systemCode(error) === "EPIPE";
}

/** How wide a line may be. Without a terminal nothing is cut: a file or a program reads it. */
export function columnsOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** One line that is written over and over while something takes its time. */
export interface Progress {
  show(text: string): void;
  /** Before anything else is printed, and when the work is done. */
  clear(): void;
}

/** What is done by then needs no progress. */
const PATIENCE_MS = 400;
const PAUSE_MS = 100;
const WIPE = "\r\u001b[K";

/** Only where a person looks at it: on a terminal, and not beside a JSON document. */
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
