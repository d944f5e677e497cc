import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../record/error.ts";

/** A temporary folder for one test. */
export interface TempFolder {
  readonly path: string;
  remove(): void;
}

export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "worldline-test-")));
  return { path, remove: () => removeTree(path) };
}

/** Removes a folder with everything in it, including folders that a test has made inaccessible to their owner. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    return;
  } catch (error) {
    if (errnoOf(error) !== "EACCES" && errnoOf(error) !== "EPERM") throw error;
  }
  openFolders(Buffer.from(path));
  rmSync(path, { recursive: true, force: true });
}

function openFolders(folder: Buffer): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    if (entry.isDirectory()) openFolders(Buffer.concat([folder, Buffer.from("/"), entry.name]));
  }
}

/** Passes the path of a temporary folder to `work`, and removes the folder afterward. */
export async function inTempFolder<Result>(
  work: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  const folder = tempFolder();
  try {
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}
