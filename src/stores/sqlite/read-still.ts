import { realpathSync, statSync } from "node:fs";
import { Connection } from "./connection.ts";
import { toBeTriedAgain } from "./sqlite-error.ts";

/** A file that SQLite would not read, and what it said. */
interface ShutOut {
  readonly path: string;
  readonly cause: unknown;
}

/**
 * Reads a file where SQLite may not write beside it, as in a folder of somebody else. Only while nobody writes to it: all of it
 * is in the file itself then. What was read while it changed is thrown away and read again.
 */
export async function readStill<Result>(
  { path, cause }: ShutOut,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const before = lookOf(path);
  if (before === undefined) throw cause;
  const connection = await Connection.openStill(path);
  try {
    const result = await work(connection);
    if (lookOf(path) !== before) throw toBeTriedAgain(cause);
    return result;
  } catch (error) {
    throw lookOf(path) === before ? error : toBeTriedAgain(error);
  } finally {
    connection.abandon();
  }
}

/** Undefined where something stands beside it, or nobody can tell. */
function lookOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    if ((statSync(`${real}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
    const { ino, size, mtimeNs, ctimeNs } = statSync(real, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(".");
  } catch {
    return undefined;
  }
}
