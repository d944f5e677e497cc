/** A program that may run without permission, with its options. */
interface KnownProgram extends KnownOptions {
  /**
   * What the program opens among its operands. "paths": files and folders. "files": only files, because the program
   * would follow links in a folder. "nothing": the operands are only text.
   */
  readonly opens: "paths" | "files" | "nothing";
  /** "wide": the program reads more than its operands name, for example everything in a folder. */
  readonly looks?: "wide";
}

/** The files that a read-only command opens. */
interface Look extends Pick<KnownProgram, "opens"> {
  readonly operands: readonly string[];
  readonly looks: "named" | "wide";
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
    opens: "paths",
  },
  cat: { flags: "AbeEnstTuv", long: ["number", "show-all", "squeeze-blank"], opens: "files" },
  head: { flags: "qv", values: "nc", long: ["lines=", "bytes="], counts: "yes", opens: "files" },
  tail: { flags: "qv", values: "nc", long: ["lines=", "bytes="], counts: "yes", opens: "files" },
  wc: { flags: "clmwL", long: ["lines", "words", "chars", "bytes"], opens: "files" },
  pwd: { flags: "LP", opens: "nothing", maxOperands: 0 },
  echo: { opens: "nothing" },
  stat: { flags: "tx", values: "c", long: ["format=", "printf=", "terse"], opens: "paths" },
  basename: { flags: "az", values: "s", opens: "nothing" },
  dirname: { flags: "z", opens: "nothing" },
  realpath: { flags: "emqsz", opens: "paths" },
  true: { opens: "nothing", maxOperands: 0 },
  false: { opens: "nothing", maxOperands: 0 },
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
    opens: "paths",
    looks: "wide",
  },
  du: {
    flags: "abchkmsxS",
    values: "d",
    long: ["max-depth=", "human-readable", "summarize", "total", "all", "apparent-size"],
    opens: "paths",
    looks: "wide",
  },
  df: { flags: "hkTi", long: ["human-readable"], opens: "paths", looks: "wide" },
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
    opens: "files",
  },
  cmp: { flags: "lbs", opens: "files", maxOperands: 2 },
  sort: {
    flags: "nrufbdghiMVsc",
    values: "kt",
    long: ["reverse", "unique", "numeric-sort"],
    opens: "files",
  },
  // A second operand of `uniq` would be an output file.
  uniq: {
    flags: "cdiu",
    values: "fsw",
    long: ["count", "repeated", "unique"],
    opens: "files",
    maxOperands: 1,
  },
  cut: { flags: "ns", values: "bcdf", long: ["delimiter=", "fields=", "characters="], opens: "files" },
  tr: { flags: "cCdst", long: ["delete", "squeeze-repeats", "complement"], opens: "nothing" },
  nl: { flags: "p", values: "bvwsnil", opens: "files" },
  tac: { opens: "files" },
  rev: { opens: "files" },
  date: { flags: "uR", long: ["utc", "iso-8601", "iso-8601="], opens: "nothing" },
  whoami: { opens: "nothing", maxOperands: 0 },
  uname: { flags: "asnrvmpio", long: ["all"], opens: "nothing", maxOperands: 0 },
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
  if (operands === undefined) return undefined;
  // Any other operand of `date` would set the clock. `tail +1f` waits for more input, like `tail -f`.
  if (program === "date" && operands.some((operand) => !operand.startsWith("+"))) return undefined;
  if (program === "tail" && operands.some((operand) => operand.startsWith("+"))) return undefined;
  // The first operand of grep is a pattern, unless an option contains the pattern. Treating the pattern as a path does
  // no harm.
  return { opens: known.opens, operands, looks: known.looks ?? "named" };
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
  return { opens: "paths", operands: words.slice(0, from), looks: "wide" };
}

/** Accepts only the form `sed -n 5,10p`, because sed scripts can write files and run programs. */
function sedLook([option, script = "", ...operands]: readonly string[]): Look | undefined {
  const isPrinting = option === "-n" && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/u.test(script);
  if (!isPrinting || operands.some((operand) => operand.startsWith("-"))) return undefined;
  return { opens: "files", operands, looks: "named" };
}

function testLook([operator = "", operand, ...more]: readonly string[]): Look | undefined {
  if (!/^-[defhLrswx]$/u.test(operator) || operand === undefined || more.length > 0) return undefined;
  return { opens: "paths", operands: [operand], looks: "named" };
}

function whichLook(words: readonly string[]): Look | undefined {
  const operands = operandsOf(words, { flags: "a" });
  if (operands?.every((operand) => /^[\w.+-]+$/u.test(operand)) !== true) return undefined;
  return { opens: "nothing", operands, looks: "named" };
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
  readonly maxOperands?: number;
}

/**
 * Returns the words that are neither options nor their values. Returns undefined if an option is unknown, or if there
 * are too many operands.
 */
export function operandsOf(words: readonly string[], known: KnownOptions): readonly string[] | undefined {
  const operands = withoutOptions(words, known);
  return operands === undefined || operands.length > (known.maxOperands ?? operands.length)
    ? undefined
    : operands;
}

function withoutOptions(words: readonly string[], known: KnownOptions): readonly string[] | undefined {
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

function longTaken(word: string, { long }: KnownOptions): 1 | 2 | undefined {
  const isKnown = (name: string): boolean => long?.includes(name) === true;
  const end = word.indexOf("=");
  if (end !== -1) return isKnown(word.slice(0, end + 1)) ? 1 : undefined;
  if (isKnown(word)) return 1;
  return isKnown(`${word}=`) ? 2 : undefined;
}

function shortTaken(letters: string, { flags, values }: KnownOptions): 1 | 2 | undefined {
  for (const [index, letter] of [...letters].entries()) {
    if (values?.includes(letter) === true) return index === letters.length - 1 ? 2 : 1;
    if (flags?.includes(letter) !== true) return undefined;
  }
  return 1;
}
