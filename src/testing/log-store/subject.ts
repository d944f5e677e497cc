import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { type ErrorCode, isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";

/** An empty store under test, separate from all other stores. */
export interface LogStoreSubject {
  readonly store: LogStore;
  /**
   * Opens a second store on the same content, as another process would. The second store is closed together with the
   * first.
   */
  another(): LogStore;
  /** Makes an entry's line unreadable. If this store cannot do that, the field contains the reason instead. */
  readonly damageLine: ((session: SessionId, seq: Seq) => void | Promise<void>) | SkippedContracts;
  /** Makes every write fail, as on a full disk. The returned function makes writes succeed again. */
  readonly fillUp: (() => () => void) | SkippedContracts;
  /** Leaves the session with a dead owner, as a program that was killed while writing would. */
  readonly abandonLease: ((session: SessionId) => Promise<void>) | SkippedContracts;
  /** Removes the store with all of its content. */
  remove(): Promise<void>;
}

/** The reason why a test case is skipped. */
export interface SkippedContracts {
  readonly notHere: string;
}

export interface ContractCase {
  readonly title: string;
  /** An additional ability that the subject must have for this test case. */
  readonly needs?: "damageLine" | "fillUp" | "abandonLease";
  run(subject: LogStoreSubject): Promise<void>;
}

export interface ContractGroup {
  readonly title: string;
  readonly cases: readonly ContractCase[];
}

export async function damage(subject: LogStoreSubject, session: SessionId, seq: Seq): Promise<void> {
  if (typeof subject.damageLine === "function") await subject.damageLine(session, seq);
}

/**
 * Requires the promise to reject with this code, because callers switch on codes. Returns the error, so that its text
 * can be checked.
 */
export async function rejectsWith(code: ErrorCode, promise: Promise<unknown>): Promise<WorldlineError> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (isWorldlineError(error, code)) return error;
    throw error;
  }
  assert.fail(`Expected ${code}, but the promise resolved to ${JSON.stringify(value)}`);
}
