import { resolve } from "node:path";
import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { checkOptions, option } from "../../record/options.ts";

/** What the owner wants to let go of, in all sessions and snapshots. */
export type ForgetRequest =
  /** Every occurrence of a text, exactly as it is written here. */
  | { readonly what: "text"; readonly text: string }
  /** What tools were told and have told about one file, and what snapshots have of it. */
  | { readonly what: "path"; readonly path: string };

/** What stands where something was forgotten. */
export const TOMBSTONE = "[forgotten]";

/** What stands where the content of a file outside the workspace was. */
export const FORGOTTEN_CONTENT = { why: "forgotten" } as const;

const SHORTEST = 4;

/** Refuses wishes that would hit more than is meant. Never repeats the text: it may be a secret. */
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

/** Takes something out of the entries of one session, given to it in the order of the log, as they are stored. */
export interface Eraser {
  /** Gives the same entry when there is nothing to take out of it. */
  erase(entry: Entry): Erased;
}

export interface Erased {
  readonly entry: Entry;
  /** How often something was taken out. */
  readonly times: number;
  /** Texts that cannot be searched because they are damaged; they go when the session is rewritten. */
  readonly lost: number;
}
