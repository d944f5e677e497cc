import { type ErrorCode, isWorldlineError } from "../record/error.ts";

/**
 * Exit codes: 0 done, 1 something failed, 2 usage, 41 no key, 42 bad input or needs `--yes`, 52 bad settings, 53 step
 * limit, 130 canceled. Scripts branch on these codes, so the meaning of a number never changes.
 */
export type ExitCode = OwnExitCode | OthersExitCode;
type OwnExitCode = 0 | 1 | 2 | 41 | 42 | 52 | 53 | 130;
/** The exit code of a command that was run for the user. The code is passed on unchanged. */
export type OthersExitCode = number & { readonly exitCodeOf: "another program" };

const exitCodes: Readonly<Record<ErrorCode, OwnExitCode>> = {
  BACKTRACK_REFUSED: 1,
  BLOB_DAMAGED: 1,
  BLOB_MISSING: 1,
  BUNDLE_INVALID: 42,
  CANCELLED: 130,
  CHECKPOINT_AMBIGUOUS: 42,
  CHECKPOINT_UNKNOWN: 42,
  CONTEXT_TOO_LONG: 1,
  ENTRIES_MISSING: 1,
  ENTRY_INVALID: 1,
  ENTRY_UNKNOWN: 42,
  EXECUTION_UNKNOWN: 42,
  FORMAT_NEWER: 1,
  HOME_KEY_UNUSABLE: 1,
  IMPORT_INVALID: 42,
  INPUT_INVALID: 42,
  JOURNEY_UNKNOWN: 42,
  LABEL_INVALID: 42,
  MODEL_BUSY: 1,
  MODEL_FAILED: 1,
  MODEL_KEY: 41,
  MODEL_REDIRECTED: 42,
  MODEL_REFUSED: 1,
  MODEL_UNKNOWN: 42,
  MODEL_UNREACHABLE: 1,
  NEEDS_YES: 42,
  NO_MODEL: 41,
  NOTHING_TO_COMPACT: 1,
  NOTHING_TO_FORGET: 1,
  NOTHING_TO_REDO: 1,
  RESTORE_UNFINISHED: 1,
  RETRIES_SPENT: 1,
  REWIND_REFUSED: 1,
  SEQ_CONFLICT: 1,
  SESSION_AMBIGUOUS: 42,
  SESSION_CLOSED: 1,
  SESSION_EXISTS: 1,
  SESSION_HELD: 1,
  SESSION_UNCONFIRMED: 42,
  SESSION_UNKNOWN: 42,
  SETTINGS_INVALID: 52,
  SNAPSHOT_DAMAGED: 1,
  SNAPSHOT_MISSING: 1,
  SNAPSHOTS_HELD: 1,
  STEP_CHANGED: 1,
  STEP_FAILED: 1,
  STEP_LIMIT: 53,
  STEP_UNFINISHED: 1,
  STORE_BUSY: 1,
  STORE_FULL: 1,
  STORE_UNREACHABLE: 1,
  STORE_UNREADABLE: 1,
  STORE_UNWRITABLE: 1,
  TURN_RUNNING: 1,
  USAGE: 2,
  WORKSPACE_UNUSABLE: 42,
};

/** Returns the exit code for scripts. An error other than a WorldlineError is reported as "something failed". */
export function exitCodeOf(error: unknown): ExitCode {
  return isWorldlineError(error) ? exitCodeOfCode(error.code) : 1;
}

export function exitCodeOfCode(code: ErrorCode): ExitCode {
  return exitCodes[code];
}
