import { WorldlineError } from "../../record/error.ts";
import type { ArgumentSpecs, ArgumentValues, OptionSpec, OptionSpecs, OptionValues } from "./parameters.ts";

/** What commander hands over: nothing about it is known to the type checker. */
export type Parsed = Readonly<Record<string, unknown>>;

/** The options as the specs promise them, whatever was left out. */
export function optionValues<Specs extends OptionSpecs>(specs: Specs, parsed: Parsed): OptionValues<Specs> {
  const values = Object.entries(specs).map(([name, spec]) => [
    name,
    optionValue(name, spec, givenFor(name, spec, parsed)),
  ]);
  return Object.fromEntries(values) as OptionValues<Specs>;
}

/** Commander takes `--no-files` for the opposite of a `--files` that is there until told otherwise. */
function givenFor(name: string, spec: OptionSpec, parsed: Parsed): unknown {
  const [, letter, rest] = spec.kind === "flag" ? (/^no([A-Z])(.*)$/u.exec(name) ?? []) : [];
  return letter === undefined ? parsed[name] : parsed[`${letter.toLowerCase()}${rest}`] === false;
}

export function argumentValues<Specs extends ArgumentSpecs>(
  specs: Specs,
  parsed: readonly unknown[],
): ArgumentValues<Specs> {
  const values = Object.entries(specs).map(([name, spec], index) => [
    name,
    parsed[index] ?? (spec.kind === "rest" ? [] : undefined),
  ]);
  return Object.fromEntries(values) as ArgumentValues<Specs>;
}

/** `dryRun` is `--dry-run`. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

function optionValue(key: string, spec: OptionSpec, given: unknown): unknown {
  switch (spec.kind) {
    case "flag":
      return given === true;
    case "list":
      return given ?? [];
    case "whole":
      return given === undefined ? undefined : wholeNumber(optionName(key), String(given));
    case "maybe":
      return given === undefined ? undefined : given === true ? {} : { value: String(given) };
    // Commander keeps whether there was a `--no-name` under the name of `--name <text>`, as true or false.
    case "text":
    case "choice":
      return typeof given === "string" ? given : undefined;
    default:
      return spec satisfies never;
  }
}

function wholeNumber(name: string, given: string): number {
  const number = /^\d+$/u.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new WorldlineError("not-a-whole-number", { option: name, given });
}
