import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Next to the project rather than in the system's temporary folder, which is often in memory, where a sync
// costs nothing.
const parent = fileURLToPath(new URL(".", import.meta.url));
const living = new Set();

const removeAll = () => {
  // A child that was just killed may still have created a file there, so removal is retried.
  for (const dir of living) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
};
process.on("exit", removeAll);
// Without a handler, a signal would end the process without "exit" and leave hundreds of megabytes on the disk.
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
]) {
  process.once(signal, () => process.exit(code));
}

/**
 * Runs `work` with an empty folder that is always removed afterwards.
 * @template T
 * @param {(dir: string) => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function withTempDir(work) {
  const dir = mkdtempSync(join(parent, ".tmp-"));
  living.add(dir);
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    living.delete(dir);
  }
}
