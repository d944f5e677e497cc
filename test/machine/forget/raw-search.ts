import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The files below `folder` that hold these bytes anywhere, in their names too. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const own = name.includes(text) ? [path] : [];
    if (statSync(path).isDirectory()) return [...own, ...filesWith(path, text)];
    return readFileSync(path).includes(text) ? [...own, path] : own;
  });
}
