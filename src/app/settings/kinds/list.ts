import type { ExpectedValue, WhyUnexpected } from "../../../strings/errors/expected-value.ts";
import type { Kind, Wrong } from "../kinds.ts";

export interface ListOptions {
  readonly expected: {
    readonly items: ExpectedValue;
    readonly itemsInJson: ExpectedValue;
    readonly item: ExpectedValue;
  };
  /** What is wrong with an item, or nothing. */
  readonly problemOf: (item: string) => WhyUnexpected | undefined;
}

/** A list of texts. As text it is separated by commas or line breaks; a comma in parentheses or behind a backslash belongs to its item. */
export function listOf({ expected, problemOf }: ListOptions): Kind<readonly string[]> {
  const wrongItem = (given: unknown, index: number): Wrong[] => {
    if (typeof given !== "string") return [{ path: [index], expected: expected.item }];
    const why = problemOf(given);
    return why === undefined ? [] : [{ path: [index], expected: expected.item, why }];
  };
  const wrongIn = (json: unknown): Wrong | undefined =>
    Array.isArray(json) ? json.flatMap(wrongItem)[0] : { path: [], expected: expected.itemsInJson };
  const fromJson = (json: unknown): readonly string[] | undefined =>
    wrongIn(json) === undefined ? (json as readonly string[]).map((each) => each.trim()) : undefined;
  return {
    expected: expected.items,
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
