import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Does not match imports in comments, whose lines begin with an asterisk. */
const IMPORTS = /^(?:import|export)\b[^;"]*\bfrom\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** @param {string} text */
function importsOf(text) {
  return [...text.matchAll(IMPORTS)].map(([, from, inside]) => from ?? inside ?? "");
}

/**
 * Removes declarations that no published declaration needs, because tsc writes declarations for all compiled code.
 * Throws if a needed declaration imports a package that a caller may not have.
 * @param {string} folder
 * @param {readonly string[]} published
 */
export function keepReachable(folder, published) {
  /** Each needed declaration, with the declaration that needs it. @type {Map<string, string | undefined>} */
  const neededBy = new Map(published.map((each) => [join(folder, each), undefined]));
  const faults = [];
  for (const path of neededBy.keys()) {
    for (const each of importsOf(readFileSync(path, "utf8"))) {
      const imported = join(dirname(path), each.replace(/\.[jt]s$/, ".d.ts"));
      if (!each.startsWith(".")) {
        const way = wayTo(neededBy, path).map((one) => relative(folder, one));
        faults.push(`${way.join(" <- ")} needs the types of ${each}, which callers may not have`);
      } else if (!neededBy.has(imported)) neededBy.set(imported, path);
    }
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
  for (const each of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (each.endsWith(".d.ts") && !neededBy.has(join(folder, each))) rmSync(join(folder, each));
  }
}

/**
 * @param {ReadonlyMap<string, string | undefined>} neededBy
 * @param {string} path
 */
function wayTo(neededBy, path) {
  const way = [];
  for (let at = /** @type {string | undefined} */ (path); at !== undefined; at = neededBy.get(at))
    way.push(at);
  return way;
}
