import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";

/** The machine that the figures come from. Ratios are comparable between machines; milliseconds are not. */
export function machine() {
  const cpus = os.cpus();
  const model = cpus[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${cpus.length} cores, ${os.type()} ${os.release()}, Node ${process.versions.node}`;
}

/**
 * Runs `work` and returns its cost: wall and CPU milliseconds.
 * @template T
 * @param {() => Promise<T> | T} work
 */
export async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms, cpuMs: (user + system) / 1000 };
}

/** The peak memory of this process since it started, in MB. */
export const peakMb = () => process.resourceUsage().maxRSS / 1024;

/** @param {readonly number[]} values */
export function stats(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { min: sorted[0], median, max: sorted.at(-1), n: sorted.length };
}

/**
 * Counts every byte of every file below a folder. All contenders are measured by the same code, so no
 * contender can leave out a file.
 */
export function bytesOnDisk(dir) {
  let total = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    total += entry.isDirectory() ? bytesOnDisk(path) : lstatSync(path).size;
  }
  return total;
}

/** A short digest of many texts, to check that two contenders give the model the same texts. */
export function digest(texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("hex").slice(0, 16);
}
