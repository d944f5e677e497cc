import { type Command, shellCommand, slashCommand } from "./commands.ts";
import type { errorsInEnglish } from "./en/errors/errors.ts";
import type { remarksInEnglish } from "./en/errors/remarks.ts";
import type { ErrorCode, ErrorText, Problem, Translated, Wording } from "./errors/texts.ts";
import type { Strings } from "./strings.ts";

/** The texts of all errors and remarks in one language. */
export type ErrorCatalogue = Translated<typeof errorsInEnglish> & Translated<typeof remarksInEnglish>;

/** Returns a wording that renders errors in the language of the catalogue. */
export function wordingIn(
  catalogue: ErrorCatalogue,
  { place, command }: Pick<Wording, "place" | "command">,
): Wording {
  const wording: Wording = {
    place,
    command,
    message: (problem) =>
      typeof problem === "string" ? problem : textOf(catalogue, problem).message(problem.params, wording),
    hint: (problem) =>
      typeof problem === "string" ? "" : (textOf(catalogue, problem).hint?.(problem.params, wording) ?? ""),
  };
  return wording;
}

/** The wording for a shell in which commands find the same sessions without further options. */
export const atAShell: Pick<Wording, "place" | "command"> = {
  place: "shell",
  command: (command) => ["worldline", ...shellCommand(command).words].join(" "),
};

function textOf(catalogue: ErrorCatalogue, { reason }: Exclude<Problem, string>): ErrorText<unknown> {
  // Each reason has its own parameters, which the type of a table with all reasons cannot express.
  return catalogue[reason as keyof ErrorCatalogue] as ErrorText<unknown>;
}

/** Renders an error as one line for users. The message is unchanged, so that models and scripts get the same text. */
export function errorText(
  { errors, output }: Pick<Strings, "errors" | "output">,
  { code, message }: { readonly code: ErrorCode | "UNEXPECTED"; readonly message: string },
): string {
  return output.failure(errors[code], message);
}

/** Renders a command for Worldline's own screen: as a slash command if there is one, else as typed at a shell. */
export function commandOnScreen(command: Command): string {
  return slashCommand(command) ?? atAShell.command(command);
}

/** Returns a wording that renders errors for users of Worldline's terminal screen. */
export function screenWording(strings: Pick<Strings, "reasons">): Wording {
  return wordingIn(strings.reasons, { place: "screen", command: commandOnScreen });
}

/**
 * An error that was thrown, emitted, or stored, with its English text and usually the reason and the parameters that
 * the text was rendered from.
 */
export interface ToldError {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly reason?: string | undefined;
  readonly params?: unknown;
}

/**
 * Renders an error in the language of the screen, or in the language of `wording`. An error from an older or newer
 * version may have no reason, an unknown reason, or different parameters. In that case, its original text is shown.
 */
export function errorOnScreen(
  strings: Pick<Strings, "reasons" | "errors" | "output">,
  { code, message, hint, reason, params }: ToldError,
  wording: Wording = screenWording(strings),
): { readonly message: string; readonly hint?: string } {
  const asItIs = {
    message: code === undefined ? message : errorText(strings, { code, message }),
    ...(hint === undefined ? {} : { hint }),
  };
  if (reason === undefined || !Object.hasOwn(strings.reasons, reason)) return asItIs;
  try {
    const said = wording.hint({ reason, params });
    return { message: wording.message({ reason, params }), ...(said === "" ? {} : { hint: said }) };
  } catch (error) {
    if (error instanceof TypeError) return asItIs;
    throw error;
  }
}

/** A remark that is stored or sent in English, with the reason and the parameters that it was rendered from. */
export interface ToldRemark {
  readonly why: string;
  /** Absent in older logs, and if another program wrote the text. */
  readonly reason?: string | undefined;
  readonly params?: unknown;
}

/** Renders a remark in the user's language, or returns its original text if its reason is unknown. */
export function remarkText(
  strings: Pick<Strings, "reasons" | "errors" | "output">,
  { why, reason, params }: ToldRemark,
  wording?: Wording,
): string {
  return errorOnScreen(strings, { message: why, reason, params }, wording).message;
}
