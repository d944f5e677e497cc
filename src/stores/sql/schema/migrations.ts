import type { Dialect } from "../database.ts";

/** One step from the schema before to the next. What was applied somewhere is never altered. */
export interface Migration {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/**
 * `session_key` tells apart sessions of one id, of which all but one are in the trash. Keys are drawn at random, so
 * that two who make sessions at once need not wait for each other.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: ({ whole, bytes, clustered }) => [
      `CREATE TABLE worldline_sessions (
        session_key ${whole} NOT NULL PRIMARY KEY,
        id TEXT NOT NULL,
        workspace TEXT NOT NULL,
        mode TEXT NOT NULL,
        next_seq ${whole} NOT NULL,
        rewrites ${whole} NOT NULL,
        trashed_at ${whole}
      )`,
      "CREATE UNIQUE INDEX worldline_sessions_id ON worldline_sessions (id) WHERE trashed_at IS NULL",
      `CREATE TABLE worldline_lines (
        session_key ${whole} NOT NULL,
        seq ${whole} NOT NULL,
        line ${bytes} NOT NULL,
        PRIMARY KEY (session_key, seq)
      )${clustered}`,
      `CREATE TABLE worldline_blobs (
        session_key ${whole} NOT NULL,
        hash TEXT NOT NULL,
        content ${bytes} NOT NULL,
        PRIMARY KEY (session_key, hash)
      )`,
      `CREATE TABLE worldline_leases (
        session_key ${whole} NOT NULL PRIMARY KEY,
        token TEXT NOT NULL,
        owner TEXT NOT NULL,
        expires_at ${whole} NOT NULL
      )`,
      `CREATE TABLE worldline_published (
        session_key ${whole} NOT NULL PRIMARY KEY,
        checkpoints TEXT NOT NULL
      )`,
    ],
  },
];
