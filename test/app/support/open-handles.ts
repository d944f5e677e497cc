import { readdirSync } from "node:fs";

/** Returns by how many the open files of this process increase while `work` runs for the second time. */
export async function handlesLeftBy(work: () => Promise<unknown>): Promise<number> {
  // The first run loads modules and starts what the process keeps.
  await work();
  const before = openHandles();
  await work();
  return openHandles() - before;
}

function openHandles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}
