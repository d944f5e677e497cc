import type { OptionSpec, OptionSpecs } from "./parameters.ts";
import { optionName } from "./values.ts";

/** The words of a command line, told apart before it is known whose they are. */
export interface Words {
  /** Arguments before a `--`. */
  readonly before: readonly Argument[];
  /** All that stands behind a `--`. */
  readonly behind: readonly string[];
  /** Options with their values, as they were given. */
  readonly optionWords: readonly string[];
  /** The keys of the options that were found. */
  readonly options: ReadonlySet<string>;
  readonly help: "asked" | "not-asked";
  /** "value": the last option needs one, and there is none. */
  readonly missing: "value" | "nothing";
}

export interface Argument {
  readonly word: string;
  readonly isAfterPrint: boolean;
}

/** Reads words as the options' specs say. An option that is in none of them is one without a value. */
export function readWords(given: readonly string[], specs: OptionSpecs): Words {
  const end = given.indexOf("--");
  const words = [...(end === -1 ? given : given.slice(0, end))];
  const before: Argument[] = [];
  const optionWords: string[] = [];
  const options = new Set<string>();
  let missing: Words["missing"] = "nothing";
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!isOption(word)) {
      before.push({ word, isAfterPrint: options.has("print") });
      continue;
    }
    const found = optionIn(word, specs);
    for (const key of found.keys) options.add(key);
    optionWords.push(word);
    const next = valueBehind(found.takes, words);
    if (next === "missing") missing = "value";
    else optionWords.push(...next);
  }
  const isHelp = optionWords.some((word) => word === "--help" || word === "-h");
  return {
    before,
    behind: end === -1 ? [] : given.slice(end + 1),
    optionWords,
    options,
    help: isHelp ? "asked" : "not-asked",
    missing,
  };
}

/** A sentence that begins with a dash, such as "- [ ] write tests", is none; nor is a number. */
function isOption(word: string): boolean {
  return /^--?[a-z]/iu.test(word) && !/^[^=]*\s/u.test(word);
}

interface Found {
  readonly keys: readonly string[];
  readonly takes: "nothing" | "a value" | "perhaps a value";
}

function optionIn(word: string, specs: OptionSpecs): Found {
  if (word.startsWith("--")) {
    const [name = ""] = word.split("=", 1);
    const entry = Object.entries(specs).find(([key]) => optionName(key) === name);
    if (entry === undefined) return { keys: [], takes: "nothing" };
    return { keys: [entry[0]], takes: word.includes("=") ? "nothing" : takenBy(entry[1]) };
  }
  return letters(word.slice(1), specs);
}

/** `-cp`: each letter is an option, up to one that takes the rest as its value. */
function letters(text: string, specs: OptionSpecs): Found {
  const keys: string[] = [];
  for (const [index, letter] of [...text].entries()) {
    const entry = Object.entries(specs).find(([, spec]) => "short" in spec && spec.short === letter);
    if (entry === undefined) continue;
    keys.push(entry[0]);
    const takes = takenBy(entry[1]);
    if (takes !== "nothing") return { keys, takes: index === text.length - 1 ? takes : "nothing" };
  }
  return { keys, takes: "nothing" };
}

function takenBy({ kind }: OptionSpec): Found["takes"] {
  if (kind === "flag") return "nothing";
  return kind === "maybe" ? "perhaps a value" : "a value";
}

function valueBehind(takes: Found["takes"], words: string[]): readonly string[] | "missing" {
  if (takes === "nothing") return [];
  const [next] = words;
  if (next === undefined) return takes === "a value" ? "missing" : [];
  if (takes === "perhaps a value" && next.startsWith("-")) return [];
  words.shift();
  return [next];
}
