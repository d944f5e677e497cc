import { closest } from "./closest.ts";
import { WorldlineError } from "./error.ts";

/** What an option may be: the words for it, and the check. */
export interface OptionKind {
  /** As in: the option files must be "on" or "off". */
  readonly called: string;
  readonly holds: (value: unknown) => boolean;
  /** Where it is a choice: the words, to name the one that was probably meant. */
  readonly words?: readonly string[];
}

/** A kind for every option of a type: one that is forgotten does not compile. */
export type OptionKinds<Options> = { readonly [Key in keyof Options]-?: OptionKind };

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of no class: a Map or an instance holds its values where no option is looked for. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kind = (called: string, holds: (value: unknown) => boolean): OptionKind => ({ called, holds });

type PlainKind =
  | "text"
  | "path"
  | "flag"
  | "amount"
  | "number"
  | "ordinal"
  | "callback"
  | "object"
  | "signal"
  | "store"
  | "view"
  | "ground"
  | "bytes"
  | "openStore"
  | "clock"
  | "anything";

interface Catalogue extends Readonly<Record<PlainKind, OptionKind>> {
  readonly oneOf: (...words: readonly string[]) => OptionKind;
  readonly optional: (kind: OptionKind) => OptionKind;
  readonly listOf: (each: OptionKind) => OptionKind;
  readonly either: (...kinds: readonly OptionKind[]) => OptionKind;
}

/** The kinds of options that the library has. */
export const option: Catalogue = {
  text: kind("a string", (value) => typeof value === "string"),
  path: kind("the path of a folder", (value) => typeof value === "string" && value !== ""),
  flag: kind("true or false", (value) => typeof value === "boolean"),
  amount: kind("a number that is not negative", (value) => typeof value === "number" && value >= 0),
  number: kind("a number", (value) => typeof value === "number" && !Number.isNaN(value)),
  ordinal: kind("a whole number from 1 on", (value) => Number.isSafeInteger(value) && (value as number) >= 1),
  callback: kind("a function", (value) => typeof value === "function"),
  object: kind("an object", isObject),
  signal: kind("an AbortSignal", (value) => isObject(value) && "aborted" in value),
  store: kind("an address or an open store", (value) => typeof value === "string" || isLogStore(value)),
  openStore: kind("an open store", isLogStore),
  view: kind("a session or a view of one", (value) => isObject(value) && "outline" in value),
  ground: kind(
    "an object with an open store and a clock",
    (value) => isObject(value) && "store" in value && isLogStore(value.store) && "clock" in value,
  ),
  bytes: kind(
    "a Uint8Array or an object with a function read",
    (value) =>
      value instanceof Uint8Array || (isObject(value) && "read" in value && typeof value.read === "function"),
  ),
  clock: kind("a clock", (value) => isObject(value) && "now" in value),
  /** For values of the program's own, and for what has a check of its own, which says more. */
  anything: kind("anything", () => true),
  oneOf: (...words: readonly string[]): OptionKind => ({
    called: inWords(words.map((word) => JSON.stringify(word))),
    holds: (value) => words.includes(value as string),
    words,
  }),
  optional: ({ called, holds }: OptionKind): OptionKind =>
    kind(`${called}, or left out`, (value) => value === undefined || holds(value)),
  listOf: (each: OptionKind): OptionKind =>
    kind(`a list, each of it ${each.called}`, (value) => Array.isArray(value) && value.every(each.holds)),
  either: (...kinds: readonly OptionKind[]): OptionKind =>
    kind(inWords(kinds.map(({ called }) => called)), (value) => kinds.some(({ holds }) => holds(value))),
};

function isLogStore(value: unknown): boolean {
  return isObject(value) && "append" in value && "lease" in value;
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

/** An options object of some call, and what it may hold. */
export interface OptionsOf<Options> {
  /** As the caller writes it: `openSession`. */
  readonly call: string;
  readonly kinds: OptionKinds<Options>;
  /** "ignored": of an object that may serve other calls too, such as what sessions stand on. */
  readonly others?: "refused" | "ignored";
  /** Those that must be given. */
  readonly needed?: readonly (keyof Options & string)[];
}

/**
 * Throws INPUT_INVALID, before anything is done, for an option that the call does not know or that is not what it should be:
 * callers without types would otherwise never learn of it. An option that is `undefined` counts as left out.
 */
export function checkOptions<Options>(
  value: unknown,
  { call, kinds, others = "refused", needed = [] }: OptionsOf<Options>,
): void {
  const known = kinds as Readonly<Record<string, OptionKind>>;
  requireOptionsObject(value, { call, others, names: Object.keys(known) });
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    if (others === "refused" && !Object.hasOwn(known, key))
      throw unknownOption(call, key, Object.keys(known));
  }
  for (const [key, each] of Object.entries(known)) {
    const held = given[key];
    if (held !== undefined && !each.holds(held)) throw wrongOption(call, key, { kind: each, held });
    if (held === undefined && (needed as readonly string[]).includes(key)) {
      throw invalid(`${call}: the option ${key} is missing.`, `Give it ${each.called}.`);
    }
  }
}

function requireOptionsObject(
  value: unknown,
  { call, others, names }: { call: string; others: "refused" | "ignored"; names: readonly string[] },
): void {
  if (others === "refused" ? isPlain(value) : isObject(value)) return;
  const wanted = isObject(value) ? "a plain object" : "an object";
  throw invalid(
    `${call}: the options must be ${wanted}, not ${shownValue(value)}.`,
    `Its options: ${names.join(", ")}`,
  );
}

/** The same for one argument. */
export function checkArgument(
  value: unknown,
  what: string,
  { kind: each, hint }: { readonly kind: OptionKind; readonly hint: string },
): void {
  if (!each.holds(value)) throw invalid(`${what} must be ${each.called}, not ${shownValue(value)}.`, hint);
}

/**
 * The same for the arguments of a call, each by its name: what was given, and what it must be. Throws INPUT_INVALID for the first
 * that is something else.
 */
export function checkArguments(
  call: string,
  given: Readonly<Record<string, readonly [value: unknown, kind: OptionKind]>>,
): void {
  for (const [name, [value, each]] of Object.entries(given)) {
    if (each.holds(value)) continue;
    const names = Object.keys(given).join(", ");
    throw invalid(
      `${call}: ${name} must be ${each.called}, not ${shownValue(value)}.`,
      `Call it so: ${call}(${names})`,
    );
  }
}

function unknownOption(call: string, key: string, known: readonly string[]): WorldlineError {
  const near = closest(key, known);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return invalid(
    `${call}: unknown option ${JSON.stringify(key)}.`,
    `${meant}Its options: ${known.join(", ")}`,
  );
}

function wrongOption(
  call: string,
  key: string,
  { kind: each, held }: { readonly kind: OptionKind; readonly held: unknown },
): WorldlineError {
  const near = typeof held === "string" ? closest(held, each.words ?? []) : undefined;
  const hint = near === undefined ? "Leave it out for its default." : `Did you mean ${JSON.stringify(near)}?`;
  return invalid(`${call}: the option ${key} must be ${each.called}, not ${shownValue(held)}.`, hint);
}

function invalid(message: string, hint: string): WorldlineError {
  return new WorldlineError("INPUT_INVALID", message, { hint });
}

const MAX_SHOWN = 40;

function shownValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return isPlain(value) ? "an object" : `an instance of ${value.constructor?.name || "a class"}`;
}
