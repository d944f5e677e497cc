/**
 * If the limit is lower than this, features use an alternative that needs fewer open files, if there is one. A thread,
 * for example, needs about ten files.
 */
export const FEW_FILES = 512;

/**
 * How many files this process may have open at the same time; infinite if the system does not provide the limit in a
 * file. Node has already raised the limit as far as it may. This module does not import anything, because it is called
 * before any other module is loaded.
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
