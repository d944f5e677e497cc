import { WorldlineError } from "../../../record/error.ts";

export function nothingToCompact(keep: number): WorldlineError {
  return new WorldlineError("NOTHING_TO_COMPACT", "Nothing to compact.", {
    hint:
      keep === 1
        ? "The last exchange always stays as it is."
        : `The last ${keep} exchanges always stay as they are.`,
  });
}
