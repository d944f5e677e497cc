import { readOwner } from "../../../disk/lock/owner.ts";
import type { Owner } from "../../../ports/lease.ts";
import type { Transaction } from "../database.ts";

/** Who has the right to write, as its row says. */
export interface LeaseRow {
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

/** Puts a lease in the place of any other. */
export async function replaceLease(
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

/** One acquisition of one session. */
export interface HeldLease {
  readonly key: number;
  readonly token: string;
}

/** Makes a lease last longer, unless it is another's by now. */
export async function renewLease(
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

export async function dropLease(transaction: Transaction, { key, token }: HeldLease): Promise<void> {
  await transaction.run("DELETE FROM worldline_leases WHERE session_key = ? AND token = ?", [key, token]);
}
