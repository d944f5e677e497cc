import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

/**
 * A registry may lack some platforms' packages of a fresh release. `npm install` then writes a lockfile without
 * them, without a word, and `npm ci` refuses it elsewhere. The remedy is an older release of the package named.
 * @param {string} path
 */
function faultsIn(path) {
  const text = readFileSync(join(root, path), "utf8");
  /** @type {Record<string, { optionalDependencies?: Record<string, string> }>} */
  const packages = JSON.parse(text).packages;
  const names = new Set(
    Object.keys(packages).map((each) => each.slice(each.lastIndexOf("node_modules/") + 13)),
  );
  const missing = Object.entries(packages).flatMap(([name, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((each) => !names.has(each))
      .map((each) => `${path}: ${name} wants ${each}, which is not in the lockfile`),
  );
  const addressed = text.includes('"resolved": "http') ? [`${path}: names a registry's address`] : [];
  return [...missing, ...addressed];
}

const faults = ["package-lock.json", "bench/package-lock.json", "test/claude-sdk/package-lock.json"]
  .filter((each) => existsSync(join(root, each)))
  .flatMap(faultsIn);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
