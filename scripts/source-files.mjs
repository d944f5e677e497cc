import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "./run-command.mjs";

/**
 * The TypeScript files under a folder, relative to the project, with forward slashes. Generated files, whose size and
 * style do not matter, are left out.
 * @param {string} folder
 * @returns {string[]}
 */
export function sourceFiles(folder) {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith(".ts"))
    .map((each) => relative(root, join(each.parentPath, each.name)).split(sep).join("/"))
    .filter((path) => !path.includes("/generated/"))
    .sort();
}
