import { createHash } from "node:crypto";
import type { EntryOf, ExecutionOf } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { newSessionId, type SessionId } from "../record/ids.ts";

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
export function requireSameExecution(header: EntryOf<"session">, wanted: ExecutionOf): void {
  const { execution } = header;
  if (execution?.id === wanted.id && execution.scope === wanted.scope) return;
  throw new WorldlineError("execution-session-taken", { session: header.session });
}
