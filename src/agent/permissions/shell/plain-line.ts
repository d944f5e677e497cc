import { readFileSync } from "node:fs";
import type { Node, Parser, Tree } from "web-tree-sitter";
import { packagedFile } from "../../../disk/packaged-file.ts";

/** A command line that consists only of literal words, with no expansions, redirections to files or other syntax. */
export type PlainLine = readonly PlainStep[];

export interface PlainStep {
  /** The operator that joins the step to the previous step. The first step has ";". */
  readonly join: ";" | "&&" | "||";
  readonly pipeline: readonly PlainCommand[];
}

export interface PlainCommand {
  readonly words: readonly string[];
  readonly redirects: readonly Redirect[];
}

export interface Redirect {
  readonly fd: 0 | 1 | 2;
  readonly to: "null" | 1 | 2;
}

const MAX_WORDS = 1_000;
const MAX_DEPTH = 100;
/** Shell keywords that can start a command. The grammar mistakes some of them for commands. */
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac in function select coproc time ! { } [[ ]] [".split(
    " ",
  ),
);

/**
 * Lone surrogates, and control characters other than tabs and newlines, which are syntax. They are never intended, and
 * shells treat them differently.
 */
const STRANGE = /\p{Surrogate}|(?![\t\n\u{80}-\u{9f}])\p{Cc}/u;

/**
 * Reads a plain command line. Returns undefined if any part of the line is outside the small known syntax, because only
 * a shell could interpret that part.
 */
export function readPlainLine(text: string): PlainLine | undefined {
  if (STRANGE.test(text)) return undefined;
  const tree = parseShell(text);
  if (tree === undefined) return undefined;
  try {
    return new PlainReader(text).program(tree.rootNode);
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  } finally {
    tree.delete();
  }
}

/** Thrown at the first piece of syntax that the reader does not recognize. */
class NotPlain extends Error {}

class PlainReader {
  readonly #text: string;
  #words = 0;
  /** The index up to which the text has been read. Only blanks may separate two tokens. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  program(root: Node): PlainLine {
    if (root.hasError) throw new NotPlain();
    const steps: PlainStep[] = [];
    for (const child of root.children) {
      if (child.type === ";") this.#token(child);
      else steps.push(...this.#statement(child, 0));
    }
    this.#skipTo(this.#text.length);
    if (steps.length === 0) throw new NotPlain();
    return steps;
  }

  #statement(node: Node, depth: number): readonly PlainStep[] {
    if (depth > MAX_DEPTH) throw new NotPlain();
    switch (node.type) {
      case "list":
        return this.#list(node, depth);
      case "pipeline":
        return [{ join: ";", pipeline: this.#pipeline(node, depth) }];
      case "redirected_statement":
        return this.#redirected(node, depth);
      case "command":
        return [{ join: ";", pipeline: [this.#command(node)] }];
      default:
        throw new NotPlain();
    }
  }

  #oneStep(node: Node, depth: number): PlainStep {
    const [step, ...more] = this.#statement(node, depth);
    if (step === undefined || more.length > 0) throw new NotPlain();
    return step;
  }

  /**
   * `&&` and `||` have the same precedence and associate to the left, so only their order matters, regardless of how
   * the tree nests them.
   */
  #list(node: Node, depth: number): readonly PlainStep[] {
    const [left, operator, right] = node.children;
    if (left === undefined || right === undefined) throw new NotPlain();
    const before = this.#statement(left, depth + 1);
    if (operator?.type !== "&&" && operator?.type !== "||") throw new NotPlain();
    this.#token(operator);
    return [...before, { ...this.#oneStep(right, depth), join: operator.type }];
  }

  #pipeline(node: Node, depth: number): readonly PlainCommand[] {
    return node.children.flatMap((child) => {
      if (child.type !== "|") return this.#oneStep(child, depth + 1).pipeline;
      this.#token(child);
      return [];
    });
  }

  /**
   * Reads a redirection. In the syntax tree, a redirection applies to everything before it, but in a shell it applies
   * only to the last command.
   */
  #redirected(node: Node, depth: number): readonly PlainStep[] {
    const [body, ...redirects] = node.children;
    if (body === undefined) throw new NotPlain();
    const steps = this.#statement(body, depth + 1);
    const added = redirects.flatMap((each) => this.#redirect(each));
    return changeLast(steps, (step) => ({
      ...step,
      pipeline: changeLast(step.pipeline, (command) => ({
        ...command,
        redirects: [...command.redirects, ...added],
      })),
    }));
  }

