import type { ModelRowSettings, ProviderKind, ProviderSettings } from "../../agent/models/catalogue.ts";
import { parseRule } from "../../agent/permissions/rules.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { ExpectedValue, PathInValue, WhyUnexpected } from "../../strings/errors/expected-value.ts";

/**
 * The possible values of a setting, and functions that read them from JSON and from text (a variable, a flag, `config
 * set`).
 */
export interface Kind<Value extends SettingValue> {
  readonly expected: ExpectedValue;
  readonly fromJson: (json: unknown) => Value | undefined;
  readonly fromText: (text: string) => Value | undefined;
  /** Finds the wrong part of a value that has parts, so that the message can point to it. */
  readonly wrongIn?: (json: unknown) => Wrong | undefined;
  /** Converts text to the corresponding JSON value, for `wrongIn`. */
  readonly jsonOf?: (text: string) => unknown;
}

export type SettingValue = boolean | number | string | readonly string[] | SettingTable;

/** A setting's rows, by name. */
export type SettingTable = Readonly<Record<string, object>>;

/** The part of a value that is wrong. */
interface Wrong {
  /** The property names and indexes that lead from the value to the wrong part. */
  readonly path: PathInValue;
  readonly expected: ExpectedValue;
  readonly why?: WhyUnexpected;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["true", true],
  ["yes", true],
  ["on", true],
  ["0", false],
  ["false", false],
  ["no", false],
  ["off", false],
]);

export const onOrOff: Kind<boolean> = {
  expected: { is: "true-or-false" },
  fromJson: (json) => (typeof json === "boolean" ? json : undefined),
  fromText: (text) => words.get(text.trim().toLowerCase()),
};

export const text: Kind<string> = {
  expected: { is: "text" },
  fromJson: (json) => (typeof json === "string" ? json.trim() : undefined),
  fromText: (given) => given.trim(),
};

export function whole({ from, to }: Range): Kind<number> {
  return numeric(
    { is: "whole-number", from, to },
    (number) => Number.isInteger(number) && number >= from && number <= to,
  );
}

/** Returns the kind for a whole number or a word such as "auto" that leaves the decision to the program. */
export function wholeOr<const Word extends string>(word: Word, range: Range): Kind<number | Word> {
  const number = whole(range);
  return {
    expected: { is: "whole-number-or", word, ...range },
    fromJson: (json) => (json === word ? word : number.fromJson(json)),
    fromText: (given) => (given.trim() === word ? word : number.fromText(given)),
  };
}

export function fraction({ from, to }: Range): Kind<number> {
  return numeric({ is: "number", from, to }, (number) => number >= from && number <= to);
}

export function oneOf<const Word extends string>(...choices: readonly Word[]): Kind<Word> {
  const find = (given: unknown) => choices.find((choice) => choice === given);
  return { expected: { is: "one-of", choices }, fromJson: find, fromText: find };
}

function numeric(expected: ExpectedValue, fits: (number: number) => boolean): Kind<number> {
  const fromJson = (json: unknown) => (typeof json === "number" && fits(json) ? json : undefined);
  // Only plain decimals are accepted, because Number("") is 0 and Number("0x10") is 16, neither of which a user would
  // mean.
  const fromText = (given: string) =>
    /^\s*-?\d+(\.\d+)?\s*$/u.test(given) ? fromJson(Number(given)) : undefined;
  return { expected, fromJson, fromText };
}

interface ListOptions {
  readonly expected: {
    readonly items: ExpectedValue;
    readonly itemsInJson: ExpectedValue;
    readonly item: ExpectedValue;
  };
  /** Returns the problem with an item, or undefined if it is valid. */
  readonly problemOf: (item: string) => WhyUnexpected | undefined;
}

/**
 * Returns the kind for a list of strings. In text form, items are separated by commas or line breaks. A comma in
 * parentheses or after a backslash is part of its item.
 */
function listOf({ expected, problemOf }: ListOptions): Kind<readonly string[]> {
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
    // A line break always ends an item, even inside parentheses, so that a missing parenthesis affects only one line.
    if (token === "\n" || (token === "," && depth === 0)) {
      items.push(current);
      current = "";
      depth = 0;
    } else current += token;
  }
  return [...items, current].map((each) => each.trim()).filter((each) => each !== "");
}

/** The valid values of a field. */
interface Field {
  readonly expected: ExpectedValue;
  readonly isRequired: "yes" | "no";
  readonly fits: (json: unknown) => boolean;
}

interface TableOptions {
  readonly expected: ExpectedValue;
  /** The valid names of rows. */
  readonly names: { readonly expected: ExpectedValue; readonly fits: (name: string) => boolean };
  readonly fields: Readonly<Record<string, Field>>;
}

