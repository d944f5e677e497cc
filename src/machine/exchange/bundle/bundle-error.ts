import { WorldlineError } from "../../../record/error.ts";

/** What is wrong with a bundle, and where. Nothing has been written when this is thrown. */
export function bundleInvalid(what: string, cause?: unknown): WorldlineError {
  return new WorldlineError("BUNDLE_INVALID", `The bundle cannot be imported: ${what}.`, {
    hint: "Nothing was imported. Export the session again, or copy the file again.",
    ...(cause === undefined ? {} : { cause }),
  });
}
