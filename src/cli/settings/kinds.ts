/** What a setting's value may be, and how it is read from JSON and from text (a variable, a flag, `config set`). */
export interface Kind<Value extends SettingValue> {
  /** Finishes the sentence "expected ...". */
  readonly expected: string;
  readonly fromJson: (json: unknown) => Value | undefined;
  readonly fromText: (text: string) => Value | undefined;
}

export type SettingValue = boolean | number | string;

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
  expected: "true or false",
  fromJson: (json) => (typeof json === "boolean" ? json : undefined),
  fromText: (text) => words.get(text.trim().toLowerCase()),
};

export function whole({ from, to }: Range): Kind<number> {
  return numeric(
    `a whole number from ${from} to ${to}`,
    (number) => Number.isInteger(number) && number >= from && number <= to,
  );
}

export function fraction({ from, to }: Range): Kind<number> {
  return numeric(`a number from ${from} to ${to}`, (number) => number >= from && number <= to);
}

export function oneOf<const Word extends string>(...choices: readonly Word[]): Kind<Word> {
  const find = (given: unknown) => choices.find((choice) => choice === given);
  return { expected: choices.map((choice) => `"${choice}"`).join(" or "), fromJson: find, fromText: find };
}

function numeric(expected: string, fits: (number: number) => boolean): Kind<number> {
  const fromJson = (json: unknown) => (typeof json === "number" && fits(json) ? json : undefined);
  // Plain decimals only: Number("") is 0 and Number("0x10") is 16, and nobody meant either.
  const fromText = (text: string) =>
    /^\s*-?\d+(\.\d+)?\s*$/u.test(text) ? fromJson(Number(text)) : undefined;
  return { expected, fromJson, fromText };
}
