import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Disk, writeError } from "../../disk/disk.ts";
import { DurableFolders, readWhole, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import { signedText, unsigned } from "../../record/authority.ts";
import type { Entry } from "../../record/entry.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

/**
 * The key that says which entries a home wrote. `usable` throws why nothing can be signed or checked; `sign` makes the key
 * when there is none; `isSigned` is false where there is no key, or none that can be used.
 */
export interface HomeKey {
  usable(): void;
  sign<E extends Entry>(session: SessionId, entry: E): E;
  isSigned(session: SessionId, entry: Entry): boolean;
}

const KEY_BYTES = 32;
const MAC_BYTES = 16;
const OTHERS = 0o077;

function keyPath(home: string): string {
  return join(home, "home.key");
}

/** The key in the home's own file, which only its owner may read. Read once it is needed, and then remembered. */
export function fileKey(disk: Disk, home: string): HomeKey {
  let known: Buffer | undefined;
  const read = (): Buffer | undefined => {
    known ??= readKey(disk, keyPath(home));
    return known;
  };
  return {
    usable: () => void read(),
    sign: (session, entry) => {
      known = read() ?? makeKey(disk, home);
      return withMac(known, session, entry);
    },
    isSigned: (session, entry) => {
      if (entry.mac === undefined) return false;
      const key = readable(read);
      return key !== undefined && isMacOf(key, session, entry);
    },
  };
}

/** For what is gone with the process. */
export function processKey(): HomeKey {
  const key = randomBytes(KEY_BYTES);
  return {
    usable: () => undefined,
    sign: (session, entry) => withMac(key, session, entry),
    isSigned: (session, entry) => entry.mac !== undefined && isMacOf(key, session, entry),
  };
}

function withMac<E extends Entry>(key: Buffer, session: SessionId, entry: E): E {
  return { ...(unsigned(entry) as E), mac: macOf(key, session, entry).toString("base64url") };
}

function isMacOf(key: Buffer, session: SessionId, entry: Entry): boolean {
  const claimed = typeof entry.mac === "string" ? Buffer.from(entry.mac, "base64url") : Buffer.alloc(0);
  if (claimed.length !== MAC_BYTES) return false;
  try {
    return timingSafeEqual(claimed, macOf(key, session, entry));
  } catch (error) {
    // Nested more deeply than anything that this program writes.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function macOf(key: Buffer, session: SessionId, entry: Entry): Buffer {
  return createHmac("sha256", key).update(signedText(session, entry)).digest().subarray(0, MAC_BYTES);
}

/** Of two programs that make it at once, the key of one becomes that of both. */
function makeKey(disk: Disk, home: string): Buffer {
  const path = keyPath(home);
  const beside = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    new DurableFolders(disk, home).make(home);
    writeNew(disk, beside, Buffer.from(`${randomBytes(KEY_BYTES).toString("hex")}\n`));
    try {
      disk.link(beside, path);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    } finally {
      tryToRemove(disk, beside);
    }
    disk.syncFolder(home);
  } catch (cause) {
    throw writeError(cause, { what: "home-key", of: path });
  }
  const key = readKey(disk, path);
  if (key === undefined) throw new WorldlineError("home-key-unusable", { path, why: "gone-again" });
  return key;
}

function readKey(disk: Disk, path: string): Buffer | undefined {
  let text: string;
  try {
    refuseIfOthersCanRead(path);
    text = readWhole(disk, path).toString("latin1").trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof WorldlineError) throw error;
    throw new WorldlineError("home-key-unusable", { path, why: "unreadable" }, { cause: error });
  }
  if (!/^[0-9a-f]{64}$/u.test(text)) {
    throw new WorldlineError("home-key-unusable", { path, why: "damaged" });
  }
  return Buffer.from(text, "hex");
}

function refuseIfOthersCanRead(path: string): void {
  // Windows has no such bits, and reports some that mean nothing.
  if (process.platform === "win32") return;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & OTHERS) === 0) return;
  throw new WorldlineError("home-key-exposed", { path });
}

/** A key that cannot be used checks nothing, so nothing counts as written here. Acting on a session says why. */
function readable(read: () => Buffer | undefined): Buffer | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WorldlineError) return undefined;
    throw error;
  }
}
