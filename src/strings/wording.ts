import type { errorsInEnglish } from "./en/errors/errors.ts";
import type { remarksInEnglish } from "./en/errors/remarks.ts";
import type { ErrorCode, ErrorText, Problem, Translated, Wording } from "./errors/texts.ts";
import type { Strings } from "./strings.ts";

/** All errors and remarks in some language. */
export type ErrorCatalogue = Translated<typeof errorsInEnglish> & Translated<typeof remarksInEnglish>;

/** How errors are put to a reader, in the language of the catalogue. */
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

/** For readers at a shell, who need nothing added to find the same sessions again. */
export const atAShell: Pick<Wording, "place" | "command"> = {
  place: "shell",
  command: (words) => (words === "" ? "worldline" : `worldline ${words}`),
};

function textOf(catalogue: ErrorCatalogue, { reason }: Exclude<Problem, string>): ErrorText<unknown> {
  // The parameters are those of the reason, which the type of a table of all reasons cannot say.
  return catalogue[reason as keyof ErrorCatalogue] as ErrorText<unknown>;
}

/** An error as a line for a person. Its message stays as it was thrown, because models and scripts read the same words. */
export function errorText(
  { errors, output }: Pick<Strings, "errors" | "output">,
  { code, message }: { readonly code: ErrorCode | "UNEXPECTED"; readonly message: string },
): string {
  return output.failure(errors[code], message);
}

/**
 * What at the prompt of the terminal does the same as a command at a shell. `*` stands for one word that is no option,
 * and is put into the answer; `...` for whatever follows. The first row that fits is taken.
 */
const SAME_HERE: readonly (readonly [words: string, here: string])[] = [
  ["redo --list", "/redo list"],
  ["redo * --scope files", "/redo list"],
  ["rewind * --scope conversation", "/rewind *, and the conversation alone"],
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

/** What the screen has no command for is typed at a shell. */
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

/** A word in quotation marks may hold spaces. */
function wordsIn(words: string): readonly string[] {
  return words.match(/"[^"]*"|\S+/gu) ?? [];
}

/** What the stars stand for; undefined where it does not fit. */
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

/** `k3f9:12` is 12: the screen is in its session. */
function withoutSession(place: string): string {
  return place.replace(/^[^\s:]+:(?=\d+$)/u, "");
}

/** How errors are put to somebody at the terminal's screen. */
export function screenWording(strings: Pick<Strings, "reasons">): Wording {
  return wordingIn(strings.reasons, { place: "screen", command: commandOnScreen });
}

/** An error as it was thrown, told or stored: in English, and mostly with what that was made from. */
export interface ToldError {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly reason?: string | undefined;
  readonly params?: unknown;
}

/**
 * The error in the language of the screen, or of `wording`. What an older or a newer program wrote may have no reason, one that is not
 * known here, or other parameters: then its own words are shown.
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

/** Something that is said in English where it is stored or sent, with what that was made from. */
export interface ToldRemark {
  readonly why: string;
  /** Absent in older logs, and where the words are another program's. */
  readonly reason?: string | undefined;
  readonly params?: unknown;
}

/** The remark in the reader's language; as it was written where its reason is not known here. */
export function remarkText(
  strings: Pick<Strings, "reasons" | "errors" | "output">,
  { why, reason, params }: ToldRemark,
  wording?: Wording,
): string {
  return errorOnScreen(strings, { message: why, reason, params }, wording).message;
}
