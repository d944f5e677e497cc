import { type PathBytes, textOfPath } from "./files.ts";

/** Unicode characters that file systems pass over when they compare names, among them those that macOS does. */
const PASSED_OVER = /\p{Default_Ignorable_Code_Point}|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * A name as the most forgiving file system would take it: without letter case, without characters that are passed
 * over, without what Windows drops (dots and spaces at the end, a stream behind `:`) and up to a `\`, which
 * separates folders there. Two names that may be the same file somewhere are the same here.
 */
export function foldedName(name: string): string {
  const [first = ""] = name.normalize("NFKC").split(/[:\\]/u);
  return first
    .replace(PASSED_OVER, "")
    .toLowerCase()
    .replace(/[. ]+$/u, "");
}

/**
 * Whether some file system takes the name for `.git`, as git itself judges names that come from others: `.GIT`,
 * `.git. `, `git~1`, `.g\u200cit`, `.git::$INDEX_ALLOCATION`. Where file names are case-sensitive, a file of the user's own may
 * well be called so; but nothing that comes from outside may.
 */
export function isGitAlias(name: string): boolean {
  if (!isWorthFolding(name)) return false;
  const folded = foldedName(name);
  return folded === ".git" || folded === "git~1";
}

/** The same of a name in bytes, as file systems have it. */
export function isGitName(name: PathBytes): boolean {
  return isWorthFolding(name) && isGitAlias(textOfPath(name) ?? name);
}

const DOT = 0x2e;
const SMALL_G = 0x67;
const CASE_BIT = 0x20;
const NOT_ASCII = 0x80;

/** Most names are told apart by their first letter, and a capture asks about every one. */
function isWorthFolding(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= NOT_ASCII || first === DOT || (first | CASE_BIT) === SMALL_G;
}
