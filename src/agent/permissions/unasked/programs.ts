/** A program that may run without permission, with its options. */
interface KnownProgram extends KnownOptions {
  /**
   * What the operands can be. "paths": files and folders. "files": only files, because the program would follow links
   * in a folder. "text": words that the program does not open. "none": operands are not allowed.
   */
  readonly operands: "paths" | "files" | "text" | "none";
  readonly maxOperands?: number;
  /** Whether the program reads more than its operands name, for example everything in a folder. */
  readonly wide?: "yes";
}

/** The files that a read-only command opens. */
interface Look {
  readonly opens: "paths" | "files" | "nothing";
  readonly operands: readonly string[];
  readonly wide: "yes" | "no";
}

/*
 * The list is short on purpose. The list omits programs and options that can write files, run a program, follow links
 * inside a folder, wait for input, or read a list of files from a file. Options must mean the same thing in GNU and
 * BSD, or exist in only one of them.
 */
const PROGRAMS: Readonly<Record<string, KnownProgram>> = {
  ls: {
    flags: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxX",
    long: [
      ..."all almost-all human-readable recursive reverse size directory classify full-time inode color color=".split(
        " ",
      ),
      ..."group-directories-first sort= time= time-style= no-group numeric-uid-gid".split(" "),
    ],
    operands: "paths",
  },
  cat: { flags: "AbeEnstTuv", long: ["number", "show-all", "squeeze-blank"], operands: "files" },
  head: { flags: "qv", values: "nc", long: ["lines=", "bytes="], counts: "yes", operands: "files" },
  tail: { flags: "qv", values: "nc", long: ["lines=", "bytes="], counts: "yes", operands: "files" },
  wc: { flags: "clmwL", long: ["lines", "words", "chars", "bytes"], operands: "files" },
  pwd: { flags: "LP", operands: "none" },
  echo: { operands: "text" },
  stat: { flags: "tx", values: "c", long: ["format=", "printf=", "terse"], operands: "paths" },
  basename: { flags: "az", values: "s", operands: "text" },
  dirname: { flags: "z", operands: "text" },
  realpath: { flags: "emqsz", operands: "paths" },
  true: { operands: "none" },
  false: { operands: "none" },
  grep: {
    flags: "EFGPivwxcLlqsnHhoabIrT",
    values: "emABC",
    long: [
      ..."include= exclude= exclude-dir= color color= line-number recursive ignore-case word-regexp".split(
        " ",
      ),
      ..."line-regexp fixed-strings extended-regexp perl-regexp basic-regexp count files-with-matches".split(
        " ",
      ),
      ..."files-without-match only-matching no-filename with-filename invert-match quiet max-count=".split(
        " ",
      ),
      ..."context= after-context= before-context= text no-messages regexp=".split(" "),
    ],
    counts: "yes",
    operands: "paths",
    wide: "yes",
  },
  du: {
    flags: "abchkmsxS",
    values: "d",
    long: ["max-depth=", "human-readable", "summarize", "total", "all", "apparent-size"],
    operands: "paths",
    wide: "yes",
  },
  df: { flags: "hkTi", long: ["human-readable"], operands: "paths", wide: "yes" },
  diff: {
    flags: "uNaqbwBiEtcyps",
    values: "U",
    long: [
      "unified=",
      "unified",
      "brief",
      "ignore-all-space",
      "ignore-space-change",
      "color=",
      "side-by-side",
    ],
    operands: "files",
  },
  cmp: { flags: "lbs", operands: "files", maxOperands: 2 },
  sort: {
    flags: "nrufbdghiMVsc",
    values: "kt",
    long: ["reverse", "unique", "numeric-sort"],
    operands: "files",
  },
  // A second operand of `uniq` would be an output file.
  uniq: {
    flags: "cdiu",
    values: "fsw",
    long: ["count", "repeated", "unique"],
    operands: "files",
    maxOperands: 1,
  },
  cut: { flags: "ns", values: "bcdf", long: ["delimiter=", "fields=", "characters="], operands: "files" },
  tr: { flags: "cCdst", long: ["delete", "squeeze-repeats", "complement"], operands: "text" },
  nl: { flags: "p", values: "bvwsnil", operands: "files" },
  tac: { operands: "files" },
  rev: { operands: "files" },
  date: { flags: "uR", long: ["utc", "iso-8601", "iso-8601="], operands: "text" },
  whoami: { operands: "none" },
  uname: { flags: "asnrvmpio", long: ["all"], operands: "none" },
};

