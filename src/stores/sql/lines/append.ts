import type { Owner } from "../../../ports/lease.ts";
import type { Entry } from "../../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { Seq, SessionId } from "../../../record/ids.ts";
import { sessionUnknown } from "../../session-error.ts";
import { CommitUnknown, type Transaction } from "../database.ts";
import { findRow, type Ground, rowOf } from "../ground.ts";
import { leaseRowOf } from "../leases/lease-rows.ts";
import { insertLines, linesIn } from "./line-rows.ts";
import { packEntries } from "./packed-line.ts";

/** Lines that are to stand at one place, and nowhere else. */
interface Addition {
  readonly session: SessionId;
  readonly first: Seq;
  readonly entries: readonly Entry[];
  /** Of the lease that this store holds, where it does. */
  readonly token: string | undefined;
}

/**
 * Appends to the sessions of one store. It remembers where it was left not knowing whether an append had happened:
 * the same append, made again, is then told from somebody else's.
 */
export class Appender {
  readonly #ground: Ground;
  readonly #unsettled = new Map<SessionId, Seq>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async append(addition: Addition): Promise<void> {
    const { session, first } = addition;
    await this.#ground.needSchema(session);
    if (addition.entries.length === 0) {
      return this.#ground.lookAt(session, async () => undefined);
    }
    if (this.#unsettled.get(session) === first && (await this.#stands(addition))) return;
    try {
      await this.#ground.change({
        work: async (transaction) => addTo(transaction, addition),
        happened: async (transaction) => ((await standsThere(transaction, addition)) ? "done" : undefined),
      });
      this.#unsettled.delete(session);
    } catch (error) {
      if (isOpenQuestion(error)) this.#unsettled.set(session, first);
      throw error;
    }
  }

  async #stands(addition: Addition): Promise<boolean> {
    const stands = await this.#ground.look(false, async (transaction) => standsThere(transaction, addition));
    if (stands) this.#unsettled.delete(addition.session);
    return stands;
  }
}

/** The lines may be there although the append was rejected: it was not the database that said no. */
function isOpenQuestion(error: unknown): boolean {
  return error instanceof CommitUnknown || isWorldlineError(error, "STORE_UNREACHABLE");
}

async function addTo(transaction: Transaction, addition: Addition): Promise<"done"> {
  const { session, first, entries, token } = addition;
  const [row] = await transaction.all(
    `UPDATE worldline_sessions SET next_seq = ? WHERE id = ? AND next_seq = ? AND trashed_at IS NULL
      RETURNING session_key`,
    [first + entries.length, session, first],
  );
  if (row === undefined) throw await refused(transaction, addition);
  const key = row["session_key"] as number;
  if (token !== undefined) {
    // After the update, which whoever takes a lease over waits for: the row that is read here is the one that counts.
    const lease = await leaseRowOf(transaction, key);
    if (lease?.owner.token !== token) throw leaseLost(session, lease?.owner);
  }
  await insertLines(transaction, { key, first }, packEntries(entries, first));
  return "done";
}

async function refused(transaction: Transaction, addition: Addition): Promise<WorldlineError> {
  const { session, first, token } = addition;
  const row = await findRow(transaction, session);
  if (row === undefined) return sessionUnknown(session);
  const owner = (await leaseRowOf(transaction, row.key))?.owner;
  // That explains the other lines, and is what whoever held the session has to know.
  if (token !== undefined && owner?.token !== token) return leaseLost(session, owner);
  const who = owner === undefined ? "" : ` ${nameOf(owner)} holds the session.`;
  return new WorldlineError(
    "SEQ_CONFLICT",
    `The next line of session ${session} is ${row.nextSeq}, not ${first}.${who}`,
    {
      hint: `Someone else wrote to the session. Open it again, or go your own way: worldline fork ${session}`,
    },
  );
}

function leaseLost(session: SessionId, owner: Owner | undefined): WorldlineError {
  const now = owner === undefined ? "nobody holds it now" : `${nameOf(owner)} holds it now`;
  return new WorldlineError("SEQ_CONFLICT", `Session ${session} was taken over: ${now}.`, {
    hint: `Nothing was written. Open it again, or go your own way: worldline fork ${session}`,
  });
}

function nameOf(owner: Owner): string {
  return `${owner.name} (pid ${owner.pid} on ${owner.host}, since ${owner.since})`;
}

/** Whether exactly these lines stand where they were to stand. Ids are drawn at random: equal ones are the same. */
async function standsThere(transaction: Transaction, addition: Addition): Promise<boolean> {
  const { session, first, entries } = addition;
  const { key, nextSeq } = await rowOf(transaction, session);
  if (nextSeq < first + entries.length) return false;
  const lines = packEntries(entries, first);
  let same = 0;
  for await (const { seq, line } of linesIn(transaction, {
    key,
    from: first,
    to: first + lines.length - 1,
  })) {
    if (Buffer.compare(line, lines[seq - first] ?? new Uint8Array()) === 0) same += 1;
  }
  return same === lines.length;
}
