import fs from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";

let syncs = 0;

function counting(owner, name) {
  const original = owner[name];
  owner[name] = function (...args) {
    syncs += 1;
    return original.apply(this, args);
  };
}

/**
 * Starts counting every fsync and fdatasync of this process. Call it before importing a contender: calls
 * by a module that already holds its own references to the functions are not counted.
 */
export async function startCounting() {
  for (const name of ["fsyncSync", "fdatasyncSync", "fsync", "fdatasync"]) counting(fs, name);
  const handle = await open(fileURLToPath(import.meta.url));
  for (const name of ["sync", "datasync"]) counting(Object.getPrototypeOf(handle), name);
  await handle.close();
  syncBuiltinESMExports();
}

/**
 * How many bytes this process has passed to the kernel. Only Linux reports this; elsewhere the result is NaN, which is
 * printed as a dash.
 */
function bytesWritten() {
  if (process.platform !== "linux") return Number.NaN;
  return Number(/^wchar: (\d+)$/m.exec(fs.readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** Reads the counters. The returned function reports how much they have grown since then. */
export function diskCounters() {
  const before = { bytes: bytesWritten(), syncs };
  return () => ({ bytes: bytesWritten() - before.bytes, syncs: syncs - before.syncs });
}
