import { realProcesses } from "../../disk/lock-owner.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { Appender } from "./append.ts";
import { blobHashes, getBlob, putBlob } from "./blobs.ts";
import { Leases } from "./leases.ts";
import { openLog, readEntries, rewriteLog, scrapsIn, verifyLog } from "./lines.ts";
import { migrations } from "./schema.ts";
import { SessionTables, type SqlStoreOptions } from "./session-tables.ts";
import {
  createSession,
  emptyTrash,
  listSessions,
  listTrash,
  publishCheckpoints,
  sizesOf,
  trashSession,
  undeleteSession,
} from "./sessions.ts";

const LEASE_MS = 30_000;
/**
 * Limits for the term of a lease. A busy machine could not renew a shorter lease in time, and a timer for a longer
 * lease would fire immediately.
 */
const [MIN_LEASE_MS, MAX_LEASE_MS] = [100, 86_400_000];

/** Stores sessions in the tables of a database. The differences between databases are in their drivers. */
export function openSqlStore(options: SqlStoreOptions): LogStore {
  const { database, place, clock, processes = realProcesses(), leaseMs = LEASE_MS } = options;
  checkLeaseMs(leaseMs);
  const tables = new SessionTables({ migrations, ...options });
  const leases = new Leases(tables, { clock, processes, leaseMs, reach: place.reach });
  const appender = new Appender(tables);
  const append: LogStore["append"] = async (session, first, entries) =>
    appender.append({ session, first, entries, token: leases.tokenOf(session) });
  const mustBeThere = async (session: SessionId): Promise<undefined> =>
    tables.lookAt(session, async () => undefined);

  return {
    place,
    create: async (first, content = { entries: [], blobs: [] }) =>
      createSession({ tables, clock }, first, content),
    open: async (session) => tables.lookAt(session, openLog),
    recover: async (session) => {
      // There is nothing to recover, because a transaction never leaves incomplete data.
      await mustBeThere(session);
      return { setAside: [] };
    },
    append,
    rotationDue: async (session) => mustBeThere(session),
    rotate: async (session, entry) => append(session, entry.seq, [entry]),
    read: async (session, from, to) =>
      tables.lookAt(session, async (transaction, { key, nextSeq }) =>
        readEntries(transaction, { key, from, to: Math.min(to, nextSeq - 1) }),
      ),
    verify: async (session) => tables.lookAt(session, verifyLog),

    list: async (filter = {}) =>
      tables.look<readonly SessionId[]>([], async (transaction) => listSessions(transaction, filter)),
    stamp: async (session) =>
      tables.lookAt(session, async (_, { key, nextSeq, rewrites }) => `${key}.${nextSeq}.${rewrites}`),
    sizes: async (session) =>
      tables.lookAt(session, async (transaction, { key }) => sizesOf(transaction, key)),
    holder: async (session) => leases.holder(session),
    lease: async (session, request) => leases.acquire(session, request),

    putBlob: async (session, bytes) => putBlob(tables, session, bytes),
    getBlob: async (session, hash) => getBlob(tables, session, hash),
    listBlobs: async (session) =>
      tables.lookAt(session, async (transaction, { key }) => blobHashes(transaction, key)),

    trash: async (session, at) => {
      await trashSession(tables, session, at);
      leases.letGo(session);
    },
    undelete: async (session) => undeleteSession(tables, session),
    listTrash: async () => tables.look([], listTrash),
    listRemnants: async () => [],
    emptyTrash: async (before) => emptyTrash(tables, before),

    scraps: async (session) => tables.lookAt(session, scrapsIn),
    scrub: async () => scrubDatabase(tables),
    rewrite: async (session, replace) => rewriteLog(tables, session, replace),
    publish: async (session, checkpoints) => publishCheckpoints(tables, session, checkpoints),
    close: async () => {
      await leases.close();
      await database.close();
    },
  };
}

function checkLeaseMs(leaseMs: number): void {
  const isNumber = typeof leaseMs === "number";
  if (isNumber && leaseMs >= MIN_LEASE_MS && leaseMs <= MAX_LEASE_MS) return;
  throw new WorldlineError("lease-out-of-range", {
    leaseMs,
    shortest: MIN_LEASE_MS,
    longest: MAX_LEASE_MS,
    usual: LEASE_MS,
  });
}

/**
 * Cleans up the database. Returns the reason for a failure instead of throwing it, because earlier changes are kept in
 * any case.
 */
async function scrubDatabase(tables: SessionTables): Promise<string | undefined> {
  try {
    if (await tables.isThere()) await tables.database.scrub();
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error.message;
    throw error;
  }
}
