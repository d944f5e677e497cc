import type { ErrorReason, errorsInEnglish } from "./en/errors.ts";
import type { ErrorText, Problem, Translated, Wording } from "./texts.ts";

/** All errors in some language. */
export type ErrorCatalogue = Translated<typeof errorsInEnglish>;

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

function textOf(catalogue: ErrorCatalogue, problem: Exclude<Problem, string>): ErrorText<unknown> {
  // The parameters are those of the reason, which the type of a table of all reasons cannot say.
  return (catalogue[problem.reason as ErrorReason] as ErrorText<unknown> | undefined) ?? legacyText(problem);
}

/** Until the last error is one with a reason: the words as they were thrown. */
function legacyText(problem: object): ErrorText<unknown> {
  const hint = "hint" in problem && typeof problem.hint === "string" ? problem.hint : undefined;
  return { message: String, hint: hint === undefined ? undefined : () => hint };
}
