import { readdirSync, readFileSync } from "node:fs";
import { isLiving } from "../../../living.ts";

interface Kin {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/** A process with everything that it started and everything that shares its terminal. */
export function treeOf(pid: number): readonly number[] {
  // Every process descends from 0 and 1, so ending their trees would end the system.
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${pid} is no process of a test`);
  const all = processes();
  const tree = new Set([pid]);
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const each of all) if (tree.has(each.parent) || tree.has(each.session)) tree.add(each.pid);
  }
  return [...tree];
}

/** Kills all of these processes and waits until all have ended. */
export async function endTree(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    if (isLiving(pid)) process.kill(pid, "SIGKILL");
  }
  const deadline = Date.now() + 10_000;
  while (pids.some(isLiving)) {
    if (Date.now() > deadline)
      throw new Error(`Still there after SIGKILL: ${pids.filter(isLiving).join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function processes(): readonly Kin[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => kinOf(Number(name)));
}

function kinOf(pid: number): readonly Kin[] {
  try {
    // A program's name may contain spaces and brackets, so parsing starts after the last bracket.
    const [, parent, , session] =
      readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return [{ pid, parent: Number(parent), session: Number(session) }];
  } catch {
    // The process ended while it was being read.
    return [];
  }
}
