import type { CommanderError } from "commander";
import { WorldlineError } from "../record/error.ts";
import { closest } from "../record/options.ts";
import type { MeantCommand, Misread } from "../strings/en/errors/commands.ts";

/** Converts a commander error into a Worldline error. `path` is the command as the user typed it. */
export function usageErrorOf(error: CommanderError, path: string): WorldlineError {
  // This error means that `help` was requested for an unknown command.
  if (error.code === "commander.help") {
    return new WorldlineError("no-help-for-command", { path }, { cause: error });
  }
  return new WorldlineError(...misreadOf(error, path), { cause: error });
}

/** Parses commander's English messages, because its errors do not provide the facts in any other form. */
function misreadOf(
  { code, message }: CommanderError,
  path: string,
): ["choice-invalid" | "command-misread", Misread] {
  const [first = "", suggestion = ""] = message.replace(/^error: /u, "").split("\n");
  const said = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/u, "")}.`;
  const quoted = [...first.matchAll(/'([^']*)'/gu)].map(([, word = ""]) => word);
  const [, alike] = /^\(Did you mean (?:one of )?(.*)\?\)$/u.exec(suggestion) ?? [];
  const [, allowed] = / Allowed choices are (.*)\.$/u.exec(first) ?? [];
  const misread = { path, kind: code, said, quoted, alike: listIn(alike), allowed: listIn(allowed) };
  // A value that is not among the choices is invalid input. Everything else is a usage error.
  return [code === "commander.invalidArgument" ? "choice-invalid" : "command-misread", misread];
}

function listIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(", ");
}

/**
 * Works like `usageErrorOf`, but for a command whose input may be a secret. Commander quotes unknown options, and a
 * secret may begin with a dash, so both the message and the cause are left out.
 */
export function secretUsageErrorOf(error: CommanderError, path: string): WorldlineError {
  if (error.code === "commander.unknownOption") return new WorldlineError("word-begins-with-dash", { path });
  if (error.code === "commander.help") return new WorldlineError("no-help-for-command", { path });
  return new WorldlineError(...misreadOf(error, path));
}

export function noHelpFor(given: string, meant: MeantCommand | undefined): WorldlineError {
  return new WorldlineError("help-unknown", { given, ...(meant === undefined ? {} : { meant }) });
}

export function unknownCommand(path: string, given: string, known: readonly string[]): WorldlineError {
  const meant = closestIn(given, known);
  return new WorldlineError("command-unknown", { path, given, ...(meant === undefined ? {} : { meant }) });
}

/** Returns the error for a single word, which may be a mistyped command or a short prompt. */
export function noSuchCommand(given: string, meant: MeantCommand | undefined): WorldlineError {
  return new WorldlineError("command-or-prompt-unknown", {
    given,
    ...(meant === undefined ? {} : { meant }),
  });
}

/** Returns the error for a word that can only be a workspace folder. */
export function notAFolder(given: string, named: "file" | "nothing"): WorldlineError {
  return new WorldlineError(named === "file" ? "folder-is-a-file" : "folder-missing", { given });
}

export function commandMissing(path: string, known: readonly string[]): WorldlineError {
  return new WorldlineError("command-incomplete", { path, known });
}

/** Words that users know from git, npm, and other agents, grouped by the Worldline command that does the same. */
const MEANT: readonly (readonly [command: string, words: string])[] = [
  ["rewind", "undo back revert rollback reset checkout"],
  ["redo", "forward"],
  ["checkpoint", "commit save snapshot mark stash"],
  ["tree", "branch branches graph"],
  ["fork", "copy duplicate clone"],
  ["log", "history entries"],
  ["resume", "status state recap"],
  ["why", "blame"],
  ["show", "cat"],
  ["find", "bisect"],
  ["stats", "usage cost costs"],
  ["setup", "login auth connect key keys logout"],
  ["config", "settings set get preferences"],
  ["config trust", "trust"],
  ["compact", "summary"],
  ["sessions list", "list ls"],
  ["sessions search", "search grep"],
  ["sessions delete", "delete rm remove"],
  ["sessions rename", "rename title"],
  ["sessions export", "export"],
  ["sessions import", "import"],
  ["store gc", "gc clean prune"],
  ["store du", "du size"],
  ["store verify", "verify fsck"],
  ["doctor", "check health repair"],
  ["-c", "continue"],
  ["-r", "switch open load"],
  ["--version", "version"],
  ["", "chat start new agent tui"],
];

/** Words that do not correspond to a command. */
const ELSEWHERE: Readonly<Record<string, MeantCommand>> = {
  init: "init",
  mcp: "mcp",
  update: "update",
  upgrade: "update",
};

/** Returns what the user probably meant by an unknown command, or undefined if nothing is similar. */
export function suggestionFor(word: string, names: readonly string[]): MeantCommand | undefined {
  const key = word.toLowerCase();
  if (Object.hasOwn(ELSEWHERE, key)) return ELSEWHERE[key];
  const [command] = MEANT.find(([, words]) => words.split(" ").includes(key)) ?? [];
  if (command !== undefined) return { command };
  const meant = closest(word, names);
  return meant === undefined ? undefined : { command: meant };
}

/** Synonyms for the subcommands of `sessions`, `store`, `config`, and `executions`. */
const SAME: readonly (readonly string[])[] = [
  ["list", "ls"],
  ["delete", "rm", "remove"],
  ["show", "cat", "view", "info"],
  ["rename", "mv", "title"],
  ["search", "grep", "find"],
  ["restore", "rewind", "back"],
  ["gc", "clean", "prune"],
  ["verify", "check", "fsck"],
  ["set", "add"],
];

/** Returns the subcommand that the user probably meant. */
function closestIn(word: string, names: readonly string[]): string | undefined {
  const same = SAME.find((words) => words.includes(word)) ?? [];
  return names.find((name) => same.includes(name)) ?? closest(word, names);
}
