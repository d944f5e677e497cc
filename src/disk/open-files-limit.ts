/**
 * Below this limit, features use a cheaper alternative if they have one. Threads, for example, need about ten files
 * each.
 */
export const FEW_FILES = 512;

/**
 * How many files this process may have open at once; infinite if the system does not provide the limit in a file. Node
 * has already raised the limit as far as it may. This module imports nothing, because it is called before any other
 * module is loaded.
 */
export function openFilesLimit(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  try {
    const limits = process.getBuiltinModule("node:fs").readFileSync("/proc/self/limits", "latin1");
    return Number(/^Max open files +(\d+) /m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
