/** The options of a program that are known only to look. An option that is not here asks. */
export interface KnownOptions {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options with a value, attached or as the next word. */
  readonly values?: string;
  /** Names of long options. One that ends with `=` has a value, in the same word or as the next one. */
  readonly long?: readonly string[];
  /** Whole words, for what has a form of its own. */
  readonly words?: readonly string[];
  /** `-5` is an option. */
  readonly counts?: "yes";
}

/** The words that are not options; undefined where an option is not known. */
export function operandsOf(words: readonly string[], known: KnownOptions): readonly string[] | undefined {
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--") return [...operands, ...words.slice(index + 1)];
    if (word === "-" || !word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    const taken = wordsTaken(word, known);
    if (taken === undefined) return undefined;
    if (taken === 2 && !isValue(words[index + 1], known)) return undefined;
    index += taken - 1;
  }
  return operands;
}

/** What looks like an option may be one to another version of the program, where the one before it has no value. */
function isValue(word: string | undefined, { counts }: KnownOptions): boolean {
  return word !== undefined && (!word.startsWith("-") || (counts === "yes" && /^-\d+$/u.test(word)));
}

/** How many words the option is: itself, or also the next one. */
function wordsTaken(word: string, known: KnownOptions): 1 | 2 | undefined {
  if (known.words?.includes(word) === true) return 1;
  if (known.counts === "yes" && /^-\d+$/u.test(word)) return 1;
  return word.startsWith("--") ? longTaken(word.slice(2), known) : shortTaken(word.slice(1), known);
}

function longTaken(word: string, { long = [] }: KnownOptions): 1 | 2 | undefined {
  const end = word.indexOf("=");
  if (end !== -1) return long.includes(word.slice(0, end + 1)) ? 1 : undefined;
  if (long.includes(word)) return 1;
  return long.includes(`${word}=`) ? 2 : undefined;
}

function shortTaken(letters: string, { flags = "", values = "" }: KnownOptions): 1 | 2 | undefined {
  for (const [index, letter] of [...letters].entries()) {
    if (values.includes(letter)) return index === letters.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return 1;
}
