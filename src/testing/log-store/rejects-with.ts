import assert from "node:assert/strict";
import { type ErrorCode, isWorldlineError, type WorldlineError } from "../../record/error.ts";

/** Callers switch on codes, so the tests do too; returns the error, for its words. */
export async function rejectsWith(code: ErrorCode, promise: Promise<unknown>): Promise<WorldlineError> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (isWorldlineError(error, code)) return error;
    throw error;
  }
  assert.fail(`Expected ${code}, but it resolved to ${JSON.stringify(value)}`);
}
