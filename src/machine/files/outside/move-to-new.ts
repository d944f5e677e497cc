import { link, rename } from "node:fs/promises";
import { errnoOf } from "../../../record/error.ts";

/**
 * Gives a file its name where nothing may be yet; the old name may stay as a second one. Throws EEXIST where something is:
 * a rename would put away what another program has just made.
 */
export async function moveToNew(beside: string | Buffer, path: string | Buffer): Promise<void> {
  try {
    await link(beside, path);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw error;
    // A file system without hard links.
    await rename(beside, path);
  }
}
