import { WorldlineError } from "../../../record/error.ts";

export function importInvalid(message: string, hint: string, cause?: unknown): WorldlineError {
  return new WorldlineError("IMPORT_INVALID", message, { hint, ...(cause === undefined ? {} : { cause }) });
}
