/**
 * If the limit is below this number, features that can work with fewer open files do so. A thread, for example, needs
 * about ten open files.
 */
export const FEW_FILES = 512;

/**
 * Returns the number of files that this process can have open at the same time, or infinity if the system does not
 * provide the limit in a file. Node has already raised the limit as far as the system allows. This module does not
 * import anything, because it is called before any other module is loaded.
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
