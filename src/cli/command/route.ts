import { looksLikePath, namedBy } from "../../app/places/named-folder.ts";
import type { CommandEntry } from "./command.ts";
import type { OptionSpecs } from "./parameters.ts";
import { suggestionFor } from "./suggestions.ts";
import { noHelpFor, noSuchCommand, notAFolder } from "./usage-error.ts";
import { readWords, type Words } from "./words.ts";

/** Who a command line is for, and its words as that one reads them. */
export interface Route {
  readonly to: "help" | "command" | "agent";
  readonly words: readonly string[];
}

export interface Routing {
  readonly commands: readonly CommandEntry[];
  /** What every command takes, and what the agent takes. */
  readonly common: OptionSpecs;
  readonly agent: OptionSpecs;
  readonly cwd: () => string;
  /** "there": the agent has a screen to open, so that it needs no prompt. */
  readonly screen: "there" | "none";
}

/**
 * `worldline [prompt]`: the name of a command is that command; a folder that is there is the workspace; one other word of
 * a to z and dashes is a mistake; anything else is the prompt, unless it can only be meant for a folder. What follows `-p` or `--` is always the prompt, and `./name` always the folder. Nothing at all opens the
 * screen, and shows help where there is none.
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
  const isForAgent = screen === "there" || words.behind.length > 0 || hasOptionOf(words, agent);
  // Nothing but what every command takes: the command is missing.
  return isForAgent ? toAgent(given, words) : { to: "command", words: given };
}

/** Options first, so that a prompt which begins with a dash is none. */
function toAgent(given: readonly string[], words: Words): Route {
  if (words.missing === "value") return { to: "agent", words: given };
  const prompt = [...words.before.map(({ word }) => word), ...words.behind];
  return { to: "agent", words: [...words.optionWords, ...(prompt.length === 0 ? [] : ["--", ...prompt])] };
}

function inFolder(given: readonly string[], words: Words, { agent, screen }: Routing): Route {
  const [folder, ...before] = words.before;
  if (folder === undefined) return { to: "command", words: given };
  // First, so that a `--workspace` of the person's comes after it, and wins.
  const optionWords = ["--workspace", folder.word, ...words.optionWords];
  const isBare = before.length === 0 && words.behind.length === 0 && !hasOptionOf(words, agent);
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
 * `worldline undo` and `worldline rewnd 12` must not cost a model call: one word that looks like a command is never a prompt,
 * and with numbers after it not where a command is near. Who means it says so with `--` or -p.
 */
function refuseUnknown({ before, behind, options }: Words, names: readonly string[]): void {
  const [first, ...others] = before;
  if (first === undefined || behind.length > 0 || options.has("print")) return;
  if (!/^[a-z-]+$/iu.test(first.word) || !others.every(({ word }) => /^#?\d+$/u.test(word))) return;
  const suggestion = suggestionFor(first.word, names);
  const isCommandLike = others.length === 0 && /^[a-z-]+$/u.test(first.word);
  if (isCommandLike || suggestion !== undefined) throw noSuchCommand(first.word, suggestion);
}

/** `worldline ./typo` opens no folder, and must not be asked of a model either. Who means it says so with `--` or -p. */
function refuseWrongFolder({ before, behind, options }: Words, named: "file" | "nothing"): void {
  const [first, ...others] = before;
  if (first === undefined || others.length > 0 || behind.length > 0 || options.has("print")) return;
  if (/\s/u.test(first.word)) return;
  if (named === "file" || looksLikePath(first.word)) throw notAFolder(first.word, named);
}
