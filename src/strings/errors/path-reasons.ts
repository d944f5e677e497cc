import type { pathReasons } from "./en/path-reasons.ts";
import type { Wording } from "./texts.ts";

export type PathReasonWords = typeof pathReasons;

/** Why a path of a journey was kept or failed, or what else there is to say of it. The catalogues have the words. */
export type PathReason =
  | { readonly code: keyof PathReasonWords["plain"] }
  | { readonly code: keyof PathReasonWords["because"]; readonly by: PathReason }
  /** What was there is kept beside it, under another name. */
  | { readonly code: "kept-aside"; readonly path: string }
  /** What the system said. */
  | { readonly code: "errno"; readonly errno: string }
  /** An error of ours, as its reason with its parameters. */
  | { readonly code: "error"; readonly reason: string; readonly params: unknown };

/**
 * The words for reasons that this program made, or that a log holds. Undefined where one of them is not known here, as in the
 * log of a newer program: then the English beside it is shown.
 */
export function pathReasonsText(
  reasons: readonly PathReason[],
  words: PathReasonWords,
  message: Wording["message"],
): string | undefined {
  const texts = reasons.map((reason) => reasonText(reason, words, message));
  return texts.includes(undefined) ? undefined : texts.join(words.separator);
}

function reasonText(
  reason: PathReason,
  words: PathReasonWords,
  message: Wording["message"],
): string | undefined {
  if (reason.code === "kept-aside") return words["kept-aside"](String(reason.path));
  if (reason.code === "errno") return errnoText(String(reason.errno), words);
  if (reason.code === "error") return errorText(reason, message);
  if (!("by" in reason))
    return Object.hasOwn(words.plain, reason.code) ? words.plain[reason.code] : undefined;
  const by = reasonText(reason.by, words, message);
  return by === undefined || !Object.hasOwn(words.because, reason.code)
    ? undefined
    : words.because[reason.code](by);
}

function errnoText(errno: string, words: PathReasonWords): string {
  const known = Object.hasOwn(words.errnos, errno);
  return words.errno(errno, known ? words.errnos[errno as keyof PathReasonWords["errnos"]] : undefined);
}

/** The parameters may be those of another version. */
function errorText(
  { reason, params }: Extract<PathReason, { readonly code: "error" }>,
  message: Wording["message"],
): string | undefined {
  try {
    return message({ reason, params });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
