import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../run-command.mjs";

/** @typedef {import("node:inspector").Profiler.ScriptCoverage} ScriptCoverage */

/** V8's names for code that runs when a module or a class is defined, not because of a call. */
const definitions = new Set(["<static_initializer>"]);

/** @type {Map<string, (offset: number) => string | undefined>} */
const sourceFinders = new Map();

/**
 * Returns our source file for each offset of a bundled script, if there is one.
 * @param {string} url
 */
function sourceFinder(url) {
  const known = sourceFinders.get(url);
  if (known !== undefined) return known;
  const script = fileURLToPath(url);
  const code = readFileSync(script, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${script}.map`, "utf8")));
  const lineStarts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const find = (/** @type {number} */ offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0));
    // The nearest mapping for code that esbuild added belongs to another line, and possibly to another file.
    if (!("originalSource" in entry) || entry.generatedLine !== line) return undefined;
    const path = relative(root, resolve(dirname(script), entry.originalSource));
    return path.startsWith("src/") ? path : undefined;
  };
  sourceFinders.set(url, find);
  return find;
}

/**
 * Returns the source files in which at least one function was called. Loading a module does not count as a call.
 * @param {readonly ScriptCoverage[]} scripts
 * @returns {string[]}
 */
export function executedFiles(scripts) {
  const files = new Set();
  for (const { url, functions } of scripts) {
    const find = sourceFinder(url);
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      const isModule = functionName === "" && range?.startOffset === 0;
      if (range === undefined || range.count === 0 || isModule || definitions.has(functionName)) continue;
      const file = find(range.startOffset);
      if (file !== undefined) files.add(file);
    }
  }
  return [...files].sort();
}
