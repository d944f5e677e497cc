import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { type ErrorCode, isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";

/** A store under test, empty and in a place of its own. */
export interface LogStoreSubject {
  readonly store: LogStore;
  /** A second store on the same content, as another process would have; it is closed with the first. */
  another(): LogStore;
  /** Makes the line of an entry unreadable; or why that cannot be done to this store. */
  readonly damageLine: ((session: SessionId, seq: Seq) => void | Promise<void>) | SkippedContracts;
  /** From now on nothing can be written, as on a full disk, until the returned function is called. */
  readonly fillUp: (() => () => void) | SkippedContracts;
  /** Leaves the session held by an owner that is dead, as a program does that is killed while it writes. */
  readonly abandonLease: ((session: SessionId) => Promise<void>) | SkippedContracts;
  /** Leaves nothing behind. */
  remove(): Promise<void>;
}

/** A skipped case needs a reason, which is printed with its title. */
export interface SkippedContracts {
  readonly notHere: string;
}

export interface ContractCase {
  readonly title: string;
  /** What the case needs of the subject besides a store. */
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
