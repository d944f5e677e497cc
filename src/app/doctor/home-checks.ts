import type { Stats } from "node:fs";
import { access, chmod, constants, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { problemOf } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { type Check, finding, type Mode } from "./check.ts";

const MB = 1_000_000;
const LITTLE_BYTES = 200 * MB;
const TOO_LITTLE_BYTES = 10 * MB;
const OTHERS = 0o077;

export async function homeChecks(context: AppContext, mode: Mode): Promise<Check[]> {
  const there = await statOf(context.home);
  const folder = await folderCheck(context, there, mode);
  return folder.status === "error" ? [folder] : [folder, await spaceCheck(context.home)];
}

async function folderCheck(context: AppContext, there: Stats | undefined, mode: Mode): Promise<Check> {
  const { home } = context;
  const unwritable: Check = {
    about: "home",
    status: "error",
    finding: finding("homeUnwritable", home),
    hint: finding("moveHome"),
  };
  if (there === undefined) {
    const isPossible = await isWritable(await nearestThere(home));
    return isPossible ? { about: "home", status: "ok", finding: finding("homeMissing", home) } : unwritable;
  }
  if (!there.isDirectory()) return { ...unwritable, finding: finding("homeNoFolder", home) };
  if (!(await isWritable(home))) return unwritable;
  // Windows has no such permission bits.
  const isOpen = process.platform !== "win32" && (there.mode & OTHERS) !== 0;
  if (!isOpen) return { about: "home", status: "ok", finding: finding("homeReady", home) };
  return mode === "fix" ? closeHome(context) : openHome(context, there);
}

function openHome({ home }: AppContext, there: Stats): Check {
  const mode = (there.mode & 0o7777).toString(8).padStart(4, "0");
  return {
    about: "home",
    status: "warning",
    finding: finding("homeOpen", home, mode),
    hint: finding("closeHome", home),
    fixable: true,
  };
}

async function closeHome({ home }: AppContext): Promise<Check> {
  try {
    await chmod(home, 0o700);
    return { about: "home", status: "fixed", finding: finding("homeClosed", home) };
  } catch (error) {
    return {
      about: "home",
      status: "error",
      finding: { code: "problem", problem: problemOf(error) },
      hint: finding("moveHome"),
    };
  }
}

/** Checks the free space on the disk for a path that need not exist yet. */
export async function spaceCheck(path: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(await nearestThere(path));
    return verdictOnSpace(bavail * bsize);
  } catch (error) {
    return { about: "home", status: "note", finding: finding("spaceUnknown", String(error)) };
  }
}

export function verdictOnSpace(free: number): Check {
  if (free >= LITTLE_BYTES) return { about: "home", status: "ok", finding: finding("space", free) };
  const status = free < TOO_LITTLE_BYTES ? "error" : "warning";
  return { about: "home", status, finding: finding("littleSpace", free), hint: finding("makeSpace") };
}

/** Returns the folder itself, or its nearest existing parent. */
async function nearestThere(folder: string): Promise<string> {
  const isThere = (await statOf(folder)) !== undefined;
  return isThere || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}

async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