  #redirect(node: Node): readonly Redirect[] {
    const known = REDIRECTS.get(node.text.replace(/(?<=[<>&])[ \t]+/u, ""));
    if (known === undefined) throw new NotPlain();
    this.#sameLine(node.startIndex);
    this.#token(node);
    return known;
  }

  #command(node: Node): PlainCommand {
    const [name, ...args] = node.children;
    const program = name?.type === "command_name" ? name.child(0) : null;
    if (program === null) throw new NotPlain();
    const first = this.#word(program);
    if (first === "" || first.includes("=") || RESERVED.has(first)) throw new NotPlain();
    return { words: [first, ...args.map((each) => this.#argument(each))], redirects: [] };
  }

  /**
   * Reads an argument. In some places, the grammar starts a new word where a shell continues the last one, for example
   * after `\` and a newline.
   */
  #argument(node: Node): string {
    if (!/[ \t]/u.test(this.#text.slice(this.#at, node.startIndex))) throw new NotPlain();
    this.#sameLine(node.startIndex);
    return this.#word(node);
  }

  #word(node: Node): string {
    this.#words += 1;
    if (this.#words > MAX_WORDS) throw new NotPlain();
    const pieces = node.type === "concatenation" ? node.children : [node];
    return pieces.map((piece) => this.#piece(piece)).join("");
  }

  #piece(node: Node): string {
    const text = this.#token(node);
    switch (node.type) {
      case "word":
      case "number":
        return bareWord(text);
      case "raw_string":
        return text.slice(1, -1);
      case "string":
        return quotedText(text);
      default:
        throw new NotPlain();
    }
  }

  #token({ startIndex, endIndex }: Node): string {
    this.#skipTo(startIndex);
    this.#at = endIndex;
    return this.#text.slice(startIndex, endIndex);
  }

  #sameLine(index: number): void {
    if (/(?<!\\)\n/u.test(this.#text.slice(this.#at, index))) throw new NotPlain();
  }

  /**
   * Skips blanks up to an index. Throws at any other character, because the grammar treats more characters as blank
   * than a shell does.
   */
  #skipTo(index: number): void {
    if (!/^(?:[ \t\n]|\\\n)*$/u.test(this.#text.slice(this.#at, index))) throw new NotPlain();
    this.#at = index;
  }
}

const OUTPUT_TO_NULL: Redirect = { fd: 1, to: "null" };
const ERRORS_TO_NULL: Redirect = { fd: 2, to: "null" };

const REDIRECTS: ReadonlyMap<string, readonly Redirect[]> = new Map<string, readonly Redirect[]>([
  [">/dev/null", [OUTPUT_TO_NULL]],
  ["1>/dev/null", [OUTPUT_TO_NULL]],
  ["2>/dev/null", [ERRORS_TO_NULL]],
  ["&>/dev/null", [OUTPUT_TO_NULL, ERRORS_TO_NULL]],
  [">>/dev/null", [OUTPUT_TO_NULL]],
  ["2>>/dev/null", [ERRORS_TO_NULL]],
  ["</dev/null", [{ fd: 0, to: "null" }]],
  ["2>&1", [{ fd: 2, to: 1 }]],
  [">&2", [{ fd: 1, to: 2 }]],
  ["1>&2", [{ fd: 1, to: 2 }]],
]);

/**
 * Reads an unquoted word, which may contain letters, digits, characters that have no special meaning in shells, and
 * single characters after a backslash.
 */
function bareWord(text: string): string {
  // `a~` is a name, but `~` and `x=~` refer to home folders.
  if (!/^(?:[\p{L}\p{N}_.,:=@%+/^-]|(?<=[\p{L}\p{N}^])~|(?<!^)#|\\[^\n])+$/u.test(text)) throw new NotPlain();
  return text.replace(/\\(?<kept>[^\n])/gu, "$<kept>");
}

/** Returns the content of double quotes. A `$` in the content is literal only if it cannot be followed by a name. */
function quotedText(text: string): string {
  const inner = text.slice(1, -1);
  if (!/^(?:[^"\\$`]|\\[^\n]|\$(?=[ |)/]|$))*$/u.test(inner)) throw new NotPlain();
  return inner.replace(/\\(?<kept>["\\$`])/gu, "$<kept>");
}

function changeLast<T>(items: readonly T[], change: (last: T) => T): readonly T[] {
  return items.map((item, index) => (index === items.length - 1 ? change(item) : item));
}

/**
 * Maximum length of a command to parse, because parsing time grows with the length. Longer commands are not parsed and
 * therefore need permission.
 */
const MAX_LENGTH = 8_000;

let parser: Parser | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads tree-sitter's bash grammar once, in about 20 ms. Until the grammar is loaded, or if it cannot be loaded, no
 * command can be parsed, so every command needs permission.
 */
export async function loadGrammar(): Promise<void> {
  loading ??= load().catch(() => undefined);
  await loading;
}

/**
 * Returns the syntax tree, or undefined if the command is too long or cannot be parsed. The caller must call `delete`
 * on the tree.
 */
export function parseShell(text: string): Tree | undefined {
  if (parser === undefined || text.length > MAX_LENGTH) return undefined;
  try {
    parser.reset();
    return parser.parse(text) ?? undefined;
  } catch {
    // A crash in the WebAssembly code leaves the parser in an unknown state.
    parser = undefined;
    loading = undefined;
    return undefined;
  }
}

async function load(): Promise<void> {
  const { Language, Parser: ParserClass } = await import("web-tree-sitter");
  const runtime = packagedFile("web-tree-sitter.wasm", "web-tree-sitter/web-tree-sitter.wasm");
  const grammar = packagedFile("tree-sitter-bash.wasm", "tree-sitter-bash/tree-sitter-bash.wasm");
  await ParserClass.init({ wasmBinary: readFileSync(runtime) });
  const language = await Language.load(readFileSync(grammar));
  const made = new ParserClass();
  made.setLanguage(language);
  parser = made;
}
