import { createHash } from "node:crypto";
import { type Ground, headerOf, holdSession, newHeader } from "../machine/open.ts";
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
  /** The folder that a new one works in. */
  readonly workspace: string;
}

export interface ExecutionHoldOptions {
  /** What others are told who want to run it too. */
  readonly name: string;
  /** How long to wait for another runner; 0 refuses at once with SESSION_HELD. */
  readonly waitMs: number;
  /** Whether to take it over from a runner that cannot be asked whether it lives. */
  readonly takeOver?: TakeOver;
  /** Called when it is closed: the moment to close what was opened for it. */
  readonly onClose?: () => Promise<void>;
}

/** The first entry of the execution's session, which is begun where there is none. Of two that begin it at once, one does. */
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

/** Whether the execution's session is there: its holder may have deleted it. */
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

/** Holds the execution that `header` begins: one runner at a time. */
export async function holdExecution(
  context: Ground,
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
 * The session of an execution: the same for the same id and scope, so that it is found without a search, and
 * two programs that begin it at once begin one. The bytes are those of the texts as JavaScript holds them, whatever
 * they are; the length of the scope keeps ("a", "bc") and ("ab", "c") apart.
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

/** Two ids may, once in a very long while, have the same session. Then the second is told, and the first is left alone. */
function requireSameExecution(header: EntryOf<"session">, wanted: ExecutionOf): void {
  const { execution } = header;
  if (execution?.id === wanted.id && execution.scope === wanted.scope) return;
  throw new WorldlineError("execution-session-taken", { session: header.session });
}
