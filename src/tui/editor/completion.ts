import type { AsyncFzf, FzfResultItem } from "fzf";
import { flat, oneLine, typable } from "../look/text.ts";
import { lineStart } from "./text-layout.ts";

const FRESH_MS = 5_000;
const MAX_FILES = 20;
/** How long typing must pause before files are searched. */
const PAUSE_MS = 20;

/** Finds the files that a user may want to mention, given some letters of their paths. */
export interface FileMentions {
  /** Resolves with the best matches first, or with an empty list if a later search has replaced this one. */
  find(letters: string): Promise<readonly string[]>;
}

/**
 * Fetches the list of files once, and again when it is outdated. The old list is used until the new one arrives, so
 * that the user waits for a walk through the workspace only once.
 */
export function fileMentions(list: () => Promise<readonly string[]>, now: () => number): FileMentions {
  let known: { readonly files: readonly string[]; readonly finder: Finder; readonly at: number } | undefined;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      // The package is loaded at the first mention of a file, because it builds tables when it is loaded.
      const [files, { AsyncFzf }] = await Promise.all([list(), import("fzf")]);
      known = {
        files,
        finder: new AsyncFzf([...files], { limit: MAX_FILES, casing: "smart-case" }),
        at: now(),
      };
    } catch {
      // If the list cannot be read, nothing is suggested. The next letter tries again.
    } finally {
      asking = undefined;
    }
  };
  return {
    find: async (letters) => {
      if (known === undefined || now() - known.at > FRESH_MS) asking ??= ask();
      if (known === undefined) await asking;
      if (known === undefined) return [];
      return letters === "" ? nearest(known.files) : found(known.finder, letters);
    },
  };
}

type Finder = AsyncFzf<string[]>;

async function found(finder: Finder, letters: string): Promise<readonly string[]> {
  try {
    return (await finder.find(letters)).map(({ item }: FzfResultItem<string>) => item);
  } catch {
    // The fuzzy finder rejects a search if a newer one has started.
    return [];
  }
}

function nearest(files: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split("/").length;
  return files.toSorted((one, other) => depth(one) - depth(other)).slice(0, MAX_FILES);
}

/** One possible completion of the text. */
export interface Completion {
  readonly value: string;
  readonly description?: string;
}

/** The items that can replace `prefix`, which ends at the cursor. */
export interface Suggested {
  readonly prefix: string;
  readonly items: readonly Completion[];
}

export interface CompletionSources {
  /** Returns completions for a command. `before` is the first line, from its slash to the cursor. */
  slash(before: string, how: "typed" | "tab"): Promise<Suggested | undefined>;
  readonly files: FileMentions;
}

/** The text and the position of the cursor. The text before the cursor is completed. */
interface Typing {
  readonly text: string;
  readonly cursor: number;
}

/** The list of suggestions below the text. */
export interface CompletionList extends Suggested {
  /** The line up to the cursor at the time when the list was created. */
  readonly before: string;
  readonly selected: number;
  /** "chosen": the user chose the row with the arrow keys, so Enter accepts it even if the typed text is complete. */
  readonly row: "first" | "chosen";
  readonly how: "typed" | "tab";
}

/** The replacement for the text from `from` to `to`. */
export interface Taken {
  readonly from: number;
  readonly to: number;
  readonly by: string;
  /** "command": with the replacement, the text is a complete command, so Enter sends it. */
  readonly is: "command" | "word";
}

interface CompleterDeps {
  /** Called when Tab has found exactly one file. */
  take(taken: Taken): void;
  /** Called when the list has changed or closed. */
  changed(): void;
}

