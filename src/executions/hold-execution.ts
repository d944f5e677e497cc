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
  /** The name of this program, shown by other programs that want to run the execution. */
  readonly name: string;
  /** How long to wait for another program that runs the execution. 0 rejects immediately with SESSION_HELD. */
  readonly waitMs: number;
  /** Whether to take the execution over from a program whose process cannot be checked. */
  readonly takeOver?: TakeOver;
  /** Called on close, so that the caller can close what it opened for the execution. */
  readonly onClose?: () => Promise<void>;
}

/**
 * The first entry of the execution's session. Creates the session if there is none. If two programs try that at the
 * same time, one succeeds, and both get the same session.
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

/** Whether the execution's session exists. Its holder may have deleted it. */
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

/** Holds the execution of this session. Only one program at a time can do that. */
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
 * The id of an execution's session. It is derived from the execution's id and scope, so that the session is found
 * without a search, and two programs that begin the execution at the same time begin the same one. The hash covers the
 * strings as JavaScript holds them, even lone surrogates. The length of the scope distinguishes ("a", "bc") from
 * ("ab", "c").
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
 * Two ids may lead to the same session, though that is very unlikely. The second id is then refused, and the first is
 * not affected.
 */
function requireSameExecution(header: EntryOf<"session">, wanted: ExecutionOf): void {
  const { execution } = header;
  if (execution?.id === wanted.id && execution.scope === wanted.scope) return;
  throw new WorldlineError("execution-session-taken", { session: header.session });
}
