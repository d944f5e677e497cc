import { resolve } from "node:path";
import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { checkOptions, option } from "../../record/options.ts";

/** What to remove from all sessions and snapshots. */
export type ForgetRequest =
  /** Erases every occurrence of a string. */
  | { readonly what: "text"; readonly text: string }
  /** Erases the inputs and results of tool calls about one file, and the file's contents in snapshots. */
  | { readonly what: "path"; readonly path: string };

/** Replaces erased text. */
export const TOMBSTONE = "[forgotten]";

/** Replaces the erased content of a file outside the workspace. */
export const FORGOTTEN_CONTENT = { why: "forgotten" } as const;

const SHORTEST = 4;

/** Rejects requests that would match too much. Error messages never repeat the text, because it may be a secret. */
export function checkForgetRequest(request: ForgetRequest): ForgetRequest {
  checkOptions<{ readonly what: string; readonly text?: string; readonly path?: string }>(request, {
    call: "forget",
    kinds: { what: option.oneOf("text", "path"), text: option.text, path: option.text },
    needed: ["what", (request as Partial<ForgetRequest>).what === "path" ? "path" : "text"],
  });
  if (request.what === "path") {
    if (request.path.trim() === "") throw new WorldlineError("forget-path-empty", {});
    return { what: "path", path: resolve(request.path) };
  }
  const { text } = request;
  if (text.trim().length < SHORTEST) {
    throw new WorldlineError("forget-text-short", { shortest: SHORTEST });
  }
  if (TOMBSTONE.includes(text)) {
    throw new WorldlineError("forget-text-tombstone", { tombstone: TOMBSTONE });
  }
  return request;
}

/**
 * Erases a string or a file from the entries of one session. The entries must be passed in log order and in their stored
 * form.
 */
export interface Eraser {
  /** Returns the entry itself if there is nothing to erase from it. */
  erase(entry: Entry): Erased;
}

export interface Erased {
  readonly entry: Entry;
  /** The number of occurrences that were erased. */
  readonly times: number;
  /**
   * The number of strings that could not be searched because they are damaged. Damaged strings are removed when the session
   * is rewritten.
   */
  readonly lost: number;
}
