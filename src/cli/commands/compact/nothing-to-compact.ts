import { WorldlineError } from "../../../record/error.ts";

export function nothingToCompact(keep: number): WorldlineError {
  return new WorldlineError("nothing-to-compact", { keep });
}
