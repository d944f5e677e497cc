import { constants, lstatSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { HeldFolder, inHeldFolder, isParentChanged, splitPath } from "../../../disk/held-folder.ts";
import { errnoOf, isMissing } from "../../../record/error.ts";
import { type PathBytes, pathOfText } from "../../../record/files.ts";
import type { OutsideFile, OutsideState, OutsideUnknown } from "../../../record/outside.ts";
import { hashOf } from "../../writing/blobs.ts";

/** What stands at a path. Nothing is opened but plain files, and nothing is reached through a link. */
export type Look =
  | { readonly there: "nothing" }
  | { readonly there: "file"; readonly state: OutsideFile; readonly bytes: Uint8Array; readonly stats: Stats }
  /** `signature` changes with whatever changes it, as far as that can be told without reading it. */
  | { readonly there: "unknown"; readonly why: OutsideUnknown["why"]; readonly signature: string }
  /** The path leads elsewhere, or to what is no file. */
  | { readonly there: "elsewhere" };

const MOST_BYTES = 64 * 1024 * 1024;
const PERMISSION_BITS = 0o7777;
/** Should a FIFO have taken the file's place, opening it must not wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** A file that is written to all the time has no content that could be kept. */
const MOST_TRIES = 3;

export async function lookAtPath(path: string): Promise<Look> {
  const folder = pathOfText(dirname(path));
  try {
    return await inHeldFolder(folder, async (held) => lookInFolder(held, path));
  } catch (error) {
    if (isParentChanged(error)) return { there: "elsewhere" };
    if (isMissing(error)) return { there: isPlainlyMissing(folder) ? "nothing" : "elsewhere" };
    return unreadable(error);
  }
}

/** What is at a path in a held folder. */
export async function lookInFolder(held: HeldFolder, path: string): Promise<Look> {
  const place = held.at(pathOfText(basename(path)));
  try {
    const stats = await lstat(place);
    if (!stats.isFile()) return { there: "elsewhere" };
    if (stats.size > MOST_BYTES) return unknown("too-large", stats);
    return await readFile(place);
  } catch (error) {
    return isMissing(error) ? { there: "nothing" } : unreadable(error);
  }
}

function unreadable(error: unknown): Look {
  if (errnoOf(error) === undefined) throw error;
  return { there: "unknown", why: "unreadable", signature: "" };
}

/** As the log has it. */
export function stateOf(look: Look): OutsideState | undefined {
  switch (look.there) {
    case "nothing":
      return undefined;
    case "file":
      return look.state;
    case "unknown":
      return { why: look.why };
    case "elsewhere":
      return { why: "special" };
    default:
      return look satisfies never;
  }
}

/** A link that leads nowhere makes what is below it missing too, and is one all the same. */
function isPlainlyMissing(folder: PathBytes): boolean {
  if (folder === "") return true;
  const { folder: above, name } = splitPath(folder);
  try {
    const held = new HeldFolder(above);
    try {
      return lstatSync(held.at(name), { throwIfNoEntry: false })?.isSymbolicLink() !== true;
    } finally {
      held.close();
    }
  } catch (error) {
    if (isParentChanged(error)) return false;
    if (!isMissing(error)) throw error;
    return isPlainlyMissing(above);
  }
}

async function readFile(place: string | Buffer): Promise<Look> {
  const file = await open(place, READ);
  try {
    return await readOpen(file);
  } finally {
    await file.close();
  }
}

async function readOpen(file: FileHandle): Promise<Look> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = await file.stat();
    if (!before.isFile()) return { there: "elsewhere" };
    const bytes = Buffer.alloc(before.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const stats = await file.stat();
    if (bytesRead !== bytes.length || signatureOf(before) !== signatureOf(stats)) continue;
    const state = { blob: hashOf(bytes), mode: stats.mode & PERMISSION_BITS, size: bytes.length };
    return { there: "file", state, bytes, stats };
  }
  return { there: "unknown", why: "changing", signature: "" };
}

function unknown(why: OutsideUnknown["why"], stats: Stats): Look {
  return { there: "unknown", why, signature: signatureOf(stats) };
}

function signatureOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(" ");
}
