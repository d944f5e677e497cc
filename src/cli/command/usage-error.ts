import type { CommanderError } from "commander";
import { WorldlineError } from "../../record/error.ts";
import { closestIn } from "./suggestions.ts";

/** Says in our words what commander found wrong; `path` is the command as the person typed it. */
export function usageErrorOf(error: CommanderError, path: string): WorldlineError {
  // Commander wants to show help as an error: `help` was asked about a command that is not there.
  if (error.code === "commander.help") return helpMissing(path, error);
  const [first = "", suggestion] = error.message.replace(/^error: /u, "").split("\n");
  const message = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/u, "")}.`;
  // A value that is not one of the choices is bad input; everything else is a command that cannot be read.
  const code = error.code === "commander.invalidArgument" ? "INPUT_INVALID" : "USAGE";
  const hint = suggestion === undefined ? `See: ${path} --help` : suggestion.replace(/^\((.*)\)$/u, "$1");
  return new WorldlineError(code, message, { hint, cause: error });
}

/**
 * As `usageErrorOf`, for a command whose input may be a secret: commander quotes what it does not know, and a
 * secret may well begin with a dash. The cause, which quotes it too, is left out.
 */
export function secretUsageErrorOf(error: CommanderError, path: string): WorldlineError {
  if (error.code !== "commander.unknownOption") {
    const { code, message, hint } = usageErrorOf(error, path);
    return new WorldlineError(code, message, hint === undefined ? {} : { hint });
  }
  return new WorldlineError("USAGE", "Something that begins with a dash is no option of this command.", {
    hint: `If it is the text itself, put -- before it: ${path} -- <text>, or read it from a pipe: ${path} -`,
  });
}

export function noHelpFor(given: string, suggestion: string | undefined): WorldlineError {
  return new WorldlineError("USAGE", `There is no command "worldline ${given}".`, {
    hint: suggestion ?? "See: worldline --help",
  });
}

function helpMissing(path: string, cause: CommanderError): WorldlineError {
  return new WorldlineError("USAGE", "There is no help for a command of that name.", {
    hint: `See: ${path} --help`,
    cause,
  });
}

export function unknownCommand(path: string, given: string, known: readonly string[]): WorldlineError {
  const meant = closestIn(given, known);
  return new WorldlineError("USAGE", `There is no command "${path} ${given}".`, {
    hint: meant === undefined ? `See: ${path} --help` : `Did you mean: ${path} ${meant}`,
  });
}

/** For one word, which may also be all that the user wants to say to the agent. */
export function noSuchCommand(given: string, suggestion: string | undefined): WorldlineError {
  return new WorldlineError("USAGE", `There is no command "worldline ${given}".`, {
    hint: `${suggestion ?? "See: worldline --help."} To say it to the agent: worldline -- ${given}`,
  });
}

/** For one word that can only be meant as a folder to work in. */
export function notAFolder(given: string, named: "file" | "nothing"): WorldlineError {
  const message =
    named === "file" ? `${given} is a file, and no folder to work in.` : `There is no folder ${given}`;
  return new WorldlineError("INPUT_INVALID", message, {
    hint: `Name a folder that is there. To say it to the agent: worldline -- ${given}`,
  });
}

export function commandMissing(path: string, known: readonly string[]): WorldlineError {
  return new WorldlineError("USAGE", `"${path}" needs a command after it.`, {
    hint: `One of: ${known.join(", ")}. See: ${path} --help`,
  });
}
