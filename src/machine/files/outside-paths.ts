import { createHash } from "node:crypto";
import { constants, lstatSync, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import {
  ANY_MODE,
  HeldFolder,
  inHeldFolder,
  isParentChanged,
  PARENT_CHANGED,
  splitPath,
} from "../../disk/held-folder.ts";
import type { PathOutcome } from "../../ports/workspace-files.ts";
import {
  errnoOf,
  isMissing,
  isWorldlineError,
  type Remark,
  type RemarkReason,
  remark,
  remarkOf,
} from "../../record/error.ts";
import {
  isOutsideFile,
  isSameOutside,
  type OutsideChange,
  type OutsideFile,
  type OutsideState,
  type OutsideUnknown,
  type PathBytes,
  pathOfText,
} from "../../record/files.ts";
import { detailOf } from "../../travel/logged-files.ts";
import { keptRemark } from "../../travel/plan-files.ts";
import { hashOf } from "../writer.ts";
import type { KeptContents } from "./outside-files.ts";

/** What exists at a path. Only regular files are opened, and links are never followed. */
export type Look =
  | { readonly there: "nothing" }
  | { readonly there: "file"; readonly state: OutsideFile; readonly bytes: Uint8Array; readonly stats: Stats }
  /** `signature` changes whenever the path changes in a way that is visible without reading the file. */
  | { readonly there: "unknown"; readonly why: OutsideUnknown["why"]; readonly signature: string }
  /** The path leads through a link, or to something that is not a file. */
  | { readonly there: "elsewhere" };

const MAX_BYTES = 64 * 1024 * 1024;
const PERMISSION_BITS = 0o7777;
/** O_NONBLOCK prevents `open` from waiting for a writer if a FIFO has replaced the file. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/**
 * How many times to try to read a file that changes while it is being read. A file that is written to constantly never
 * has consistent content to store.
 */
const MAX_TRIES = 3;

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

/** Examines a path in a folder that `inHeldFolder` holds. */
async function lookInFolder(held: HeldFolder, path: string): Promise<Look> {
  const place = held.at(pathOfText(basename(path)));
  try {
    const stats = await lstat(place);
    if (!stats.isFile()) return { there: "elsewhere" };
    if (stats.size > MAX_BYTES) return unknown("too-large", stats);
    return await readFile(place);
  } catch (error) {
    return isMissing(error) ? { there: "nothing" } : unreadable(error);
  }
}

function unreadable(error: unknown): Look {
  if (errnoOf(error) === undefined) throw error;
  return { there: "unknown", why: "unreadable", signature: "" };
}

/** The state in the form used in the log. */
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

/**
 * Checks whether the folder really does not exist. A dangling link makes everything below it appear to be missing, but
 * the link itself exists.
 */
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
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
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

type Outcome = Omit<PathOutcome, "path">;

const remarksByErrno = {
  EACCES: "path-permission",
  EPERM: "path-permission",
  EROFS: "path-disk-read-only",
  ENOSPC: "path-disk-full",
  EMFILE: "path-many-open-files",
  EEXIST: "path-in-the-way",
  ENOTDIR: "path-in-the-way",
  [PARENT_CHANGED]: "path-folder-replaced",
} as const satisfies Readonly<Record<string, RemarkReason>>;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Changes one path from `before` to `after`. Repeating the change has no effect, so a step that a crash interrupted can
 * be repeated. If the path is in any other state, another process changed it, so it is kept.
 */
export async function restorePath(contents: KeptContents, step: OutsideChange): Promise<PathOutcome> {
  const outcome = await outcomeOf(contents, step);
  const detail = outcome.outcome === "restored" ? detailOf(step.before, step.after) : {};
  return { path: pathOfText(step.path), ...detail, ...outcome };
}

async function outcomeOf(contents: KeptContents, step: OutsideChange): Promise<Outcome> {
  const { path, before, after } = step;
  try {
    const look = await lookAtPath(path);
    if (look.there === "elsewhere") return { outcome: "kept", ...keptRemark("elsewhere") };
    const now = stateOf(look);
    await removeLeftOver(path);
    if (isSameOutside(now, after)) return { outcome: "restored" };
    if (!isSameOutside(now, before)) return { outcome: "kept", ...keptRemark("outside") };
    if (after !== undefined && !isOutsideFile(after))
      return { outcome: "kept", ...keptRemark("not-captured") };
    const done = after === undefined ? await remove(path, look) : await put(contents, { path, after, look });
    if (done === "kept") return { outcome: "kept", ...keptRemark("outside") };
    const reached = stateOf(await lookAtPath(path));
    if (isSameOutside(reached, after)) return restoredOutcome(look);
    return { outcome: "failed", ...remark("path-not-as-written") };
  } catch (error) {
    const detail = isParentChanged(error) ? ({ detail: "parent-changed" } as const) : {};
    return { outcome: "failed", ...detail, ...whyOf(error) };
  }
}

function restoredOutcome(look: Look): Outcome {
  const isLinked = look.there === "file" && look.stats.nlink > 1;
  return isLinked ? { outcome: "restored", ...remark("path-hard-link-split") } : { outcome: "restored" };
}

function whyOf(error: unknown): Remark {
  if (isWorldlineError(error)) return remarkOf(error);
  const code = errnoOf(error);
  if (code === undefined) throw error;
  const known = code in remarksByErrno ? remarksByErrno[code as keyof typeof remarksByErrno] : undefined;
  return known === undefined ? remark("path-system-error", { errno: code }) : remark(known);
}

async function remove(path: string, look: Look): Promise<"done" | "kept"> {
  return inHeldFolder(folderOf(path), async (held) => {
    if (!isSameOutside(stateOf(await lookInFolder(held, path)), stateOf(look))) return "kept";
    held.requireStill();
    await unlink(held.at(nameOf(path)));
    await syncFolder(held);
    return "done";
  });
}

interface PutOptions {
  readonly path: string;
  readonly after: OutsideFile;
  /** What currently exists at the path: nothing, or the file that will be replaced. */
  readonly look: Look;
}

async function put(
  { store, session }: KeptContents,
  { path, after, look }: PutOptions,
): Promise<"done" | "kept"> {
  const bytes = await store.getBlob(session, after.blob);
  return inHeldFolder(
    folderOf(path),
    async (held) => {
      const beside = held.at(besideOf(path));
      const stats = look.there === "file" ? look.stats : undefined;
      try {
        await writeBeside(beside, bytes, { mode: after.mode, stats });
        // Another program may have saved the file while the new one was being written.
        if (!isSameOutside(stateOf(await lookInFolder(held, path)), stateOf(look))) return "kept";
        held.requireStill();
        if (stats === undefined) await moveToNew(beside, held.at(nameOf(path)));
        else await rename(beside, held.at(nameOf(path)));
      } finally {
        await rm(beside, { force: true });
      }
      await syncFolder(held);
      return "done";
    },
    { make: ANY_MODE },
  );
}

function folderOf(path: string): PathBytes {
  return pathOfText(dirname(path));
}

function nameOf(path: string): PathBytes {
  return pathOfText(basename(path));
}

/**
 * The path of the temporary file. The path is always the same, so that a file left by a crash is found and removed.
 * Captures ignore files with such names.
 */
function besideOf(path: string): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return `.worldline-restore-${name}`;
}

