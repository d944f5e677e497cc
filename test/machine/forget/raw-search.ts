import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files below `folder` that hold these bytes anywhere, including in their names. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const own = name.includes(text) ? [path] : [];
    const stat = lstatSync(path);
    if (stat.isDirectory()) return [...own, ...filesWith(path, text)];
    // Sockets have no content.
    if (!stat.isFile()) return own;
    return readFileSync(path).includes(text) ? [...own, path] : own;
  });
}
