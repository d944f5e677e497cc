import { posix } from "node:path";
import { readShell, type ShellPart } from "./read-shell.ts";

/** Programs that run what their arguments say, word by word. */
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
const DEEPEST = 5;
/** How far into its arguments the command of a wrapper is looked for. */
const FARTHEST = 40;

/**
 * Every command that can be seen in a line, behind assignments, `sudo`, `xargs`, `bash -c` and substitutions too. For rules that
 * narrow: it may see commands that are none, and cannot see all (a variable may hold anything).
 */
export function everyCommand(text: string, depth = 0): readonly ShellPart[] {
  if (depth > DEEPEST) return [];
  const { parts, nested, plain } = readShell(text);
  const seen = plain === "yes" ? parts : [...parts, ...roughParts(text)];
  return [
    ...seen.flatMap((part) => unwrapped(part, depth)),
    ...nested.flatMap((inner) => everyCommand(inner, depth + 1)),
  ];
}

/** Without its place: `/bin/rm` is rm. */
export function programOf(words: readonly string[]): string {
  return posix.basename(words[0] ?? "");
}

/** The command itself, and every one that can be seen in its words. */
export function unwrapped(part: ShellPart, depth = 0): readonly ShellPart[] {
  const words = withoutPreamble(part.words);
  const all = [{ words, files: part.files }];
  // Assignments name paths too.
  if (words.length < part.words.length) all.push({ words: ["", ...part.words], files: [] });
  const program = programOf(words);
  const isWrapper =
    WRAPPERS.has(program) || (program === "find" && words.some((word) => /^-(?:exec|ok)/u.test(word)));
  const candidates = isWrapper
    ? words.slice(0, FARTHEST).map((_, from) => words.slice(from, from + 5 * FARTHEST))
    : [words];
  for (const candidate of candidates) {
    if (isWrapper) all.push({ words: withoutPreamble(candidate), files: [] });
    all.push(...inShell(candidate, depth));
  }
  return all.filter((each) => each.words.length > 0 || each.files.length > 0);
}

/** What a shell is given to run: any of its arguments may be it, and all of them together for `eval`. */
function inShell(words: readonly string[], depth: number): readonly ShellPart[] {
  if (!SHELLS.has(programOf(words))) return [];
  const given = words.slice(1, FARTHEST);
  return [...given, given.join(" ")].flatMap((word) => everyCommand(word, depth + 1));
}

/** Without words of the shell's grammar and assignments before the program; `{a,b}` is what it becomes. */
function withoutPreamble(words: readonly string[]): readonly string[] {
  const first = words.findIndex(
    (word) => !RESERVED.has(word) && !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u.test(word),
  );
  if (first === -1) return [];
  const [program = "", ...rest] = words.slice(first);
  const braces = /^\{(?<inner>.*,.*)\}$/u.exec(program)?.groups?.["inner"];
  return [...(braces === undefined ? [program] : braces.split(",")), ...rest];
}

/** The line cut wherever a command could begin, quotes or not: for when it is not sure how a shell reads it. */
function roughParts(text: string): readonly ShellPart[] {
  return text.split(/[;&|\n()`{}]/u).map((piece) => ({
    words: piece
      .replace(/["'\\]/gu, "")
      .split(/\s+/u)
      .filter((word) => word !== "" && word !== "$"),
    files: [],
  }));
}
