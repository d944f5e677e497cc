import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { systemCode } from "../../src/app/places/home.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { type PathBytes, pathIn } from "../../src/record/files.ts";

export interface CopyLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface Copied {
  readonly files: number;
  readonly bytes: number;
  /** Folders such as node_modules, which were copied only as stubs. */
  readonly leftOut: readonly PathBytes[];
  /** Paths that cannot be read, or are not a file, folder or link. */
  readonly skipped: readonly PathBytes[];
}

export interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly limits: CopyLimits;
  readonly onProgress: (files: number) => void;
  readonly signal: AbortSignal;
}

/** Large folders that tools create. Snapshots leave these folders out, so copying them would not prove anything. */
const LARGE: ReadonlySet<PathBytes> = new Set([
  "node_modules",
  ".venv",
  "venv",
  "target",
  ".next",
  ".nuxt",
  ".gradle",
  ".tox",
  ".turbo",
  "Pods",
  "DerivedData",
  "bower_components",
]);
const TURN = 200;
const OWNER_ALL = 0o700;
const MODE_BITS = 0o7777;

/**
 * Copies a folder. Counts its files first, so that a folder that is too large is refused before anything is written.
 */
export async function copyFolder(request: CopyRequest): Promise<Copied> {
  const plan = await planCopy(request);
  requireRoom(request, plan.bytes);
  let done = 0;
  for (const { path, stat } of plan.entries) {
    if (copyEntry(request, path, stat) === "unreadable") plan.skipped.push(path);
    done += 1;
    if (done % TURN > 0) continue;
    request.onProgress(done);
    await pause(request);
  }
  for (const path of plan.leftOut) {
    mkdirSync(placeIn(request.to, pathIn(path, "stand-in")), { recursive: true });
    writeFileSync(
      placeIn(request.to, pathIn(path, "stand-in/index.js")),
      "// A stand-in for the folder's contents.\n",
    );
  }
  // Modes are set last, because a read-only folder cannot be filled.
  for (const { path, stat } of plan.entries.toReversed()) {
    if (stat.isDirectory()) chmodSync(placeIn(request.to, path), stat.mode & MODE_BITS);
  }
  const { files, bytes, leftOut, skipped } = plan;
  return { files, bytes, leftOut, skipped };
}

interface Entry {
  readonly path: PathBytes;
  readonly stat: Stats;
}

/** What to copy, folders before their contents. */
interface Plan {
  files: number;
  bytes: number;
  readonly leftOut: PathBytes[];
  readonly skipped: PathBytes[];
  readonly entries: Entry[];
}

async function planCopy(request: CopyRequest): Promise<Plan> {
  const { from, to, limits } = request;
  const own = lstatSync(to);
  const plan: Plan = { files: 0, bytes: 0, leftOut: [], skipped: [], entries: [] };
  const waiting: PathBytes[] = [""];
  for (let path = waiting.pop(), seen = 1; path !== undefined; path = waiting.pop(), seen += 1) {
    const stat = lstatSync(placeIn(from, path), { throwIfNoEntry: false });
    // The folder may be in use, so paths that have disappeared are skipped. The copy itself is also skipped.
    const isMeant = stat !== undefined && (stat.ino !== own.ino || stat.dev !== own.dev);
    if (isMeant) waiting.push(...planEntry(plan, from, { path, stat }));
    if (plan.files > limits.files || plan.bytes > limits.bytes) throw tooLarge(request);
    if (seen % TURN === 0) await pause(request);
  }
  return plan;
}

/** Adds an entry to the plan. Returns the paths inside it if it is a folder. */
function planEntry(plan: Plan, from: string, entry: Entry): readonly PathBytes[] {
  const { path, stat } = entry;
  if (!stat.isDirectory()) {
    planFile(plan, entry);
    return [];
  }
  if (LARGE.has(path.slice(path.lastIndexOf("/") + 1))) {
    plan.leftOut.push(path);
    return [];
  }
  const names = namesIn(from, path);
  if (names === undefined) plan.skipped.push(path);
  else plan.entries.push(entry);
  return (names ?? []).map((name) => pathIn(path, name));
}

function planFile(plan: Plan, entry: Entry): void {
  const { path, stat } = entry;
  if (!stat.isFile() && !stat.isSymbolicLink()) {
    plan.skipped.push(path);
    return;
  }
  plan.files += 1;
  plan.bytes += stat.isFile() ? stat.size : 0;
  plan.entries.push(entry);
}

function copyEntry({ from, to }: CopyRequest, path: PathBytes, stat: Stats): "copied" | "unreadable" {
  const [source, place] = [placeIn(from, path), placeIn(to, path)];
  if (stat.isDirectory()) {
    mkdirSync(place, { recursive: true });
    chmodSync(place, (stat.mode & MODE_BITS) | OWNER_ALL);
  } else if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(source, { encoding: "buffer" }), place);
  } else {
    try {
      copyFileSync(source, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    } catch (error) {
      if (!UNREADABLE.has(systemCode(error) ?? "")) throw error;
      return "unreadable";
    }
    chmodSync(place, stat.mode & MODE_BITS);
  }
  return "copied";
}

/** Error codes of files that cannot be read, including those removed in the meantime. */
const UNREADABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ENOENT"]);

async function pause({ signal }: CopyRequest): Promise<void> {
  await setImmediate();
  if (signal.aborted) throw new WorldlineError("nothing-touched", {});
}

function namesIn(from: string, path: PathBytes): PathBytes[] | undefined {
  try {
    return readdirSync(placeIn(from, path), { encoding: "latin1" });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

export function placeIn(root: string, path: PathBytes): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
}

/** The required free space as a multiple of the folder's size: the copy, the store, and the files that damage adds. */
const TIMES_BYTES = 3;

function requireRoom({ to }: CopyRequest, bytes: number): void {
  const { bavail, bsize } = statfsSync(to);
  const free = bavail * bsize;
  if (free >= bytes * TIMES_BYTES) return;
  throw new WorldlineError("no-room-for-copy", { folder: to, free, needed: bytes * TIMES_BYTES });
}

function tooLarge({ from, limits }: CopyRequest): WorldlineError {
  return new WorldlineError("folder-too-large-to-copy", { folder: from, ...limits });
}
