import { createHash, randomBytes } from "node:crypto";
import { accessSync, constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { ANY_MODE, type HeldFolder, heldFolders, inHeldFolder } from "../../disk/held-folder.ts";
import { moveToNew } from "../../machine/files/outside-paths.ts";
import { errnoOf, isMissing, problemIn, type Remark, remark } from "../../record/error.ts";
import { type PathBytes, pathOfText } from "../../record/files.ts";
import { textPart } from "../../record/parts.ts";
import { faultOf, lookAt, openFile, placeOf, type SeenFiles, shownPath } from "./files.ts";
import { failed, type Preview, type ToolResult } from "./tool.ts";

/**
 * The prefix of temporary files. Captures skip names with this prefix, so that snapshots never contain partial files.
 */
const BESIDE = ".worldline-restore-";
const NEW_FILE_MODE = 0o666;
const PERMISSION_BITS = 0o7777;
/**
 * Errors that occur if the folder does not accept new names or the file is a mount point. In these cases, only the
 * file's contents can be replaced.
 */
const ONLY_IN_PLACE = new Set(["EACCES", "EBUSY", "EPERM", "EXDEV"]);

interface FileToPut {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** The file to replace. If absent, no file may exist at that path yet. */
  readonly replaces?: Stats;
  /**
   * The contents of that file when it was read. The contents are compared because a write through a memory mapping may
   * not change the file's times.
   */
  readonly holding?: Buffer;
}

/** "changed" means that another program changed the file before it could be replaced, so the file was left as it is. */
type Put = "put" | "changed";

/**
 * Writes a file, atomically replacing an existing one, and creates missing parent folders. Keeps the mode and owner of
 * an existing file. Readers see either all of the new contents or all of the old contents. If the folder does not
 * accept a second file, the contents are replaced in place. In that case, readers may see only part of the file while
 * it is being written or after a crash. If a system error is thrown, no temporary file is left behind.
 */
export async function putFile(file: FileToPut): Promise<Put> {
  return inHeldFolder(pathOfText(dirname(file.place)), async (held) => putInFolder(held, file), {
    make: ANY_MODE,
  });
}

async function putInFolder(held: HeldFolder, file: FileToPut): Promise<Put> {
  const { bytes, replaces, holding } = file;
  const place = held.at(nameOf(file.place));
  const beside = held.at(`${besideOf(file.place)}${randomBytes(4).toString("hex")}`);
  try {
    await writeBeside(beside, bytes, replaces);
    // While the temporary file was being written, another program may have saved the file or replaced its folder.
    held.requireStill();
    if (replaces === undefined) {
      await moveToNew(beside, place);
      return "put";
    }
    if (!(await isStill(place, replaces, holding))) return "changed";
    await rename(beside, place);
    return "put";
  } catch (error) {
    if (replaces === undefined || !ONLY_IN_PLACE.has(errnoOf(error) ?? "")) throw error;
    held.requireStill();
    if (!(await isStill(place, replaces, holding))) return "changed";
    const flag = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    await writeFile(place, bytes, { flag });
    return "put";
  } finally {
    await rm(beside, { force: true });
  }
}

/** Checks whether the file is still the one that was read, and is unchanged. */
async function isStill(place: string | Buffer, stats: Stats, holding: Buffer | undefined): Promise<boolean> {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  try {
    const now = await lstat(place);
    if (now.ino !== ino || now.size !== size || now.mtimeMs !== mtimeMs || now.ctimeMs !== ctimeMs)
      return false;
    return holding === undefined || holding.equals(await readFile(place));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes temporary files that killed writes to this path left behind. */
export async function sweepBeside(place: string): Promise<void> {
  const start = besideOf(place);
  try {
    await inHeldFolder(pathOfText(dirname(place)), async (held) => {
      const names = await readdir(held.at());
      for (const name of names.filter((each) => each.startsWith(start)))
        await rm(held.at(pathOfText(name)), { force: true });
    });
  } catch (error) {
    // A leftover file does no harm, and its folder may no longer exist.
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Returns the prefix of all temporary files for this path. */
function besideOf(place: string): string {
  return `${BESIDE}${createHash("sha256").update(place).digest("hex").slice(0, 16)}`;
}

function nameOf(place: string): PathBytes {
  return pathOfText(basename(place));
}

async function writeBeside(
  beside: string | Buffer,
  bytes: Uint8Array,
  like: Stats | undefined,
): Promise<void> {
  const file = await open(beside, "wx", NEW_FILE_MODE);
  try {
    await file.writeFile(bytes);
    if (like !== undefined) await makeLike(file, like);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function makeLike(file: FileHandle, like: Stats): Promise<void> {
  const own = await file.stat();
  // The owner is set before the mode, because a change of owner clears some of the mode's bits.
  if (own.uid !== like.uid || own.gid !== like.gid) await file.chown(like.uid, like.gid);
  await file.chmod(like.mode & PERMISSION_BITS);
}

/** Returns the result of a call that wrote nothing, so that captures do not need to examine the file. */
export function refused(why: string): ToolResult {
  return { ...failed(why), touched: [] };
}

/** Writes the file. Returns a result that records which content the model now knows. */
export async function write(
  { place, shown, before }: Target,
  content: string,
  said: string,
): Promise<ToolResult> {
  const bytes = Buffer.from(content, "utf8");
  try {
    const replaced = before === undefined ? {} : { replaces: before.stats, holding: before.bytes };
    const put = await putFile({ place, bytes, ...replaced });
    if (put === "changed") {
      return refused(
        `${shown} was changed by another program at the same time, so it was not overwritten. Read it again.`,
      );
    }
  } catch (error) {
    return failed(remark("tool-cannot-write", { path: shown, problem: problemIn(faultOf(error)) }).why);
  }
  return {
    outcome: "ok",
    parts: [textPart(said)],
    seen: [{ path: place, sha256: sha256Of(bytes) }],
    touched: [place],
  };
}

/** Dependencies of the tools Write and Edit. */
export interface WriteOptions {
  readonly workspace: string;
  readonly seen: SeenFiles;
}

/** The file to write, in its current state. */
export interface Target {
  /** The file's real path. */
  readonly place: string;
  /** The path in the form that the model sees. */
  readonly shown: string;
  /** Absent if the file does not exist yet. */
  readonly before?: Before;
}

interface Before {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly stats: Stats;
}

export interface Refusal {
  readonly refused: Remark;
}

const MAX_BYTES = 50_000_000;

/** Reads the target of a path, without checking whether the model has seen it. */
export async function targetOf(workspace: string, path: string): Promise<Target | Refusal> {
  const place = await placeOf(workspace, path);
  const shown = shownPath(workspace, place);
  const look = await lookAt(place);
  if (look.kind === "missing") return { place, shown };
  if (look.kind === "folder") return { refused: remark("file-is-folder", { path: shown }) };
  if (look.kind === "unusable")
    return { refused: remark("tool-cannot-write", { path: shown, problem: problemIn(look.fault) }) };
  if (look.stats.size > MAX_BYTES) {
    return { refused: remark("file-too-large", { path: shown }) };
  }
  try {
    return { place, shown, before: await load(place) };
  } catch (error) {
    return { refused: remark("tool-cannot-read", { path: shown, problem: problemIn(faultOf(error)) }) };
  }
}

/**
 * Like `targetOf`, but refuses to overwrite contents that the model has not seen. Also refuses paths that now lead
 * outside `places`, the paths that the call may write.
 */
export async function knownTarget(
  { workspace, seen }: WriteOptions,
  path: string,
  places?: readonly string[],
): Promise<Target | Refusal> {
  const target = await targetOf(workspace, path);
  if ("refused" in target) return target;
  if (places !== undefined && !places.includes(target.place))
    return { refused: remark("file-elsewhere", { path }) };
  if (target.before === undefined) return target;
  const { place, shown, before } = target;
  const known = await seen.shaOf(place);
  if (known === undefined) {
    return { refused: remark("file-not-read", { path: shown }) };
  }
  if (known !== before.sha256) {
    return { refused: remark("file-changed-since-read", { path: shown }) };
  }
  if (!isWritable(place)) return { refused: remark("file-read-only", { path: shown }) };
  return target;
}

async function load(place: string): Promise<Before> {
  let file: FileHandle | undefined;
  try {
    file = await openFile(place);
    const stats = await file.stat();
    const bytes = await file.readFile();
    return { bytes, stats, sha256: sha256Of(bytes) };
  } finally {
    await file?.close();
  }
}

function isWritable(place: string): boolean {
  try {
    heldFolders.look(pathOfText(place), (at) => accessSync(at, constants.W_OK));
    return true;
  } catch {
    return false;
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Returns the text of a file, or undefined if it is not valid UTF-8, because writing it back would then change its
 * bytes.
 */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Maximum number of edits in a diff. With more edits, finding the smallest difference takes longer than a user would
 * wait.
 */
const MAX_EDITS = 5_000;

/** Creates the diff that the user sees before a write. */
export function unifiedDiff({ shown, before }: Target, after: string): Exclude<Preview, { refused: Remark }> {
  const old = before === undefined ? "" : textIn(before.bytes);
  if (old === undefined) return { without: "not-text" };
  const from = before === undefined ? "/dev/null" : `a/${shown}`;
  const diff = createTwoFilesPatch(from, `b/${shown}`, old, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: MAX_EDITS,
  });
  return diff === undefined ? { without: "too-different" } : { diff };
}
