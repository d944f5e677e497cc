import type { ShellPart } from "./read-shell.ts";

/** These look at exactly what they name, whatever their options. */
const NAMED = new Set(
  "ls cat head tail wc pwd cd echo stat basename dirname realpath true false which test [".split(" "),
);
/** These look at more than they name. */
const WIDE = new Set("grep egrep fgrep du df diff cmp".split(" "));
const GIT = new Set([
  "status",
  "diff",
  "log",
  "show",
  "blame",
  "rev-parse",
  "ls-files",
  "describe",
  "shortlog",
]);
const EXACT = new Set([
  "git branch",
  "git branch -a",
  "git branch --show-current",
  "git remote -v",
  "git stash list",
  "git tag",
  "date",
  "whoami",
  "uname",
  "uname -a",
  "node --version",
  "node -v",
  "npm --version",
  "npm -v",
  "python --version",
  "python3 --version",
]);

/**
 * Whether a simple command only looks, so that no mode asks about it. A short list on purpose: a program that can be told to
 * write or to run another one is not on it, or not with the options that tell it to. "sealed": some paths may not be read, so only what
 * names all that it reads counts.
 */
export function isReadOnly({ words, files }: ShellPart, paths: "open" | "sealed"): boolean {
  const [program = "", second = ""] = words;
  if (files.some((file) => file !== "/dev/null") || words.some((word) => word.includes("$"))) return false;
  if (EXACT.has(words.join(" "))) return true;
  if (NAMED.has(program)) return paths === "open" || !words.some((word) => /[*?[{]/u.test(word));
  if (paths === "sealed") return program === "git" && second === "status";
  if (program === "git")
    return GIT.has(second) && !words.some((word) => /^(?:-o|--output|--ext-diff|--textconv|-O)/u.test(word));
  return WIDE.has(program);
}
