import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { type ErrorCode, isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";

/** A store under test, empty and in a place of its own. */
export interface LogStoreSubject {
  readonly store: LogStore;
  /** A second store on the same content, as another process would open it; it is closed with the first. */
  another(): LogStore;
  /** Makes the line of an entry unreadable; or the reason why this store cannot do that. */
  readonly damageLine: ((session: SessionId, seq: Seq) => void | Promise<void>) | SkippedContracts;
  /** Makes every write fail, as on a full disk, until the returned function is called. */
  readonly fillUp: (() => () => void) | SkippedContracts;
  /** Leaves the session held by a dead owner, like a program that was killed while writing. */
  readonly abandonLease: ((session: SessionId) => Promise<void>) | SkippedContracts;
  /** Removes everything. */
  remove(): Promise<void>;
}

/** A skipped case needs a reason, which is printed with its title. */
export interface SkippedContracts {
  readonly notHere: string;
}

export interface ContractCase {
  readonly title: string;
  /** What the case needs from the subject besides a store. */
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

/** Compares codes, because callers switch on them; returns the error, so that its text can be checked. */
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
