import type { CommanderError } from "commander";
import { WorldlineError } from "../../record/error.ts";
import type { MeantCommand, Misread } from "../../strings/errors/en/commands.ts";
import { closestIn } from "./suggestions.ts";

/** Says in our words what commander found wrong; `path` is the command as the person typed it. */
export function usageErrorOf(error: CommanderError, path: string): WorldlineError {
  // Commander wants to show help as an error: `help` was asked about a command that is not there.
  if (error.code === "commander.help") {
    return new WorldlineError("no-help-for-command", { path }, { cause: error });
  }
  return new WorldlineError(...misreadOf(error, path), { cause: error });
}

/** What commander's English says: another program's, so that there is no other way to know. */
function misreadOf(
  { code, message }: CommanderError,
  path: string,
): ["choice-invalid" | "command-misread", Misread] {
  const [first = "", suggestion = ""] = message.replace(/^error: /u, "").split("\n");
  const said = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/u, "")}.`;
  const quoted = [...first.matchAll(/'([^']*)'/gu)].map(([, word = ""]) => word);
  const [, alike] = /^\(Did you mean (?:one of )?(.*)\?\)$/u.exec(suggestion) ?? [];
  const misread = { path, kind: code, said, quoted, alike: alike === undefined ? [] : alike.split(", ") };
  // A value that is not one of the choices is bad input; everything else is a command that cannot be read.
  return [code === "commander.invalidArgument" ? "choice-invalid" : "command-misread", misread];
}

/**
 * As `usageErrorOf`, for a command whose input may be a secret: commander quotes what it does not know, and a
 * secret may well begin with a dash. The cause, which quotes it too, is left out.
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

/** For one word, which may also be all that the user wants to say to the agent. */
export function noSuchCommand(given: string, meant: MeantCommand | undefined): WorldlineError {
  return new WorldlineError("command-or-prompt-unknown", {
    given,
    ...(meant === undefined ? {} : { meant }),
  });
}

/** For one word that can only be meant as a folder to work in. */
export function notAFolder(given: string, named: "file" | "nothing"): WorldlineError {
  return new WorldlineError(named === "file" ? "folder-is-a-file" : "folder-missing", { given });
}

export function commandMissing(path: string, known: readonly string[]): WorldlineError {
  return new WorldlineError("command-incomplete", { path, known });
}
