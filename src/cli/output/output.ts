import type { Environment } from "../../app/places/home.ts";
import { type JsonForm, printable, printableJson } from "../../record/printable.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Failure } from "./failure.ts";
import { type OutputStream, openPipe, type Pipe } from "./pipe.ts";
import { type Painter, painterFor, type Style } from "../../show/style.ts";

/** An object, not a list: warnings are added to it. */
export type JsonDocument = Readonly<Record<string, unknown>>;

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly mode: "text" | "json";
  /** How a JSON document stands on stdout. */
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
  /** Who is told of warnings, where lines are all of the answer. */
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
   * of its own. The last document, and an error, then stand on one line too.
   */
  line(document: JsonDocument): void {
    if (this.mode !== "json") return;
    this.#form = "line";
    this.#stdout.write(`${printableJson(document, "line")}\n`);
  }

  /**
   * For a command whose lines are all of its answer: with `--json` no document follows them, unless it fails. Warnings
   * go to `tell`, which writes them as lines too; those of before at once.
   */
  linesOnly(tell: (warning: string) => void): void {
    this.#listener = tell;
    for (const warning of this.#warnings.splice(0)) tell(warning);
  }

  /**
   * The answer in pieces, byte for byte: for what is too large to be held at once, or is no text. Not for
   * a terminal, which would obey it, and not with `--json`, which promises a document.
   */
  async pour(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const piece of pieces) if ((await this.#stdout.hand(piece)) === "gone") return;
  }

  /** Something the person wants to know while it happens, such as progress. Never part of the answer. */
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
