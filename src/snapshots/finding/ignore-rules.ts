import ignore, { type Ignore } from "ignore";
import { type PathBytes, textOfPath } from "../../record/files.ts";

/** Longer than any path, so it could match nothing that exists. */
const LONGEST_PATTERN = 8192;
const NOTHING: readonly string[] = [];

/**
 * What git would ignore. Never changed once made, and shared: a folder without a `.gitignore` has the rules of the
 * folder it is in.
 */
export class IgnoreRules {
  /** One list of all patterns, outermost first, each tied to its folder: the last that matches decides, as in git. */
  readonly #patterns: Ignore | undefined;

  private constructor(patterns: Ignore | undefined) {
    this.#patterns = patterns;
  }

  static of(outside: string): IgnoreRules {
    return new IgnoreRules(extended(undefined, linesOf(outside)));
  }

  /** These rules and those of `folder`, whose `.gitignore` holds `text`. */
  within(folder: PathBytes, text: string): IgnoreRules {
    const lines = linesOf(text).flatMap((line) => tiedTo(folder, line));
    return lines.length === 0 ? this : new IgnoreRules(extended(this.#patterns, lines));
  }

  /** Whether it, or a folder that it lies in, is ignored. Bytes that are no UTF-8 are matched one by one. */
  ignores(path: PathBytes, kind: "file" | "folder"): boolean {
    if (this.#patterns === undefined || path === "") return false;
    const text = textOfPath(path) ?? path;
    try {
      return this.#patterns.test(kind === "folder" ? `${text}/` : text).ignored;
    } catch {
      // A pattern that makes no regular expression matches nothing.
      return false;
    }
  }
}

/** `outside`: the rules that are in no folder, the weaker first: the person's own, then `.git/info/exclude`. */
export function rulesOf(outside: string): IgnoreRules {
  return IgnoreRules.of(outside);
}

function linesOf(text: string): readonly string[] {
  if (text === "") return NOTHING;
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && !line.startsWith("#") && isUsable(line));
}

function isUsable(line: string): boolean {
  return line.length <= LONGEST_PATTERN && !line.includes("\0");
}

function extended(before: Ignore | undefined, lines: readonly string[]): Ignore | undefined {
  if (lines.length === 0) return before;
  const patterns = ignore({ ignorecase: false });
  if (before !== undefined) patterns.add(before);
  for (const pattern of lines) addUsable(patterns, pattern);
  return patterns;
}

function addUsable(patterns: Ignore, pattern: string): void {
  try {
    const alone = ignore({ ignorecase: false }).add({ pattern });
    // Patterns become regular expressions when they are first used: one that cannot would spoil all others.
    alone.test("a/");
    patterns.add(alone);
  } catch {
    return;
  }
}

/** The pattern as it would stand in the workspace's own `.gitignore`. */
function tiedTo(folder: PathBytes, line: string): readonly string[] {
  if (folder === "") return [line];
  const sign = line.startsWith("!") ? "!" : "";
  const body = line.slice(sign.length);
  const bare = body.replace(/ +$/, "").replace(/\/$/, "");
  if (bare === "") return NOTHING;
  const above = `/${escaped(textOfPath(folder) ?? folder)}`;
  if (body.startsWith("/")) return [`${sign}${above}${body}`];
  return [`${sign}${above}/${bare.includes("/") ? "" : "**/"}${body}`];
}

function escaped(folder: string): string {
  return folder.replace(/[\\*?[\]! #]/g, "\\$&");
}
