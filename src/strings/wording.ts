import type { errorsInEnglish } from "./en/errors/errors.ts";
import type { remarksInEnglish } from "./en/errors/remarks.ts";
import type { ErrorCode, ErrorText, Problem, Translated, Wording } from "./errors/texts.ts";
import type { Strings } from "./strings.ts";

/** All errors and remarks in one language. */
export type ErrorCatalogue = Translated<typeof errorsInEnglish> & Translated<typeof remarksInEnglish>;

/** Renders errors for a reader, in the language of the catalogue. */
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
  command: (words) => (words === "" ? "worldline" : `worldline ${words}`),
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

/**
 * The equivalents of shell commands on Worldline's own screen. `*` matches one word that is not an option, and that
 * word replaces the `*` in the result. `...` matches the remaining words. The first matching row is used.
 */
const SAME_HERE: readonly (readonly [words: string, here: string])[] = [
  ["redo --list", "/redo list"],
  ["redo * --scope files", "/redo list"],
  ["rewind * --scope conversation", "/rewind * and choose the conversation"],
  ["rewind <number>", "/rewind"],
  ["rewind --all", "/rewind"],
  ["rewind *", "/rewind *"],
  ["rewind", "/rewind"],
  ["checkpoints", "/rewind"],
  ["checkpoints --all", "/rewind"],
  ["checkpoint *", "/checkpoint save <label>"],
  ["sessions list ...", "/resume"],
  ["sessions delete *", "/delete *"],
  ["--resume *", "/resume *"],
  ["-r *", "/resume *"],
  ["--model *", "/model *"],
  ["config set * *", "/config * *"],
  ["config set *", "/config *"],
  ["config", "/config"],
  ["diff", "/diff"],
  ["diff <cp>", "/diff"],
  ["compact", "/compact"],
  ["doctor", "/doctor"],
  ["setup", "/setup"],
  ["setup *", "/setup *"],
  ["models", "/model"],
  ["models --json", "/model"],
];

/** Renders a command as the user types it on the screen, or as a shell command if the screen has no equivalent. */
export function commandOnScreen(words: string): string {
  const typed = wordsIn(words);
  for (const [pattern, here] of SAME_HERE) {
    const found = matched(pattern.split(" "), typed);
    if (found === undefined) continue;
    const put = [...found];
    return here.replaceAll("*", () => put.shift() ?? "");
  }
  return `worldline ${words}`.trim();
}

/** Splits a command into words. A word in quotation marks may contain spaces. */
function wordsIn(words: string): readonly string[] {
  return words.match(/"[^"]*"|\S+/gu) ?? [];
}

/** Returns the words that match the stars, or undefined if the pattern does not match. */
function matched(pattern: readonly string[], typed: readonly string[]): readonly string[] | undefined {
  const isOpen = pattern.at(-1) === "...";
  const wanted = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? typed.length < wanted.length : typed.length !== wanted.length) return undefined;
  const stars: string[] = [];
  for (const [at, word] of wanted.entries()) {
    const given = typed[at] ?? "";
    if (word === "*" && !given.startsWith("-")) stars.push(withoutSession(given));
    else if (word !== given) return undefined;
  }
  return stars;
}

/** Shortens `k3f9:12` to `12`, because the session is already open on the screen. */
function withoutSession(place: string): string {
  return place.replace(/^[^\s:]+:(?=\d+$)/u, "");
}

/** Renders errors for users of Worldline's terminal screen. */
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
 * Renders an error in the language of the screen, or in that of `wording`. An error from an older or newer version may
 * have no reason, an unknown reason, or different parameters. In that case, its original text is shown.
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
  /** Absent in older logs, and if the text is from another program. */
  readonly reason?: string | undefined;
  readonly params?: unknown;
}

/** Renders a remark in the reader's language, or returns its original text if its reason is unknown. */
export function remarkText(
  strings: Pick<Strings, "reasons" | "errors" | "output">,
  { why, reason, params }: ToldRemark,
  wording?: Wording,
): string {
  return errorOnScreen(strings, { message: why, reason, params }, wording).message;
}
