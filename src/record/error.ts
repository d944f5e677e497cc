import type { SessionId } from "./ids.ts";

/**
 * Why something could not be done. Closed, so that callers can switch on it; what the codes
 * mean to a person stands in the message and the hint.
 */
export type ErrorCode =
  | "BACKTRACK_REFUSED"
  | "BLOB_DAMAGED"
  | "BLOB_MISSING"
  | "BUNDLE_INVALID"
  | "CANCELLED"
  | "CHECKPOINT_AMBIGUOUS"
  | "CHECKPOINT_UNKNOWN"
  | "CONTEXT_TOO_LONG"
  | "ENTRIES_MISSING"
  | "ENTRY_INVALID"
  | "ENTRY_UNKNOWN"
  | "EXECUTION_UNKNOWN"
  | "FORMAT_NEWER"
  | "HOME_KEY_UNUSABLE"
  | "IMPORT_INVALID"
  | "INPUT_INVALID"
  | "JOURNEY_UNKNOWN"
  | "LABEL_INVALID"
  | "MODEL_BUSY"
  | "MODEL_FAILED"
  | "MODEL_KEY"
  | "MODEL_REDIRECTED"
  | "MODEL_REFUSED"
  | "MODEL_UNKNOWN"
  | "MODEL_UNREACHABLE"
  | "NEEDS_YES"
  | "NOTHING_TO_COMPACT"
  | "NOTHING_TO_FORGET"
  | "NOTHING_TO_REDO"
  | "NO_MODEL"
  | "RESTORE_UNFINISHED"
  | "RETRIES_SPENT"
  | "REWIND_REFUSED"
  | "SEQ_CONFLICT"
  | "SESSION_AMBIGUOUS"
  | "SESSION_CLOSED"
  | "SESSION_EXISTS"
  | "SESSION_HELD"
  | "SESSION_UNCONFIRMED"
  | "SESSION_UNKNOWN"
  | "SETTINGS_INVALID"
  | "SNAPSHOT_DAMAGED"
  | "SNAPSHOT_MISSING"
  | "SNAPSHOTS_HELD"
  | "STEP_CHANGED"
  | "STEP_FAILED"
  | "STEP_LIMIT"
  | "STEP_UNFINISHED"
  | "STORE_BUSY"
  | "STORE_FULL"
  | "STORE_UNREACHABLE"
  | "STORE_UNREADABLE"
  | "STORE_UNWRITABLE"
  | "TURN_RUNNING"
  | "USAGE"
  | "WORKSPACE_UNUSABLE";

export interface ErrorDetails {
  /** The next thing to do, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The session that it is about, for callers that can do something about it. */
  readonly session?: SessionId;
}

/** The one error of Worldline. The same message and hint serve a person, a model and `--json`. */
export class WorldlineError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly session: SessionId | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "WorldlineError";
    this.code = code;
    this.hint = details.hint;
    this.session = details.session;
  }
}

/** Whether `error` is ours, and, when a code is asked for, that one. */
export function isWorldlineError(error: unknown, code?: ErrorCode): error is WorldlineError {
  return error instanceof WorldlineError && (code === undefined || error.code === code);
}

/** The system's name for what went wrong, such as "ENOSPC". */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether nothing stands at the path that was asked for. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}