/** Returns the kind for a table that maps names to rows with known fields. A table given as text must also be JSON. */
function tableOf<Row extends object>(options: TableOptions): Kind<Readonly<Record<string, Row>>> {
  const wrongIn = (json: unknown): Wrong | undefined => {
    if (!isJsonObject(json)) return { path: [], expected: options.expected };
    for (const [name, row] of Object.entries(json)) {
      if (!options.names.fits(name)) {
        const expected = { is: "name", of: options.names.expected } as const;
        return { path: [name], expected, why: { is: "no-such-name", name } };
      }
      const wrong = wrongInRow(options.fields, row);
      if (wrong !== undefined) return { ...wrong, path: [name, ...wrong.path] };
    }
    return undefined;
  };
  const fromJson = (json: unknown) =>
    wrongIn(json) === undefined ? (json as Readonly<Record<string, Row>>) : undefined;
  return {
    expected: options.expected,
    fromJson,
    fromText: (text) => fromJson(parsed(text)),
    wrongIn,
    jsonOf: parsed,
  };
}

function wrongInRow(fields: TableOptions["fields"], row: unknown): Wrong | undefined {
  if (!isJsonObject(row)) return { path: [], expected: { is: "object" } };
  for (const [name, value] of Object.entries(row)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const expected = { is: "one-name-of", names: Object.keys(fields) } as const;
      return { path: [name], expected, why: { is: "no-such-name", name } };
    }
    if (!field.fits(value)) return { path: [name], expected: { is: "field", name, of: field.expected } };
  }
  const missing = Object.entries(fields).find(
    ([name, { isRequired }]) => isRequired === "yes" && !Object.hasOwn(row, name),
  );
  return missing === undefined
    ? undefined
    : { path: [], expected: { is: "field", name: missing[0], of: missing[1].expected } };
}

/** Parses JSON. Returns undefined if the text is not JSON, in which case it is not a table either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const rules: Kind<readonly string[]> = listOf({
  expected: { items: { is: "rules" }, itemsInJson: { is: "rules-in-brackets" }, item: { is: "rule" } },
  problemOf: (item) => {
    const parsed = parseRule(item);
    return "problem" in parsed ? { is: "no-rule", problem: parsed.problem } : undefined;
  },
});

const tokens: Field = {
  expected: { is: "tokens" },
  isRequired: "no",
  fits: (json) => typeof json === "number" && Number.isInteger(json) && json > 0,
};

const price: Field = {
  expected: { is: "price" },
  isRequired: "no",
  fits: (json) => typeof json === "number" && json >= 0,
};

export const models: Kind<Readonly<Record<string, ModelRowSettings>>> = tableOf({
  expected: { is: "models" },
  names: { expected: { is: "model-of-provider" }, fits: (name) => /^[^/\s]+\/\S+$/u.test(name) },
  fields: {
    window: tokens,
    maxOutput: tokens,
    input: price,
    output: price,
    cacheRead: price,
    cacheWrite: price,
  },
});

const providerKinds: readonly ProviderKind[] = ["anthropic", "openai", "openai-chat", "compatible", "ollama"];

export const providers: Kind<Readonly<Record<string, ProviderSettings>>> = tableOf({
  expected: { is: "providers" },
  names: {
    expected: { is: "provider-name" },
    fits: (name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name),
  },
  fields: {
    kind: {
      expected: { is: "one-of", choices: providerKinds },
      isRequired: "yes",
      fits: (json) => providerKinds.some((kind) => kind === json),
    },
    baseUrl: {
      expected: { is: "web-address" },
      isRequired: "yes",
      fits: (json) => typeof json === "string" && isWebAddress(json),
    },
    keyVariable: {
      expected: { is: "variable-name" },
      isRequired: "no",
      fits: (json) => typeof json === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(json),
    },
    model: {
      expected: { is: "model-name" },
      isRequired: "no",
      fits: (json) => typeof json === "string" && json !== "",
    },
  },
});

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}

/** Formats a value as users write it in a variable or a flag. Reading the text again returns the same value. */
export function valueText(value: SettingValue): string {
  if (typeof value !== "object") return String(value);
  return isList(value) ? value.join("\n") : JSON.stringify(value);
}

/** Formats a value on one line, for display. */
export function shownValue(value: SettingValue): string {
  if (typeof value !== "object") return value === "" ? "none" : String(value);
  if (Object.keys(value).length === 0) return "none";
  return isList(value) ? value.join(", ") : JSON.stringify(value);
}

/**
 * Checks whether a value is a list. As a type guard, `Array.isArray` does not distinguish a readonly array from an
 * object.
 */
export function isList(value: SettingValue): value is readonly string[] {
  return Array.isArray(value);
}
