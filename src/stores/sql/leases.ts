import {
  isUnreadable,
  lifeOf,
  newOwner,
  ownerFacts,
  type Processes,
  readOwner,
} from "../../disk/lock-owner.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Holder, Lease, LeaseRequest, Life, Owner, TakeOver } from "../../ports/lease.ts";
import type { StorePlace } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Transaction } from "./database.ts";
import { lockSession, rowOf, type SessionTables } from "./session-tables.ts";

interface LeaseSettings {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly leaseMs: number;
  /**
   * Whether other machines may write to the same sessions. If the store is "shared", another machine may have the same
   * host name as this one, and cloned machines have the same boot id. An owner is therefore checked by its pid only if
   * both its host name and its boot id match ours.
   */
  readonly reach: StorePlace["reach"];
}

const FIRST_WAIT_MS = 25;
const MAX_WAIT_MS = 250;
/** Number of times that a lease is renewed during its term, so that it survives two failed renewals. */
const RENEWALS_A_LEASE = 3;

/** The current lease, with a field that shows whether its owner is alive. */
interface CurrentLease extends LeaseRow {
  readonly life: Life;
}

type Attempt =
  | { readonly got: "lease"; readonly key: number; readonly takenFrom?: Owner }
  | { readonly got: "nothing"; readonly standing: CurrentLease };

/** Acquires, renews, and releases the leases of one store. */
export class Leases {
  readonly #tables: SessionTables;
  readonly #settings: LeaseSettings;
  readonly #held = new Map<SessionId, HeldLease>();
  /**
   * The timer for each lease. The timer renews the lease or, if releasing the lease failed, tries again to release it.
   */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #givenUp = givenUpLeases();
  #isClosed = false;

  constructor(tables: SessionTables, settings: LeaseSettings) {
    this.#tables = tables;
    this.#settings = settings;
  }

  /** Returns the token of the lease on the session, or undefined if this store does not hold the lease. */
  tokenOf(session: SessionId): string | undefined {
    return this.#held.get(session)?.token;
  }

  /** Forgets the lease of a session, because a session in the trash does not have a holder. */
  letGo(session: SessionId): void {
    const held = this.#held.get(session);
    if (held === undefined) return;
    this.#held.delete(session);
    this.#stop(held.token);
  }

