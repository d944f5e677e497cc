import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import type { Completion } from "../commands/command.ts";
import { flat, oneLine, typable } from "../look/printable.ts";
import type { FileMentions } from "./file-mentions.ts";

/** What can stand in place of `prefix`, which ends where the cursor is. */
export interface Suggested {
  readonly prefix: string;
  readonly items: readonly Completion[];
}

export interface CompletionSources {
  /** `before`: the first line, from its slash to the cursor. */
  slash(before: string, how: "typed" | "tab"): Promise<Suggested | undefined>;
  readonly files: FileMentions;
}

interface Applied {
  lines: string[];
  cursorLine: number;
  cursorCol: number;
}

/** Completes commands, what stands behind them, and mentions of files. */
export class Completing implements AutocompleteProvider {
  readonly #sources: CompletionSources;
  #latest: { readonly before: string; readonly suggested: Suggested } | undefined;

  constructor(sources: CompletionSources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    line: number,
    ...[column, { force }]: [number, { signal: AbortSignal; force?: boolean }]
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[line] ?? "").slice(0, column);
    const suggested = await this.#suggest(before, {
      line: line === 0 ? "first" : "later",
      how: force === true ? "tab" : "typed",
      // A shell would take the sign for a part of the name.
      sign: (lines[0] ?? "").trimStart().startsWith("!") ? "" : "@",
    });
    if (suggested === undefined || suggested.items.length === 0) return null;
    this.#latest = { before, suggested };
    return { prefix: suggested.prefix, items: suggested.items.map(asItem) };
  }

  applyCompletion(lines: string[], cursorLine: number, ...rest: [number, AutocompleteItem, string]): Applied {
    const [column, { value }, prefix] = rest;
    const line = lines[cursorLine] ?? "";
    const before = line.slice(0, column - prefix.length) + value;
    const changed = lines.with(cursorLine, before + line.slice(column));
    return { lines: changed, cursorLine, cursorCol: before.length };
  }

  /**
   * "stale": more was typed since the list was made. Taking a row of it then would put something else into the text than
   * what was typed. "whole": what stands there is one of the rows already. "apart": it is a number, or a word that the first row
   * does not begin with, so Enter means what was typed.
   */
  fits(before: string): "stale" | "whole" | "apart" | "open" {
    if (this.#latest?.before !== before) return "stale";
    const { prefix, items } = this.#latest.suggested;
    if (items.some(({ value }) => value.trimEnd() === prefix)) return "whole";
    return isApart(prefix, items[0]?.value ?? "") ? "apart" : "open";
  }

  async #suggest(before: string, { line, how, sign }: Typing): Promise<Suggested | undefined> {
    const begun = before.trimStart();
    if (line === "first" && /^\/[a-z-]*(?:\s|$)/iu.test(begun)) return this.#sources.slash(begun, how);
    const mention = /(?:^|\s)(@"[^"]*|@[^\s"]*)$/u.exec(before)?.[1];
    if (mention !== undefined) return this.#mentions(mention, sign);
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

/** Names of commands and files may be typed in part; what stands behind a command is meant as it stands. */
function isApart(prefix: string, first: string): boolean {
  if (prefix === "" || /^[/@"]/u.test(prefix)) return false;
  return /^-?\d+$/u.test(prefix) || !first.toLowerCase().startsWith(prefix.toLowerCase());
}

interface Typing {
  readonly line: "first" | "later";
  readonly how: "typed" | "tab";
  readonly sign: "@" | "";
}

/** Names of files and titles may hold anything. */
function asItem({ value, description }: Completion): AutocompleteItem {
  const item = { value: flat(typable(value)), label: oneLine(value) };
  return description === undefined ? item : { ...item, description: oneLine(description) };
}