const MENTION = /(?:^|\s)(@"[^"]*|@[^\s"]*)$/u;

/** Completes commands, their arguments and file mentions while the user types. */
export class Completer {
  readonly #sources: CompletionSources;
  readonly #ends: CompleterDeps;
  #list: CompletionList | undefined;
  /** Number of the latest request. Answers to earlier requests are discarded. */
  #asked = 0;

  constructor(sources: CompletionSources, ends: CompleterDeps) {
    this.#sources = sources;
    this.#ends = ends;
  }

  get list(): CompletionList | undefined {
    return this.#list;
  }

  close(): void {
    this.#asked += 1;
    this.#list = undefined;
  }

  /**
   * Updates or opens the list. Called after a letter was typed or erased. A closed list opens if the text is the
   * beginning of something that can be completed, but never because of a space.
   */
  follow(typing: Typing, key: "letter" | "space" | "erased"): void {
    const { before, line } = placeOf(typing);
    const begins = key !== "space" && (isSlash(before, line) || MENTION.test(before));
    if (this.#list !== undefined) this.#ask(typing, this.#list.how, "show");
    else if (begins) this.#ask(typing, "typed", "show");
    else this.close();
  }

  /** Handles the Tab key while no list is open. */
  tab(typing: Typing): void {
    const { before, line } = placeOf(typing);
    const isName = isSlash(before, line) && !before.trimStart().includes(" ");
    this.#ask(typing, isName ? "typed" : "tab", isName ? "show" : "take one");
  }

  move(direction: "up" | "down"): void {
    const list = this.#list;
    if (list === undefined) return;
    const all = list.items.length;
    const selected = (list.selected + (direction === "up" ? all - 1 : 1)) % all;
    this.#list = { ...list, selected, row: "chosen" };
  }

  /**
   * Closes the list and returns the replacement for its row. Returns undefined if the typed text is meant literally.
   */
  take(typing: Typing, key: "enter" | "tab"): Taken | undefined {
    const list = this.#list;
    this.close();
    if (list === undefined) return undefined;
    const fits = fitsOf(list, placeOf(typing).before);
    const isMeant = fits !== "open" && key === "enter" && list.row === "first";
    return fits === "stale" || isMeant ? undefined : takenFrom(list, list.selected, typing);
  }

  #ask(typing: Typing, how: "typed" | "tab", then: "show" | "take one"): void {
    this.#asked += 1;
    void this.#answer(this.#asked, typing, { how, then });
  }

  async #answer(
    asked: number,
    typing: Typing,
    { how, then }: { readonly how: "typed" | "tab"; readonly then: "show" | "take one" },
  ): Promise<void> {
    const { before } = placeOf(typing);
    if (how === "typed" && MENTION.test(before)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (asked !== this.#asked) return;
    }
    // If there are no suggestions, the user simply continues to type.
    const suggested = await this.#suggest(typing, how).catch(() => undefined);
    if (asked !== this.#asked) return;
    const hadNone = this.#list === undefined;
    this.#list = listOf(suggested, before, how);
    if (this.#list === undefined && hadNone) return;
    if (then === "take one" && this.#list?.items.length === 1) {
      const taken = takenFrom(this.#list, 0, typing);
      this.close();
      this.#ends.take(taken);
    }
    this.#ends.changed();
  }

  async #suggest(typing: Typing, how: "typed" | "tab"): Promise<Suggested | undefined> {
    const { before, line } = placeOf(typing);
    const begun = before.trimStart();
    if (line === "first" && /^\/[a-z-]*(?:\s|$)/iu.test(begun)) return this.#sources.slash(begun, how);
    const mention = MENTION.exec(before)?.[1];
    // A shell would treat the `@` as part of the name.
    if (mention !== undefined) return this.#mentions(mention, isShell(typing) ? "" : "@");
    const word = /\S+$/u.exec(before)?.[0];
    return how === "tab" && word !== undefined ? this.#mentions(word, "") : undefined;
  }

  async #mentions(prefix: string, sign: "@" | ""): Promise<Suggested> {
    const files = await this.#sources.files.find(prefix.replace(/^@?"?/u, ""));
    return {
      prefix,
      items: files.map((path) => ({ value: `${sign}${path.includes(" ") ? `"${path}"` : path} ` })),
    };
  }
}

function placeOf({ text, cursor }: Typing): { readonly before: string; readonly line: "first" | "later" } {
  const start = lineStart(text, cursor);
  return { before: text.slice(start, cursor), line: start === 0 ? "first" : "later" };
}

function isSlash(before: string, line: "first" | "later"): boolean {
  return line === "first" && before.trimStart().startsWith("/");
}

function isShell({ text }: Typing): boolean {
  return text.trimStart().startsWith("!");
}

/**
 * Opens a list. Initially, the row that matches exactly is chosen. If there is none, it is the first row that begins
 * with the typed text.
 */
function listOf(
  suggested: Suggested | undefined,
  before: string,
  how: "typed" | "tab",
): CompletionList | undefined {
  if (suggested === undefined || suggested.items.length === 0) return undefined;
  const { prefix } = suggested;
  // File names and titles can contain any characters.
  const items = suggested.items.map(({ value, description }) => ({
    value: flat(typable(value)),
    ...(description === undefined ? {} : { description: oneLine(description) }),
  }));
  const exact = items.findIndex(({ value }) => value === prefix);
  const begun = items.findIndex(({ value }) => value.startsWith(prefix));
  const selected = Math.max(0, exact === -1 ? begun : exact);
  return { prefix, items, before, how, selected, row: "first" };
}

function takenFrom({ prefix, items }: CompletionList, index: number, { cursor }: Typing): Taken {
  return {
    from: cursor - prefix.length,
    to: cursor,
    by: items[index]?.value ?? prefix,
    is: prefix.startsWith("/") ? "command" : "word",
  };
}

/**
 * Returns how a list is related to the typed text. "stale": the user has typed more since the list was created, so its
 * rows may no longer match. "whole": the text is already equal to one of the rows. "apart": the text is a number or a
 * word that the first row does not begin with, so Enter accepts the text itself. "open": none of these.
 */
function fitsOf(list: CompletionList, before: string): "stale" | "whole" | "apart" | "open" {
  if (list.before !== before) return "stale";
  const { prefix, items } = list;
  if (items.some(({ value }) => value.trimEnd() === prefix)) return "whole";
  return isApart(prefix, items[0]?.value ?? "") ? "apart" : "open";
}

/**
 * Checks whether the text is meant literally. Names of commands and files can be typed in part, but a command's
 * arguments are meant literally.
 */
function isApart(prefix: string, first: string): boolean {
  if (prefix === "" || /^[/@"]/u.test(prefix)) return false;
  return /^-?\d+$/u.test(prefix) || !first.toLowerCase().startsWith(prefix.toLowerCase());
}
