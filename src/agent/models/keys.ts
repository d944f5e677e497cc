import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Disk, writeError } from "../../disk/disk.ts";
import { DurableFolders, replaceFile, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { isJsonObject } from "../../record/json.ts";
import type { Environment } from "../http/route.ts";

const OTHERS = 0o077;
const TOKEN_BYTES = 8;
/** More than all keys of a person. */
const TRIAL_BYTES = 4096;

export interface FoundKey {
  readonly key: string;
  readonly from: "environment" | "file";
}

/** Keys by the name of the variable that would hold them. */
export interface Keys {
  find(variable: string): FoundKey | undefined;
}

/** Where keys are kept. */
export function keysPath(home: string): string {
  return join(home, "keys.json");
}

/** The environment's keys go before those of the file, which need not be there. */
export function readKeys(home: string, environment: Environment): Keys {
  let file: Readonly<Record<string, string>> | undefined;
  return {
    find: (variable) => {
      const key = environment[variable]?.trim();
      if (key) return { key, from: "environment" };
      file ??= readKeysFile(keysPath(home));
      const kept = file[variable];
      return kept === undefined ? undefined : { key: kept, from: "file" };
    },
  };
}

/** Throws what is wrong with the file of keys: others can read it, or nobody. */
export function checkKeys(home: string): void {
  readKeysFile(keysPath(home));
}

/** Throws what stands against keeping a key here, before somebody pays for a call that tries it. */
export function requireRoomForKeys({ disk, clock }: KeyTools, home: string): void {
  checkKeys(home);
  const trial = `${keysPath(home)}.${Buffer.from(clock.random(TOKEN_BYTES)).toString("hex")}`;
  writing(home, () => {
    new DurableFolders(disk, home).make(home);
    try {
      writeNew(disk, trial, Buffer.alloc(TRIAL_BYTES));
    } finally {
      tryToRemove(disk, trial);
    }
  });
}

interface KeyTools {
  readonly disk: Disk;
  readonly clock: Clock;
}

export interface KeyToKeep {
  readonly home: string;
  readonly variable: string;
  readonly key: string;
}

/** Puts a key into the file, which nobody but its owner can read; the others in it stay. */
export function keepKey(tools: KeyTools, { home, variable, key }: KeyToKeep): void {
  const trimmed = key.trim();
  if (trimmed === "" || /[\s\p{Cc}]/u.test(trimmed)) {
    throw new WorldlineError("key-invalid", {});
  }
  const keys = { ...readKeysFile(keysPath(home)), [variable]: trimmed };
  writing(home, () => new DurableFolders(tools.disk, home).make(home));
  writeKeysFile(tools, home, keys);
}

/** Takes a key out of the file; the others in it stay. */
export function dropKey(tools: KeyTools, { home, variable }: Omit<KeyToKeep, "key">): "dropped" | "not-kept" {
  const keys = readKeysFile(keysPath(home));
  if (!Object.hasOwn(keys, variable)) return "not-kept";
  const { [variable]: _dropped, ...others } = keys;
  writeKeysFile(tools, home, others);
  return "dropped";
}

function writeKeysFile(tools: KeyTools, home: string, keys: Readonly<Record<string, string>>): void {
  const bytes = Buffer.from(`${JSON.stringify(keys, null, 2)}\n`);
  writing(home, () => {
    replaceFile(tools, { path: keysPath(home), bytes, content: "synced" });
    tools.disk.syncFolder(home);
  });
}

/** In our words, where the disk does not take it. */
function writing(home: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    throw writeError(cause, { what: "model-keys", of: keysPath(home) });
  }
}

function readKeysFile(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    refuseIfOthersCanRead(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return {};
    if (error instanceof WorldlineError) throw error;
    throw new WorldlineError("keys-unreadable", { path }, { cause: error });
  }
  return parsed(text, path);
}

function refuseIfOthersCanRead(path: string): void {
  // Windows has no such bits, and reports some that mean nothing.
  if (process.platform === "win32") return;
  if ((statSync(path).mode & OTHERS) === 0) return;
  throw new WorldlineError("keys-open-to-others", { path });
}

/** The text is never quoted: it holds keys. */
function parsed(text: string, path: string): Readonly<Record<string, string>> {
  const value = jsonOf(text);
  if (!isJsonObject(value)) {
    throw new WorldlineError("keys-not-an-object", { path });
  }
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs.filter(([, key]) => key.trim() !== ""));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
