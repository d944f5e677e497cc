import type { Kind, Wrong } from "../kinds.ts";

export interface ListOptions {
  /** Finishes the sentences "expected a list of ..." and "expected ...". */
  readonly items: string;
  readonly item: string;
  /** What is wrong with an item, or nothing. */
  readonly problemOf: (item: string) => string | undefined;
}

/** A list of texts. As text it is separated by commas or line breaks; a comma in parentheses or behind a backslash belongs to its item. */
export function listOf({ items, item, problemOf }: ListOptions): Kind<readonly string[]> {
  const wrongItem = (given: unknown, index: number): Wrong[] => {
    if (typeof given !== "string") return [{ path: [index], expected: item }];
    const why = problemOf(given);
    return why === undefined ? [] : [{ path: [index], expected: item, why }];
  };
  const wrongIn = (json: unknown): Wrong | undefined =>
    Array.isArray(json) ? json.flatMap(wrongItem)[0] : { path: [], expected: `a list of ${items} in [ ]` };
  const fromJson = (json: unknown): readonly string[] | undefined =>
    wrongIn(json) === undefined ? (json as readonly string[]).map((each) => each.trim()) : undefined;
  return {
    expected: `a list of ${items}`,
    fromJson,
    fromText: (text) => fromJson(splitList(text)),
    wrongIn,
    jsonOf: splitList,
  };
}

function splitList(text: string): readonly string[] {
  let depth = 0;
  let current = "";
  const items: string[] = [];
  for (const [token] of text.matchAll(/\\[^\n]|[\s\S]/gu)) {
    if (token === "(") depth += 1;
    if (token === ")") depth = Math.max(0, depth - 1);
    // A line break ends an item whatever is open, so that one forgotten parenthesis costs one line.
    if (token === "\n" || (token === "," && depth === 0)) {
      items.push(current);
      current = "";
      depth = 0;
    } else current += token;
  }
  return [...items, current].map((each) => each.trim()).filter((each) => each !== "");
}
