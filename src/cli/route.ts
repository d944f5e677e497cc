import { looksLikePath, namedBy } from "../app/places/home.ts";
import { type CommandEntry, type OptionSpec, type OptionSpecs, optionName } from "./command.ts";
import { noHelpFor, noSuchCommand, notAFolder, suggestionFor } from "./usage-errors.ts";

/** The part of the program that handles a command line, and the words in the form that this part expects. */
interface Route {
  readonly to: "help" | "command" | "agent";
  readonly words: readonly string[];
}

interface Routing {
  readonly commands: readonly CommandEntry[];
  /** The options that every command has, and the agent's options. */
  readonly common: OptionSpecs;
  readonly agent: OptionSpecs;
  readonly cwd: () => string;
  /** "there": the agent can open a screen, and therefore does not need a prompt. */
  readonly screen: "there" | "none";
}

/**
 * Decides what a command line means. A command's name selects that command. An existing folder becomes the workspace.
 * Any other single word of letters and dashes is a mistake. Everything else is the prompt, unless it can only be a
 * folder. Words after `-p` or `--` are always the prompt, and `./name` is always the folder. An empty command line
 * opens the screen, or shows help if there is no screen.
 */
export function routeOf(given: readonly string[], routing: Routing): Route {
  const words = readWords(given, { ...routing.common, ...routing.agent });
  const [first] = words.before;
  if (given.length === 0 && routing.screen === "none") return { to: "help", words: ["--help"] };
  if (first === undefined) return withoutArgument(given, words, routing);
  if (words.options.has("print") && first.isAfterPrint) return toAgent(given, words);
  const names = namesOf(routing.commands);
  if (names.includes(first.word)) return { to: "command", words: given };
  if (first.word === "help") return helpRoute(given, words, names);
  if (words.help === "asked") return { to: "help", words: ["--help"] };
  const named = namedBy(first.word, routing.cwd);
  if (named === "folder") return inFolder(given, words, routing);
  refuseWrongFolder(words, named);
  refuseUnknown(words, names);
  return toAgent(given, words);
}

function helpRoute(given: readonly string[], { before }: Words, names: readonly string[]): Route {
  const about = before[1]?.word;
  if (about === undefined) return { to: "help", words: given };
  if (about !== "help" && !names.includes(about)) throw noHelpFor(about, suggestionFor(about, names));
  return { to: "command", words: given };
}

function withoutArgument(given: readonly string[], words: Words, { agent, screen }: Routing): Route {
  if (words.help === "asked" || isVersionAsked(words)) return { to: "help", words: given };
  const isForAgent = screen === "there" || words.after.length > 0 || hasOptionOf(words, agent);
  // If the only given options are the ones that every command has, the command is missing.
  return isForAgent ? toAgent(given, words) : { to: "command", words: given };
}

/** Puts options before the prompt, so that a prompt that begins with a dash is not read as an option. */
function toAgent(given: readonly string[], words: Words): Route {
  if (words.missing === "value") return { to: "agent", words: given };
  const prompt = [...words.before.map(({ word }) => word), ...words.after];
  return { to: "agent", words: [...words.optionWords, ...(prompt.length === 0 ? [] : ["--", ...prompt])] };
}

function inFolder(given: readonly string[], words: Words, { agent, screen }: Routing): Route {
  const [folder, ...before] = words.before;
  if (folder === undefined) return { to: "command", words: given };
  // The folder comes first, so that the user's own `--workspace` overrides it.
  const optionWords = ["--workspace", folder.word, ...words.optionWords];
  const isBare = before.length === 0 && words.after.length === 0 && !hasOptionOf(words, agent);
  if (isBare && screen === "none") {
    return { to: "command", words: ["sessions", "list", ...optionWords] };
  }
  return toAgent(given, { ...words, before, optionWords });
}

function isVersionAsked({ optionWords }: Words): boolean {
  return optionWords.some((word) => word === "--version" || word === "-V");
}

function hasOptionOf(words: Words, specs: OptionSpecs): boolean {
  return Object.keys(specs).some((key) => words.options.has(key));
}

function namesOf(commands: readonly CommandEntry[]): string[] {
  return commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

/**
 * Throws for command lines such as `worldline undo` and `worldline rewnd 12`, which must not cost a model call. A
 * single word that looks like a command is never a prompt, nor is a word that resembles a command and is followed by
 * numbers. The user can force a prompt with `--` or -p.
 */
function refuseUnknown({ before, after, options }: Words, names: readonly string[]): void {
  const [first, ...others] = before;
  if (first === undefined || after.length > 0 || options.has("print")) return;
  if (!/^[a-z-]+$/iu.test(first.word) || !others.every(({ word }) => /^#?\d+$/u.test(word))) return;
  const suggestion = suggestionFor(first.word, names);
  const isCommandLike = others.length === 0 && /^[a-z-]+$/u.test(first.word);
  if (isCommandLike || suggestion !== undefined) throw noSuchCommand(first.word, suggestion);
}

/**
 * Throws for command lines such as `worldline ./typo`. The word is not a folder, but it must not be sent to a model
 * either. The user can force a prompt with `--` or -p.
 */
function refuseWrongFolder({ before, after, options }: Words, named: "file" | "nothing"): void {
  const [first, ...others] = before;
  if (first === undefined || others.length > 0 || after.length > 0 || options.has("print")) return;
  if (/\s/u.test(first.word)) return;
  if (named === "file" || looksLikePath(first.word)) throw notAFolder(first.word, named);
}

/** The words on a command line, sorted into arguments and options before the command is known. */
interface Words {
  /** Arguments before `--`. */
  readonly before: readonly Argument[];
  /** All words after `--`. */
  readonly after: readonly string[];
  /** Options with their values, exactly as they were given. */
  readonly optionWords: readonly string[];
  /** The keys of the given options. */
  readonly options: ReadonlySet<string>;
  readonly help: "asked" | "not-asked";
  /** "value": the last option needs a value, but does not have one. */
  readonly missing: "value" | "nothing";
}

interface Argument {
  readonly word: string;
  readonly isAfterPrint: boolean;
}

/** Parses words with the options' specs. An unknown option is treated as an option without a value. */
function readWords(given: readonly string[], specs: OptionSpecs): Words {
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
    const next = valueAfter(found.takes, words);
    if (next === "missing") missing = "value";
    else optionWords.push(...next);
  }
  const isHelp = optionWords.some((word) => word === "--help" || word === "-h");
  return {
    before,
    after: end === -1 ? [] : given.slice(end + 1),
    optionWords,
    options,
    help: isHelp ? "asked" : "not-asked",
    missing,
  };
}

/**
 * Checks whether a word is an option. A sentence that begins with a dash, such as "- [ ] write tests", is not an
 * option, and neither is a number.
 */
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

/**
 * Parses letters such as `-cp`. Each letter is an option, up to the first one that takes the remaining letters as its
 * value.
 */
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

function valueAfter(takes: Found["takes"], words: string[]): readonly string[] | "missing" {
  if (takes === "nothing") return [];
  const [next] = words;
  if (next === undefined) return takes === "a value" ? "missing" : [];
  if (takes === "perhaps a value" && next.startsWith("-")) return [];
  words.shift();
  return [next];
}