/**
 * Returns the files that a read-only command opens, or undefined if the command is not known to be read-only. `git` is
 * handled in another module.
 */
export function lookOf([program = "", ...words]: readonly string[]): Look | undefined {
  switch (program) {
    case "find":
      return findLook(words);
    case "sed":
      return sedLook(words);
    case "test":
      return testLook(words);
    case "which":
      return whichLook(words);
    default:
      return listedLook(program, words);
  }
}

function listedLook(program: string, words: readonly string[]): Look | undefined {
  const known = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  if (known === undefined) return undefined;
  // `echo` prints every argument.
  const operands = program === "echo" ? words : operandsOf(words, known);
  if (operands === undefined || operands.length > (known.maxOperands ?? Number.POSITIVE_INFINITY))
    return undefined;
  if (known.operands === "none" && operands.length > 0) return undefined;
  // Any other operand would set the clock.
  if (program === "date" && operands.some((operand) => !operand.startsWith("+"))) return undefined;
  const opens = known.operands === "text" || known.operands === "none" ? "nothing" : known.operands;
  // The first operand of grep is a pattern, unless an option contains the pattern. Treating the pattern as a path does
  // no harm.
  return { opens, operands, wide: known.wide ?? "no" };
}

const FIND_TESTS = new Set(
  "-print -print0 -ls -empty -prune -not ! ( ) -o -a -or -and -true -false -depth -xdev -mount".split(" "),
);
const FIND_VALUES = new Set(
  "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -perm -regex -iregex".split(
    " ",
  ),
);

function findLook(words: readonly string[]): Look | undefined {
  const end = words.findIndex((word) => /^[-(!]/u.test(word));
  const from = end === -1 ? words.length : end;
  for (let index = from; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (FIND_TESTS.has(word)) continue;
    index += 1;
    if (!FIND_VALUES.has(word) || index >= words.length) return undefined;
  }
  return { opens: "paths", operands: words.slice(0, from), wide: "yes" };
}

/** Accepts only the form `sed -n 5,10p`, because sed scripts can write files and run programs. */
function sedLook([option, script = "", ...operands]: readonly string[]): Look | undefined {
  const isPrinting = option === "-n" && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/u.test(script);
  if (!isPrinting || operands.some((operand) => operand.startsWith("-"))) return undefined;
  return { opens: "files", operands, wide: "no" };
}

function testLook([operator = "", operand, ...more]: readonly string[]): Look | undefined {
  if (!/^-[defhLrswx]$/u.test(operator) || operand === undefined || more.length > 0) return undefined;
  return { opens: "paths", operands: [operand], wide: "no" };
}

function whichLook(words: readonly string[]): Look | undefined {
  const operands = operandsOf(words, { flags: "a" });
  if (operands?.every((operand) => /^[\w.+-]+$/u.test(operand)) !== true) return undefined;
  return { opens: "nothing", operands, wide: "no" };
}

/** The options of a program that are known to be harmless. A command with any other option needs permission. */
export interface KnownOptions {
  /** Letters of short options that take no value. */
  readonly flags?: string;
  /** Letters of short options that take a value, either attached or as the next word. */
  readonly values?: string;
  /** Names of long options. An option that ends with `=` takes a value, either attached or as the next word. */
  readonly long?: readonly string[];
  /** Options in other forms, as whole words. */
  readonly words?: readonly string[];
  /** Whether a word such as `-5` is an option. */
  readonly counts?: "yes";
}

/** Returns the words that are neither options nor their values, or undefined if an option is unknown. */
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

/**
 * Checks whether the word can be the value of the option before it. In another version of the program, that option may
 * take no value. Therefore, a word that looks like an option is not accepted as a value.
 */
function isValue(word: string | undefined, { counts }: KnownOptions): boolean {
  return word !== undefined && (!word.startsWith("-") || (counts === "yes" && /^-\d+$/u.test(word)));
}

/** Returns how many words the option takes up: one, or two if its value is the next word. */
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
