import { realpathSync } from "node:fs";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { nodePath } from "../../disk/held-folder.ts";
import { folderOf, type PathBytes, pathOfText, textOfPath } from "../../record/files.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { FindingContext } from "./folder-memory.ts";

/** Maximum length of a pattern. A pattern that is longer than any path cannot match anything. */
const MAX_PATTERN = 8192;
const NOTHING: readonly string[] = [];

/**
 * Decides which paths git would ignore. Instances are immutable and shared. A folder without a `.gitignore` inherits
 * its parent's rules.
 */
export class IgnoreRules {
  /**
   * A single list of all patterns, starting with the patterns of the outermost folder, each anchored to its folder. As
   * in git, the last match decides.
   */
  readonly #patterns: Ignore | undefined;

  private constructor(patterns: Ignore | undefined) {
    this.#patterns = patterns;
  }

  static of(outside: string): IgnoreRules {
    return new IgnoreRules(extended(undefined, linesOf(outside)));
  }

  /** Returns these rules together with the rules of `folder`, whose `.gitignore` contains `text`. */
  within(folder: PathBytes, text: string): IgnoreRules {
    const lines = linesOf(text).flatMap((line) => tiedTo(folder, line));
    return lines.length === 0 ? this : new IgnoreRules(extended(this.#patterns, lines));
  }

  /** Checks whether the path or a folder above it is ignored. Bytes that are not valid UTF-8 are matched one by one. */
  ignores(path: PathBytes, kind: "file" | "folder"): boolean {
    if (this.#patterns === undefined || path === "") return false;
    const text = textOfPath(path) ?? path;
    try {
      return this.#patterns.test(kind === "folder" ? `${text}/` : text).ignored;
    } catch {
      // A pattern that is not a valid regular expression does not match anything.
      return false;
    }
  }
}

/**
 * Creates the rules that apply at the root of the workspace. `outside` contains the rules that are not in a workspace
 * folder, in increasing order of precedence: the user's own rules, then `.git/info/exclude`.
 */
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
  return line.length <= MAX_PATTERN && !line.includes("\0");
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
    // The pattern is tested alone first. Patterns become regular expressions on first use, and a single invalid pattern
    // would break all other patterns.
    alone.test("a/");
    patterns.add(alone);
  } catch {
    return;
  }
}

/** Rewrites the pattern as if it were in the workspace's own `.gitignore`. */
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

export const RULES_NAME = ".gitignore";

/**
 * The rules for each folder. They are read when they are first needed. Each scan creates a new instance, so that the
 * rules are never outdated.
 */
export class RuleBook {
  readonly #context: FindingContext;
  readonly #rules = new Map<PathBytes, IgnoreRules>();

  constructor(context: FindingContext) {
    this.#context = context;
  }

  /** Returns the rules for the contents of `folder`. */
  in(folder: PathBytes): IgnoreRules {
    const unknown: PathBytes[] = [];
    let at = folder;
    let rules = this.#rules.get(at);
    while (rules === undefined) {
      unknown.push(at);
      rules = at === "" ? this.#context.outside : this.#rules.get(folderOf(at));
      at = folderOf(at);
    }
    for (const path of unknown.reverse()) {
      const text = this.#textOf(path);
      if (text !== undefined) rules = rules.within(path, text);
      this.#rules.set(path, rules);
    }
    return rules;
  }

  /** Drops all cached rules, because some have changed. */
  forget(): void {
    this.#rules.clear();
  }

  #textOf(folder: PathBytes): string | undefined {
    const { disk, root, folders } = this.#context;
    const memory = folders.get(folder);
    // This walker already knows whether its own folders have a `.gitignore`. In a folder that belongs to another
    // walker, the file must be read to find out whether it exists.
    if (memory !== undefined && memory.search(RULES_NAME) < 0) return undefined;
    return readRules(disk, folder === "" ? `${root}/${RULES_NAME}` : `${root}/${folder}/${RULES_NAME}`);
  }
}

interface OutsidePlaces {
  readonly disk: WorkspaceDisk;
  /** The absolute path of the workspace. */
  readonly root: PathBytes;
  readonly home: string;
  /** The value of `XDG_CONFIG_HOME`, if it is set. */
  readonly config: string | undefined;
}

/**
 * Reads the ignore rules outside the workspace, in increasing order of precedence. Does not run git or read git's
 * configuration, because the configuration can name programs to run.
 */
export function readOutsideRules(places: OutsidePlaces): string {
  const { disk, root, home } = places;
  const config = places.config === undefined || places.config === "" ? join(home, ".config") : places.config;
  const own = readRules(disk, `${realPathOf(pathOfText(join(config, "git")))}/ignore`);
  const excluded = readRules(disk, `${realPathOf(`${root}/.git/info`)}/exclude`);
  return [own, excluded].filter((text) => text !== undefined).join("\n");
}

/** Resolves links, because some users keep their configuration in a repository and link to it. */
function realPathOf(folder: PathBytes): PathBytes {
  try {
    return realpathSync.native(nodePath(folder), { encoding: "latin1" });
  } catch {
    return folder;
  }
}

/**
 * Returns the text of the file, or undefined if the file does not exist, cannot be read, or is a link (which git does
 * not follow either).
 */
function readRules(disk: WorkspaceDisk, path: PathBytes): string | undefined {
  try {
    return disk.readFile(path).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
