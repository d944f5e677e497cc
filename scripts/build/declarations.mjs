import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Not in comments: those lines begin with an asterisk. */
const IMPORTS = /^(?:import|export)\b[^;"]*\bfrom\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** @param {string} text */
function importsOf(text) {
  return [...text.matchAll(IMPORTS)].map(([, from, inside]) => from ?? inside ?? "");
}

/**
 * Removes declarations that no published one needs: tsc writes those of all compiled code. Throws if one needs a package
 * that a caller may not have.
 * @param {string} folder
 * @param {readonly string[]} published
 */
export function keepReachable(folder, published) {
  const kept = new Set(published.map((each) => join(folder, each)));
  const faults = [];
  for (const path of kept) {
    for (const each of importsOf(readFileSync(path, "utf8"))) {
      if (each.startsWith(".")) kept.add(join(dirname(path), each.replace(/\.[jt]s$/, ".d.ts")));
      else faults.push(`${relative(folder, path)} needs the types of ${each}, which callers may not have`);
    }
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
  for (const each of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (each.endsWith(".d.ts") && !kept.has(join(folder, each))) rmSync(join(folder, each));
  }
}
