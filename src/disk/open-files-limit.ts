/** Under this, what can be done with fewer open files is: threads, for one, need some ten each. */
export const FEW_FILES = 512;

/**
 * How many files this process may have open at once; Node has raised that as far as it may. Infinity where the system does not say so
 * in a file. Imports nothing, because it is asked before anything else is loaded.
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
