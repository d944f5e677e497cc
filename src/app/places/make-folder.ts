import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "./system-error.ts";

/**
 * Makes a folder and those above it, as far as they are not there. Node's own `recursive` tries for ever
 * where the folder above is there but says that it is not when something is to be made in it, as /proc does.
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode);
  try {
    await mkdir(folder, mode);
  } catch (error) {
    // Another process was quicker, or something else stands there.
    if (systemCode(error) !== "EEXIST" || !(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (there) => there.isDirectory(),
    () => false,
  );
}
