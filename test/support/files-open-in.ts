import { existsSync, readdirSync, readlinkSync } from "node:fs";

/** The files and folders in a folder that this process has open. Empty on systems that do not show them. */
export function filesOpenIn(folder: string): readonly string[] {
  const handles = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [];
  return handles.flatMap((handle) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${handle}`);
      return path === folder || path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      return [];
    }
  });
}
