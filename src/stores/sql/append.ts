import { ownerFacts } from "../../disk/lock-owner.ts";
import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";
import { sessionTakenOver, sessionUnknown } from "../all-stores.ts";
import type { Transaction } from "./database.ts";
import { leaseRowOf } from "./leases.ts";
import { insertLines, linesIn, packEntries } from "./lines.ts";
import { findRow, lockSession, rowOf, type SessionTables } from "./session-tables.ts";

/** Entries to append, starting at a specific line. */
interface Addition {
  readonly session: SessionId;
  readonly first: Seq;
  readonly entries: readonly Entry[];
  /** The token of the lease. Undefined if this store does not hold the lease. */
  readonly token: string | undefined;
}

/** Data for the transaction that appends lines. */
interface AppendContext {
  readonly addition: Addition;
  readonly lines: readonly Uint8Array[];
  readonly tables: SessionTables;
}

/**
 * Appends to the sessions in one store. Remembers lines if it could not find out whether they were appended. If the
 * same lines are appended again, alone or followed by more lines, they are recognized as this store's own lines rather
 * than another writer's.
 */
export class Appender {
  readonly #tables: SessionTables;
  readonly #unsettled = new Map<SessionId, Seq>();
  readonly #queue = new QueuePerKey<SessionId>();

  constructor(tables: SessionTables) {
    this.#tables = tables;
  }

  async append(addition: Addition): Promise<void> {
    await this.#queue.run(addition.session, async () => this.#append(addition));
  }

  async #append(addition: Addition): Promise<void> {
    const { session, first, entries } = addition;
    const tables = this.#tables;
    await tables.needSchema(session);
    if (entries.length === 0) return tables.lookAt(session, async () => undefined);
    const appending = { addition, tables, lines: packEntries(entries, first) };
    await tables.change({
      checksVersion: "itself",
      work: async (transaction) => {
        const mayStand = this.#unsettled.get(session) === first;
        // The session is locked first, because the unacknowledged commit may still be in progress.
        if (mayStand) await lockSession(transaction, session);
        const standing = mayStand ? await linesThere(transaction, appending) : 0;
        if (standing < appending.lines.length) await addTo(transaction, appending, standing);
        return "done";
      },
      happened: async (transaction) => {
        const standing = await linesThere(transaction, appending);
        return standing === appending.lines.length ? "done" : undefined;
      },
      inDoubt: () => this.#unsettled.set(session, first),
    });
    this.#unsettled.delete(session);
  }
}

/** Adds the lines, starting with the line at index `from`. */
async function addTo(
  transaction: Transaction,
  { addition, lines, tables }: AppendContext,
  from: number,
): Promise<void> {
  const { session, token } = addition;
  const first = addition.first + from;
  const [row] = await transaction.all(
    `UPDATE worldline_sessions SET next_seq = ? WHERE id = ? AND next_seq = ? AND trashed_at IS NULL
      AND NOT EXISTS (SELECT version FROM worldline_schema WHERE version > ?) RETURNING session_key`,
    [addition.first + lines.length, session, first, tables.newestVersion],
  );
  if (row === undefined) {
    await tables.checkVersion(transaction);
    throw await refused(transaction, addition);
  }
  const key = row["session_key"] as number;
  if (token !== undefined) {
    // The lease is read after the update. A takeover must wait for the updated row, so the lease remains valid.
    const lease = await leaseRowOf(transaction, key);
    if (lease?.owner.token !== token) throw sessionTakenOver(session, lease?.owner);
  }
  await insertLines(transaction, { key, first }, lines.slice(from));
}

async function refused(transaction: Transaction, addition: Addition): Promise<WorldlineError> {
  const { session, first, token } = addition;
  const row = await findRow(transaction, session);
  if (row === undefined) return sessionUnknown(session);
  const owner = (await leaseRowOf(transaction, row.key))?.owner;
  // A takeover explains the unexpected lines, and must be reported to the former holder.
  if (token !== undefined && owner?.token !== token) return sessionTakenOver(session, owner);
  return new WorldlineError("line-taken-in-database", {
    session,
    next: row.nextSeq,
    expected: first,
    owner: owner && ownerFacts(owner),
  });
}

/**
 * Counts how many of the lines are already in the table, up to the first line that differs. Ids are random, so equal
 * lines are the same lines.
 */
async function linesThere(transaction: Transaction, { addition, lines }: AppendContext): Promise<number> {
  const { session, first } = addition;
  const { key } = await rowOf(transaction, session);
  const range = { key, from: first, to: first + lines.length - 1 };
  let same = 0;
  for await (const { seq, line } of linesIn(transaction, range)) {
    const mine = lines[seq - first];
    if (mine === undefined || seq !== first + same || Buffer.compare(line, mine) !== 0) break;
    same += 1;
  }
  return same;
}

/**
 * Runs the tasks for each key in the order in which they were requested. With several connections, a later append could
 * otherwise be executed first. The later append would then be rejected, because it expects a different line.
 */
class QueuePerKey<Key> {
  readonly #last = new Map<Key, Promise<void>>();

  async run(key: Key, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(key, mine);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
