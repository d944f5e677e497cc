import { createHash } from "node:crypto";
import { headerOf, holdSession, newHeader, type SessionContext } from "../machine/open.ts";
import type { Clock } from "../ports/clock.ts";
import type { TakeOver } from "../ports/lease.ts";
import type { LogStore } from "../ports/log-store.ts";
import type { EntryOf, ExecutionOf } from "../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import { newSessionId, type SessionId } from "../record/ids.ts";
import type { Execution } from "./execution.ts";
import { heldByAnother } from "./execution-error.ts";
import { ProgramExecution } from "./running/program-execution.ts";
import { StepLedger } from "./running/step-ledger.ts";
import { StepRecords } from "./step-records.ts";

export interface ExecutionRequest extends ExecutionOf {
  /** The folder that a new execution will work in. */
  readonly workspace: string;
}

export interface ExecutionHoldOptions {
  /** The name of this program, shown by other programs that try to run the execution. */
  readonly name: string;
  /**
   * How long to wait, in milliseconds, while another program holds the execution. If 0, rejects immediately with
   * SESSION_HELD.
   */
  readonly waitMs: number;
  /** Whether to take the execution over from a program whose process cannot be checked. */
  readonly takeOver?: TakeOver;
  /** Called when the execution is closed, so that the caller can close whatever it opened for the execution. */
  readonly onClose?: () => Promise<void>;
}

/**
 * Returns the first entry of the execution's session, and creates the session if it does not exist. If two programs try
 * to create it at the same time, one succeeds and both get the same session.
 */
export async function beginExecution(
  { store, clock }: { readonly store: LogStore; readonly clock: Clock },
  { id, scope, workspace }: ExecutionRequest,
): Promise<EntryOf<"session">> {
  const execution = { id: requireExecutionId(id), scope };
  const session = sessionOfExecution(execution);
  const header = newHeader(clock, { workspace, mode: "execution", backtrack: "off" });
  const known = await headerWhereKnown(store, session);
  if (known === undefined) {
    try {
      await store.create({ ...header, session, execution });
    } catch (error) {
      if (!isWorldlineError(error, "SESSION_EXISTS")) throw error;
    }
  }
  const found = known ?? (await headerOf(store, session));
  requireSameExecution(found, execution);
  return found;
}

/** Checks whether the execution's session exists. The program that holds the execution may have deleted it. */
export async function isBegun(store: LogStore, session: SessionId): Promise<boolean> {
  return (await headerWhereKnown(store, session)) !== undefined;
}

export async function headerWhereKnown(
  store: LogStore,
  session: SessionId,
): Promise<EntryOf<"session"> | undefined> {
  try {
    return await headerOf(store, session);
  } catch (error) {
    if (isWorldlineError(error, "SESSION_UNKNOWN")) return undefined;
    throw error;
  }
}

/** Holds the execution recorded in this session. Only one program at a time can hold it. */
export async function holdExecution(
  context: SessionContext,
  header: EntryOf<"session">,
  { onClose = async () => undefined, ...holding }: ExecutionHoldOptions,
): Promise<Execution> {
  const session = await holdSession(context, header.session, holding).catch(async (error: unknown) => {
    if (!isWorldlineError(error, "SESSION_HELD")) throw error;
    const holder = await context.store.holder(header.session);
    throw heldByAnother(header.execution?.id ?? "", error, holder?.life ?? "living");
  });
  try {
    const records = await StepRecords.read(session);
    const ledger = new StepLedger({ session, records, clock: context.clock });
    return new ProgramExecution(ledger, context.store, onClose);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * The id of an execution's session. The id is derived from the execution's id and scope. The session can therefore be
 * found without a search, and two programs that begin the execution at the same time get the same session. The hash
 * covers the strings exactly as JavaScript stores them, including lone surrogates. The length of the scope is hashed
 * too, so that ("a", "bc") and ("ab", "c") get different ids.
 */
export function sessionOfExecution({ id, scope }: ExecutionOf): SessionId {
  const hash = createHash("sha256");
  hash.update(`${scope.length}:`, "latin1").update(scope, "utf16le").update(id, "utf16le");
  const digest = hash.digest();
  return newSessionId((count) => digest.subarray(0, count));
}

export function requireExecutionId(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw new WorldlineError("execution-id-missing", { given: id === "" ? "empty" : "not-a-text" });
}

/**
 * In the very unlikely case that two ids lead to the same session, the second id is rejected, and the first is not
 * affected.
 */
function requireSameExecution(header: EntryOf<"session">, wanted: ExecutionOf): void {
  const { execution } = header;
  if (execution?.id === wanted.id && execution.scope === wanted.scope) return;
  throw new WorldlineError("execution-session-taken", { session: header.session });
}