async function removeLeftOver(path: string): Promise<void> {
  try {
    await inHeldFolder(folderOf(path), async (held) => rm(held.at(besideOf(path)), { force: true }));
  } catch {
    // The error is ignored, because an old temporary file does no harm. If a new file must be written to the same path,
    // that write reports the error.
  }
}

async function writeBeside(
  beside: string | Buffer,
  bytes: Uint8Array,
  { mode, stats }: { readonly mode: number; readonly stats: Stats | undefined },
): Promise<void> {
  const file = await open(beside, CREATE, 0o600);
  try {
    await file.writeFile(bytes);
    if (stats !== undefined) await giveToOwner(file, stats);
    // The mode is set after the owner, because changing the owner clears some mode bits.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function giveToOwner(file: FileHandle, { uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
}

/**
 * Makes the names in a folder durable. Windows cannot open a folder, but makes names durable automatically. A folder
 * that cannot be opened for reading may still be writable, so this error is ignored.
 */
async function syncFolder(folder: HeldFolder): Promise<void> {
  if (process.platform === "win32") return;
  try {
    const file = await open(folder.at(), constants.O_RDONLY);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
  }
}

/**
 * Moves a file to a name that must be free. The old name may remain as a second link to the file. Throws EEXIST if the
 * new name is taken, because a rename would overwrite a file that another program has just created.
 */
export async function moveToNew(beside: string | Buffer, path: string | Buffer): Promise<void> {
  try {
    await link(beside, path);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw error;
    // The file system does not support hard links.
    await rename(beside, path);
  }
}
