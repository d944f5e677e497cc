import type { ArgumentName, Given, Must, PlainMust } from "../strings/errors/facts.ts";
import { WorldlineError } from "./error.ts";

/** Describes the values that an option accepts, and checks them. */
export interface OptionKind {
  readonly must: Must;
  readonly holds: (value: unknown) => boolean;
  /** The words that a choice accepts, so that an error can suggest the word that was probably intended. */
  readonly words?: readonly string[];
}

/** A kind for every option in a type. Omitting an option is a compile error. */
export type OptionKinds<Options> = { readonly [Key in keyof Options]-?: OptionKind };

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks whether the value is a plain object. The values in a Map or a class instance would not be checked. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kind = (must: PlainMust, holds: (value: unknown) => boolean): OptionKind => ({ must: { must }, holds });

type PlainKind =
  | Exclude<PlainMust, "plain-object" | "open-store" | "choices" | "prompt" | "decision">
  | "openStore";

interface Catalogue extends Readonly<Record<PlainKind, OptionKind>> {
  readonly oneOf: (...words: readonly string[]) => OptionKind;
  readonly optional: (kind: OptionKind) => OptionKind;
  readonly listOf: (each: OptionKind) => OptionKind;
  readonly either: (...kinds: readonly OptionKind[]) => OptionKind;
}

/** The kinds of options that the library's calls accept. */
export const option: Catalogue = {
  text: kind("text", (value) => typeof value === "string"),
  path: kind("path", (value) => typeof value === "string" && value !== ""),
  flag: kind("flag", (value) => typeof value === "boolean"),
  amount: kind("amount", (value) => typeof value === "number" && value >= 0),
  number: kind("number", (value) => typeof value === "number" && !Number.isNaN(value)),
  ordinal: kind("ordinal", (value) => Number.isSafeInteger(value) && (value as number) >= 1),
  callback: kind("callback", (value) => typeof value === "function"),
  object: kind("object", isObject),
  signal: kind("signal", (value) => isObject(value) && "aborted" in value),
  store: kind("store", (value) => typeof value === "string" || isLogStore(value)),
  openStore: kind("open-store", isLogStore),
  view: kind("view", (value) => isObject(value) && "outline" in value),
  deps: kind(
    "deps",
    (value) => isObject(value) && "store" in value && isLogStore(value.store) && "clock" in value,
  ),
  bytes: kind(
    "bytes",
    (value) =>
      value instanceof Uint8Array || (isObject(value) && "read" in value && typeof value.read === "function"),
  ),
  clock: kind("clock", (value) => isObject(value) && "now" in value),
  /** Accepts every value. Used for the program's own data, and for values that are checked in more detail later. */
  anything: kind("anything", () => true),
  oneOf: (...words: readonly string[]): OptionKind => ({
    must: { must: "one-of", words },
    holds: (value) => words.includes(value as string),
    words,
  }),
  optional: ({ must, holds }: OptionKind): OptionKind => ({
    must: { must: "optional", of: must },
    holds: (value) => value === undefined || holds(value),
  }),
  listOf: (each: OptionKind): OptionKind => ({
    must: { must: "list", of: each.must },
    holds: (value) => Array.isArray(value) && value.every(each.holds),
  }),
  either: (...kinds: readonly OptionKind[]): OptionKind => ({
    must: { must: "either", of: kinds.map(({ must }) => must) },
    holds: (value) => kinds.some(({ holds }) => holds(value)),
  }),
};

function isLogStore(value: unknown): boolean {
  return isObject(value) && "append" in value && "lease" in value;
}

/** The options that a call accepts. */
export interface OptionsOf<Options> {
  /** The name of the called function, such as `openSession`. */
  readonly call: string;
  readonly kinds: OptionKinds<Options>;
  /**
   * What to do with unknown options. "ignored" is for objects that may also be passed to other calls, such as a
   * session's dependencies.
   */
  readonly others?: "refused" | "ignored";
  /** The options that are required. */
  readonly needed?: readonly (keyof Options & string)[];
}

