import type { ExpectedValue, PathInValue, WhyUnexpected } from "../../strings/errors/expected-value.ts";

/** What a setting's value may be, and how it is read from JSON and from text (a variable, a flag, `config set`). */
export interface Kind<Value extends SettingValue> {
  readonly expected: ExpectedValue;
  readonly fromJson: (json: unknown) => Value | undefined;
  readonly fromText: (text: string) => Value | undefined;
  /** For values with parts: which of them is wrong, so that the message can point at it. */
  readonly wrongIn?: (json: unknown) => Wrong | undefined;
  /** What a text would be as JSON, for `wrongIn`. */
  readonly jsonOf?: (text: string) => unknown;
}

export type SettingValue = boolean | number | string | readonly string[] | SettingTable;

/** Rows by name. */
export type SettingTable = Readonly<Record<string, object>>;

/** The one part of a value that is not as it must be. */
export interface Wrong {
  /** From the value to the part: names and places. */
  readonly path: PathInValue;
  readonly expected: ExpectedValue;
  readonly why?: WhyUnexpected;
}

export interface Range {
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

/** A whole number, or a word for what the program decides by itself. */
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
  // Plain decimals only: Number("") is 0 and Number("0x10") is 16, and nobody meant either.
  const fromText = (given: string) =>
    /^\s*-?\d+(\.\d+)?\s*$/u.test(given) ? fromJson(Number(given)) : undefined;
  return { expected, fromJson, fromText };
}
