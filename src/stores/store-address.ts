import { createHash } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { StorePlace } from "../ports/log-store.ts";
import { WorldlineError } from "../record/error.ts";
import { parseAddress } from "./postgres/address.ts";

/**
 * The address of the place where sessions are stored. Users write it as `files`, `sqlite:path`, or `postgres://...`.
 */
export type StoreAddress =
  | { readonly kind: "files" }
  | { readonly kind: "sqlite" /** The path is absolute. */; readonly path: string }
  | {
      readonly kind: "postgres";
      /** The address of the server. It includes the password, if there is one, so it must never be shown. */
      readonly url: string;
      /** The address without the password, for display. */
      readonly name: string;
      /** The value of `connect_timeout`, in milliseconds. */
      readonly patienceMs?: number;
    };

/** The folder that relative paths in an address start from, and the home folder that `~` refers to. */
interface Standpoint {
  readonly cwd: () => string;
  readonly userHome: string;
}

/** Parses an address. Error messages never contain a password. */
export function storeAddress(text: string, standpoint: Standpoint): StoreAddress {
  const wanted = text.trim();
  if (wanted === "files") return { kind: "files" };
  const scheme = /^([a-z][a-z0-9+.-]*):/iu.exec(wanted)?.[1]?.toLowerCase();
  if (scheme === "sqlite")
    return { kind: "sqlite", path: sqlitePath(wanted.slice("sqlite:".length), standpoint) };
  if (scheme === "postgres" || scheme === "postgresql") return postgresAddress(wanted);
  throw new WorldlineError("store-unknown", { written: beforeAtHidden(wanted) });
}

function sqlitePath(written: string, { cwd, userHome }: Standpoint): string {
  const path = written.startsWith("file:") ? pathOfFileUrl(written) : written.replace(/^\/\/(?=\/)/u, "");
  if (path.trim() === "") throw new WorldlineError("sqlite-path-missing", {});
  if (path.startsWith("//")) {
    throw new WorldlineError("sqlite-path-on-a-host", { written: `sqlite:${beforeAtHidden(written)}` });
  }
  if (path === ":memory:") throw new WorldlineError("sqlite-in-memory", {});
  if (/[/\\]$/u.test(path) || path === "~") {
    throw new WorldlineError("sqlite-path-of-a-folder", { written: `sqlite:${written}` });
  }
  if (path.includes("\0")) throw new WorldlineError("sqlite-path-with-zero-byte", {});
  if (/^~[^/]+\//u.test(path)) {
    throw new WorldlineError("sqlite-path-in-a-named-home", { written: `sqlite:${written}` });
  }
  if (path.startsWith("~/")) return join(userHome, path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(cwd(), path);
}

/** Parses a `file:` URL in the form that SQLite uses. Rejects options after a `?`. */
function pathOfFileUrl(written: string): string {
  if (/[?#]/u.test(written)) {
    throw new WorldlineError("sqlite-path-with-options", { written: `sqlite:${written}` });
  }
  if (!written.startsWith("file://")) return written.slice("file:".length);
  try {
    return fileURLToPath(written);
  } catch {
    throw new WorldlineError("sqlite-path-not-of-a-file", { written: `sqlite:${written}` });
  }
}

/** Hides everything before an @, because the hidden part may be a password. */
function beforeAtHidden(text: string): string {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:\/\/|^\/\//iu.exec(text) ?? [];
  const at = text.lastIndexOf("@");
  return at === -1 ? text : `${scheme}***${text.slice(at)}`;
}

function postgresAddress(url: string): StoreAddress {
  const authority = /^[^:]*:\/\/([^/?#]*)/u.exec(url)?.[1] ?? "";
  if (authority.split("@").length > 2) {
    throw new WorldlineError("postgres-address-with-two-ats", {});
  }
  const { name } = parseAddress(url);
  const seconds = Number(/[?&]connect_timeout=([0-9]+)(?:&|$)/u.exec(url)?.[1] ?? 0);
  return { kind: "postgres", url, name, ...(seconds > 0 ? { patienceMs: seconds * 1000 } : {}) };
}

/** Returns the address for display, without its password. */
export function shownAddress(address: StoreAddress): string {
  switch (address.kind) {
    case "files":
      return "files";
    case "sqlite":
      return `sqlite:${address.path}`;
    case "postgres":
      return address.name;
    default:
      return address satisfies never;
  }
}

/** Returns the whole address, including its password, for use within this program. */
export function wholeAddress(address: StoreAddress): string {
  return address.kind === "postgres" ? address.url : shownAddress(address);
}

/** Returns the whole address except for its password, in the form that a user writes. */
export function repeatableAddress(address: StoreAddress): {
  readonly text: string;
  readonly password: "left-out" | "none";
} {
  if (address.kind !== "postgres") return { text: shownAddress(address), password: "none" };
  const text = address.url
    .replace(/(:\/\/[^:@/]*):[^@/]*@/u, "$1@")
    .replace(/([?&])(?:ssl)?password=[^&]*(&|$)/giu, (_all, before, behind) =>
      behind === "&" ? before : "",
    );
  return { text, password: text === address.url ? "none" : "left-out" };
}

/** Replaces everything that looks like a password in a server's address with `***`. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(postgres(?:ql)?:\/\/[^\s:/@"']*):[^/\n]*@/giu, "$1:***@")
    .replace(/(\w:\/\/[^\s:/@"']*):[^\s/"']*@/gu, "$1:***@")
    .replace(/([?&](?:ssl)?password=)[^\s&"']*/giu, "$1***");
}

/** Returns the place where the store at this address keeps its data. Does not open the store. */
export function placeOf(address: StoreAddress, home: string): StorePlace {
  switch (address.kind) {
    case "files":
      return { kind: "files", name: home, reach: "machine" };
    case "sqlite":
      return { kind: "sqlite", name: address.path, reach: "machine" };
    case "postgres":
      return { kind: "postgres", name: shownAddress(address), reach: "shared" };
    default:
      return address satisfies never;
  }
}

const DIGITS = 16;

/**
 * Returns the key that identifies a session's store in references to snapshots. The key is undefined for the session
 * files in this home folder. References from before other stores were supported have no key either. If the same store
 * is used under another address, it has a different key, and references with the earlier key are not changed.
 */
export function storeKey({ kind, name }: StorePlace, home: string): string | undefined {
  if (kind === "files" && name === home) return undefined;
  const where = kind === "postgres" ? withoutPerson(name) : name;
  return createHash("sha256").update(`${kind} ${where}`).digest("hex").slice(0, DIGITS);
}

/**
 * Removes the user from an address. The key does not contain the user's name, because users with different roles work
 * with the same sessions.
 */
function withoutPerson(name: string): string {
  return name.replace(/^postgres:\/\/[^@/]*@/u, "postgres://");
}