/**
 * Throws INPUT_INVALID if an option is unknown to the call or if its value is of the wrong kind. Without this check,
 * untyped callers would never notice an unknown option or a value of the wrong kind. Calls check their options before
 * they do anything else. An option that is `undefined` counts as absent.
 */
export function checkOptions<Options>(
  value: unknown,
  { call, kinds, others = "refused", needed = [] }: OptionsOf<Options>,
): void {
  const known = kinds as Readonly<Record<string, OptionKind>>;
  requireOptionsObject(value, { call, others, names: Object.keys(known) });
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    if (others === "ignored" || Object.hasOwn(known, key)) continue;
    const options = Object.keys(known);
    throw new WorldlineError("option-unknown", { call, option: key, near: closest(key, options), options });
  }
  for (const [key, each] of Object.entries(known)) {
    const held = given[key];
    if (held !== undefined && !each.holds(held)) throw wrongOption(call, key, { kind: each, held });
    if (held === undefined && (needed as readonly string[]).includes(key)) {
      throw new WorldlineError("option-missing", { call, option: key, must: each.must });
    }
  }
}

function requireOptionsObject(
  value: unknown,
  { call, others, names }: { call: string; others: "refused" | "ignored"; names: readonly string[] },
): void {
  if (others === "refused" ? isPlain(value) : isObject(value)) return;
  const must = { must: isObject(value) ? "plain-object" : "object" } as const;
  throw new WorldlineError("options-not-an-object", { call, must, given: givenAs(value), options: names });
}

/** Checks one argument in the same way that `checkOptions` checks options. */
export function checkArgument(value: unknown, argument: ArgumentName, { must, holds }: OptionKind): void {
  if (!holds(value)) throw new WorldlineError("argument-wrong", { argument, must, given: givenAs(value) });
}

/**
 * Checks several named arguments, each with its value and its kind. Throws INPUT_INVALID for the first argument that is
 * invalid.
 */
export function checkArguments(
  call: string,
  given: Readonly<Record<string, readonly [value: unknown, kind: OptionKind]>>,
): void {
  for (const [argument, [value, { must, holds }]] of Object.entries(given)) {
    if (holds(value)) continue;
    const names = Object.keys(given);
    throw new WorldlineError("call-argument-wrong", { call, argument, must, given: givenAs(value), names });
  }
}

function wrongOption(
  call: string,
  option: string,
  { kind: { must, words = [] }, held }: { readonly kind: OptionKind; readonly held: unknown },
): WorldlineError {
  const near = typeof held === "string" ? closest(held, words) : undefined;
  return new WorldlineError("option-wrong", { call, option, must, given: givenAs(held), near });
}

const MAX_SHOWN = 40;

function givenAs(value: unknown): Given {
  if (typeof value === "string") {
    const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
    return { is: "value", text: JSON.stringify(shown) };
  }
  if (typeof value === "function") return { is: "function" };
  if (typeof value !== "object" || value === null) return { is: "value", text: String(value) };
  if (Array.isArray(value)) return { is: "list" };
  if (isPlain(value)) return { is: "object" };
  const name = value.constructor?.name || undefined;
  return name === undefined ? { is: "class" } : { is: "instance", text: name };
}

/** The candidate that was probably intended; undefined if no candidate is close enough to suggest. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceTo(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length * 0.4))
    ? best.candidate
    : undefined;
}

/**
 * The edit distance to a candidate. For a dotted name, the word is also compared with only the last part, because users
 * often omit the first part. For example, `waitMs` matches `lock.waitMs`.
 */
function distanceTo(word: string, candidate: string): number {
  const lastPart = candidate.slice(candidate.lastIndexOf(".") + 1);
  return Math.min(editDistance(word, candidate), editDistance(word, lastPart));
}

/** The Levenshtein distance, computed row by row. Two swapped letters count as one typo rather than two. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[line - 1] === to[column - 1] ? 0 : 1;
      const isSwapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        1 +
          Math.min(
            at(row, column - 1) + change - 1,
            at(row, column),
            at(next, column - 1),
            isSwapped ? at(before, column - 2) : Infinity,
          ),
      );
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