  async holder(session: SessionId): Promise<Holder | undefined> {
    const standing = await this.#tables.lookAt(session, async (transaction, { key }) =>
      this.#standing(transaction, key),
    );
    if (standing === undefined) return undefined;
    const { owner, life, expiresAt } = standing;
    const until = life === "elsewhere" ? { until: new Date(expiresAt).toISOString() } : {};
    return { ...(isUnreadable(owner) ? {} : { owner }), life, ...until };
  }

  async acquire(session: SessionId, request: LeaseRequest): Promise<Lease> {
    const { clock, processes } = this.#settings;
    await this.#tables.needSchema(session);
    const deadline = clock.now() + request.waitMs;
    let waited = 0;
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(MAX_WAIT_MS, pause * 2)) {
      const owner = newOwner(processes, clock, request.name);
      const attempt = await this.#try(session, owner, request.takeOver ?? "no");
      if (attempt.got === "lease") return this.#hold(session, owner, attempt);
      const { standing } = attempt;
      const left = deadline - clock.now();
      if (left <= 0) throw sessionHeld(session, standing);
      if (waited === 0) request.onWait?.(standing.owner);
      waited += 1;
      await clock.wait(Math.min(pause, left));
    }
  }

  /** Releases all leases. A lease that cannot be released expires or ends with the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const token of [...this.#timers.keys()]) this.#stop(token);
    for (const [session, held] of this.#held) await this.#release(session, held).catch(() => undefined);
  }

  async #try(session: SessionId, owner: Owner, takeOver: TakeOver): Promise<Attempt> {
    // Waiters only poll. A row is written only when the lease may be free.
    const seen = await this.#tables.lookAt(session, async (transaction, { key }) =>
      this.#standing(transaction, key),
    );
    if (seen !== undefined && !mayReplace(seen, takeOver)) return { got: "nothing", standing: seen };
    const taking = this.#tables.change<Attempt>({
      work: async (transaction) => this.#take(transaction, session, { owner, takeOver }),
      happened: async (transaction) => {
        const { key } = await rowOf(transaction, session);
        const lease = await leaseRowOf(transaction, key);
        if (lease?.owner.token !== owner.token) return undefined;
        return { got: "lease", key, ...this.#takenFrom(seen) };
      },
    });
    return taking.catch((error: unknown) => {
      // The lease may have been stored even though the caller receives an error.
      this.#givenUp.add(owner.token);
      throw error;
    });
  }

  async #take(
    transaction: Transaction,
    session: SessionId,
    options: { readonly owner: Owner; readonly takeOver: TakeOver },
  ): Promise<Attempt> {
    // Locking the session waits for an append in progress. After that, the last lines of the old owner are either
    // stored or never will be.
    const key = await lockSession(transaction, session);
    const standing = await this.#standing(transaction, key);
    if (standing !== undefined && !mayReplace(standing, options.takeOver))
      return { got: "nothing", standing };
    const expiresAt = (await this.#tables.database.now(transaction)) + this.#settings.leaseMs;
    await replaceLease(transaction, key, { owner: options.owner, expiresAt });
    return { got: "lease", key, ...this.#takenFrom(standing) };
  }

  /**
   * Returns the owner from which the lease is taken over. If the owner has released its lease, the lease is not
   * reported as taken over, even if its row still exists.
   */
  #takenFrom(standing: CurrentLease | undefined): { readonly takenFrom?: Owner } {
    if (standing === undefined || this.#givenUp.has(standing.owner.token)) return {};
    return { takenFrom: standing.owner };
  }

  async #standing(transaction: Transaction, key: number): Promise<CurrentLease | undefined> {
    const lease = await leaseRowOf(transaction, key);
    if (lease === undefined) return undefined;
    const life = this.#lifeOf(lease.owner);
    // Only an owner on this machine can be checked directly. For any other owner, only the lease can be checked.
    const isOver = life === "elsewhere" && lease.expiresAt <= (await this.#tables.database.now(transaction));
    return { ...lease, life: isOver ? "dead" : life };
  }

  /**
   * Checks whether an owner is alive. An owner from another boot of this machine is dead. In a shared store, however,
   * the owner may be alive on another machine with the same name.
   */
  #lifeOf(owner: Owner): Life {
    const { processes, reach } = this.#settings;
    if (this.#givenUp.has(owner.token)) return "dead";
    const isSameMachine = owner.host === processes.host && owner.boot === processes.boot;
    return reach === "shared" && !isSameMachine ? "elsewhere" : lifeOf(owner, processes);
  }

  #hold(session: SessionId, owner: Owner, { key, takenFrom }: { key: number; takenFrom?: Owner }): Lease {
    const held = { key, token: owner.token };
    this.#givenUp.delete(held.token);
    this.#held.set(session, held);
    this.#renew(held);
    return {
      owner,
      ...(takenFrom === undefined ? {} : { takenFrom }),
      release: async () => this.#release(session, held),
    };
  }

  /**
   * Releases a lease. Rejects if the lease cannot be released now. The release is then retried at the interval at which
   * leases are renewed.
   */
  async #release(session: SessionId, held: HeldLease): Promise<void> {
    if (this.tokenOf(session) === held.token) this.#held.delete(session);
    this.#stop(held.token);
    this.#givenUp.add(held.token);
    try {
      await this.#drop(held);
    } catch (error) {
      this.#repeat(held.token, async () => {
        await this.#drop(held);
        return "over";
      });
      throw error;
    }
  }

  async #drop(held: HeldLease): Promise<void> {
    await this.#tables.change({
      work: async (transaction) => {
        await dropLease(transaction, held);
        return "dropped";
      },
      happened: async () => undefined,
    });
    this.#givenUp.delete(held.token);
  }

  #renew(held: HeldLease): void {
    const { database } = this.#tables;
    this.#repeat(held.token, async () => {
      const renewal = await this.#tables.change({
        work: async (transaction) =>
          renewLease(transaction, held, (await database.now(transaction)) + this.#settings.leaseMs),
        happened: async () => undefined,
      });
      // If the lease is lost, the holder finds out from its next append.
      return renewal === "lost" ? "over" : "goes on";
    });
  }

  #repeat(token: string, work: () => Promise<"goes on" | "over">): void {
    if (this.#isClosed) return;
    const timer = setInterval(() => {
      work().then(
        (state) => (state === "over" ? this.#stop(token) : undefined),
        // Failures are ignored, because the next attempt may succeed.
        () => undefined,
      );
    }, this.#settings.leaseMs / RENEWALS_A_LEASE);
    timer.unref();
    this.#timers.set(token, timer);
  }

  #stop(token: string): void {
    clearInterval(this.#timers.get(token));
    this.#timers.delete(token);
  }
}

/**
 * Checks whether a lease may be replaced. The lease of a live owner on this machine is never replaced, regardless of
 * what the caller requested.
 */
function mayReplace({ owner, life }: CurrentLease, takeOver: TakeOver): boolean {
  if (life !== "elsewhere") return life === "dead";
  return takeOver === "yes" || (takeOver === "unreadable" && isUnreadable(owner));
}

/** A lease, as stored in its row. */
interface LeaseRow {
  readonly owner: Owner;
  readonly expiresAt: number;
}

export async function leaseRowOf(transaction: Transaction, key: number): Promise<LeaseRow | undefined> {
  const [row] = await transaction.all(
    "SELECT token, owner, expires_at FROM worldline_leases WHERE session_key = ?",
    [key],
  );
  if (row === undefined) return undefined;
  const owner = readOwner(Buffer.from(row["owner"] as string));
  return { owner: { ...owner, token: row["token"] as string }, expiresAt: row["expires_at"] as number };
}

/** Stores a lease, replacing any existing lease on the session. */
async function replaceLease(
  transaction: Transaction,
  key: number,
  { owner, expiresAt }: LeaseRow,
): Promise<void> {
  await transaction.run(
    `INSERT INTO worldline_leases (session_key, token, owner, expires_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (session_key) DO UPDATE
      SET token = excluded.token, owner = excluded.owner, expires_at = excluded.expires_at`,
    [key, owner.token, JSON.stringify(owner), expiresAt],
  );
}

/** A lease that this store acquired on a session. */
interface HeldLease {
  readonly key: number;
  readonly token: string;
}

/** Extends a lease, unless another owner has taken it over. */
async function renewLease(
  transaction: Transaction,
  { key, token }: HeldLease,
  expiresAt: number,
): Promise<"renewed" | "lost"> {
  const renewed = await transaction.run(
    "UPDATE worldline_leases SET expires_at = ? WHERE session_key = ? AND token = ?",
    [expiresAt, key, token],
  );
  return renewed === 0 ? "lost" : "renewed";
}

async function dropLease(transaction: Transaction, { key, token }: HeldLease): Promise<void> {
  await transaction.run("DELETE FROM worldline_leases WHERE session_key = ? AND token = ?", [key, token]);
}

const NAME = Symbol.for("worldline.leases.given-up");

/**
 * Returns the tokens of leases that this process failed to release. The process no longer holds them, but their rows
 * still name it as the holder. The set is shared by all copies of this code in the process, because a row names only
 * the process. The set never contains the token of a lease that is held. A copy or thread therefore cannot take over a
 * lease that another one holds.
 */
function givenUpLeases(): Set<string> {
  const shared = globalThis as { [NAME]?: Set<string> };
  shared[NAME] ??= new Set();
  return shared[NAME];
}

/** Creates the error that reports which program holds the session and what the user can do about it. */
function sessionHeld(
  session: SessionId,
  { owner, life, expiresAt }: { readonly owner: Owner; readonly life: Life; readonly expiresAt: number },
): WorldlineError {
  const held = { session, owner: ownerFacts(owner) };
  if (life !== "elsewhere") return new WorldlineError("session-leased", held);
  const until = new Date(expiresAt).toISOString();
  return new WorldlineError("session-leased-elsewhere", { ...held, until });
}
