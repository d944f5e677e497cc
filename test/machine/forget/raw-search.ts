import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files below `folder` that hold these bytes anywhere, in their names too. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const own = name.includes(text) ? [path] : [];
    const stat = lstatSync(path);
    if (stat.isDirectory()) return [...own, ...filesWith(path, text)];
    // A socket has no bytes.
    if (!stat.isFile()) return own;
    return readFileSync(path).includes(text) ? [...own, path] : own;
  });
}
