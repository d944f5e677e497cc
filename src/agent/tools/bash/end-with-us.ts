import { errnoOf } from "../../../disk/disk.ts";

const groups = new Set<number>();

/**
 * Kills a process group when this program ends in a hurry, without the time to ask it first. Returns how to stop that,
 * for a group that has ended: its number may be somebody else's by then.
 */
export function endWithUs(group: number): () => void {
  if (groups.size === 0) process.once("exit", killAll);
  groups.add(group);
  return () => {
    groups.delete(group);
    if (groups.size === 0) process.off("exit", killAll);
  };
}

function killAll(): void {
  for (const group of groups) {
    try {
      process.kill(-group, "SIGKILL");
    } catch (error) {
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
}
