import { posix } from "node:path";
import { parseShell } from "./plain-line.ts";
import { readShell, type ShellPart } from "./read-shell.ts";

/** Programs that run the command in their arguments. */
const WRAPPERS = new Set(
  (
    "sudo doas su env xargs nohup nice ionice timeout time command exec builtin stdbuf setsid chroot strace watch parallel " +
    "npx bunx busybox flock unshare nsenter script caffeinate"
  ).split(" "),
);
/** Programs that take a whole command line as one argument. */
const SHELLS = new Set("bash sh zsh dash ksh fish eval su ssh script watch parallel flock".split(" "));
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac in function select coproc time ! { } [[ ]]".split(
    " ",
  ),
);
const MAX_DEPTH = 20;
/** Maximum number of words to search for the command that a wrapper runs. */
const FARTHEST = 100;
/** Maximum number of command lines to read: the line itself and all lines nested in it. */
const MAX_LINES = 20_000;
const MAX_CHARACTERS = 400_000;
const MAX_COMMANDS = 50_000;

interface EveryCommand {
  readonly commands: readonly ShellPart[];
  /** "no" if the line contains more commands than could be read. */
  readonly whole: "yes" | "no";
}

/**
 * Returns every command that can be found in a line, including commands in substitutions and after assignments, `sudo`,
 * `xargs` and `bash -c`. Used for deny and ask rules. The result may include text that is not a command, and it cannot
 * be complete, because a variable may contain anything.
 */
export function everyCommand(text: string): EveryCommand {
  const search = new CommandSearch();
  search.line(text, 0);
  return search.found;
}

/** Returns the command itself, and every command in its words. */
export function unwrapped(part: ShellPart): readonly ShellPart[] {
  const search = new CommandSearch();
  search.part(part, 0);
  return search.found.commands;
}

/** Returns the program's name without its folder, such as `rm` for `/bin/rm`. */
export function programOf(words: readonly string[]): string {
  return posix.basename(words[0] ?? "");
}

class CommandSearch {
  /** Removes duplicates, because the same command is often found in several ways. */
  readonly #commands = new Map<string, ShellPart>();
  readonly #lines = new Set<string>();
  #characters = 0;
  #whole: EveryCommand["whole"] = "yes";

  get found(): EveryCommand {
    return { commands: [...this.#commands.values()], whole: this.#whole };
  }

  line(text: string, depth: number): void {
    if (this.#lines.has(text)) return;
    this.#characters += text.length;
    if (depth > MAX_DEPTH || this.#lines.size >= MAX_LINES || this.#characters > MAX_CHARACTERS) {
      this.#whole = "no";
      return;
    }
    this.#lines.add(text);
    const { parts, nested, plain } = readShell(text);
    for (const part of parts) this.part(part, depth);
    if (plain === "no") for (const part of roughParts(text)) this.part(part, depth);
    for (const inner of nested) this.line(inner, depth + 1);
  }

  part(part: ShellPart, depth: number): void {
    const words = withoutPreamble(part.words);
    this.#add({ words, files: part.files });
    // Assignments can name paths too.
    if (words.length < part.words.length) this.#add({ words: ["", ...part.words], files: [] });
    const program = programOf(words);
    const isWrapper =
      WRAPPERS.has(program) || (program === "find" && words.some((word) => /^-(?:exec|ok)/u.test(word)));
    if (!isWrapper) {
      this.#inShell(words, depth);
      return;
    }
    if (words.length > FARTHEST) this.#whole = "no";
    for (let from = 0; from < Math.min(words.length, FARTHEST); from += 1) {
      const candidate = words.slice(from);
      this.#add({ words: withoutPreamble(candidate), files: [] });
      this.#inShell(candidate, depth);
    }
  }

  #add(part: ShellPart): void {
    if (part.words.length === 0 && part.files.length === 0) return;
    const key = JSON.stringify(part);
    this.#characters += key.length;
    if (this.#commands.size >= MAX_COMMANDS || this.#characters > MAX_CHARACTERS) this.#whole = "no";
    else this.#commands.set(key, part);
  }

  /**
   * Reads the arguments of a shell as commands. Each argument may be a command line, and for `eval`, all arguments form
   * one line.
   */
  #inShell(words: readonly string[], depth: number): void {
    if (!SHELLS.has(programOf(words))) return;
    const given = words.slice(1);
    for (const word of [...given, given.join(" ")]) this.line(word, depth + 1);
  }
}

/** Removes shell keywords and assignments before the program, and expands `{a,b}`. */
function withoutPreamble(words: readonly string[]): readonly string[] {
  const first = words.findIndex(
    (word) => !RESERVED.has(word) && !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u.test(word),
  );
  if (first === -1) return [];
  const [program = "", ...rest] = words.slice(first);
  const braces = /^\{(?<inner>.*,.*)\}$/u.exec(program)?.groups?.["inner"];
  return [...(braces === undefined ? [program] : braces.split(",")), ...rest];
}

/** Splits the line wherever a command could begin. Ignores quotes, because shells may read the line differently. */
function roughParts(text: string): readonly ShellPart[] {
  return text.split(/[;&|\n()`{}]/u).map((piece) => ({
    words: piece
      .replace(/["'\\]/gu, "")
      .split(/\s+/u)
      .filter((word) => word !== "" && word !== "$"),
    files: [],
  }));
}

const MOST = 40;

/**
 * Returns the programs that a command line starts, in order and without duplicates. The programs are shown when the
 * user is asked about a line that is too long to display. The list may contain extra names, and does not cover the
 * contents of variables.
 */
export function programsIn(text: string): readonly string[] {
  const tree = parseShell(text);
  if (tree === undefined) return some(everyCommand(text).commands.map(({ words }) => programOf(words)));
  try {
    const names = tree.rootNode.descendantsOfType("command_name");
    // Parts of a line with a syntax error may still run.
    const rough = tree.rootNode.hasError
      ? everyCommand(text).commands.map(({ words }) => programOf(words))
      : [];
    return some([...names.flatMap((name) => name?.text ?? []), ...rough]);
  } finally {
    tree.delete();
  }
}

function some(names: readonly string[]): readonly string[] {
  const all = [...new Set(names.filter((name) => name !== ""))];
  return all.length <= MOST ? all : [...all.slice(0, MOST), "…"];
}
