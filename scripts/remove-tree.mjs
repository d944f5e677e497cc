import { chmodSync, readdirSync, rmSync } from "node:fs";

/**
 * Removes a folder with its contents, including folders that tests have made inaccessible to their owner.
 * @param {string} path
 */
export function removeTree(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    return;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EACCES" && code !== "EPERM") throw error;
  }
  openFolders(Buffer.from(path));
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {Buffer} folder The path as bytes, because names are not always UTF-8. */
function openFolders(folder) {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    if (entry.isDirectory()) openFolders(Buffer.concat([folder, Buffer.from("/"), entry.name]));
  }
}
