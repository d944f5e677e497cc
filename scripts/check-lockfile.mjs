import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

/**
 * Finds the packages that are missing from the lockfile. For a new release, a registry may lack the packages of
 * some platforms. `npm install` then writes a lockfile without them and without a warning, and `npm ci` fails on
 * those platforms. The fix is to use an older release of the named package.
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

/**
 * Finds packages with install scripts that have not been reviewed. Such a script runs with the
 * permissions of the installing user. npm reads `allowScripts` in package.json only since version 11.16, and
 * older versions run scripts without asking, so every such package must be reviewed.
 */
function unreviewedScripts() {
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), "utf8"));
  const reviewed = read("package.json").allowScripts;
  return Object.entries(read("package-lock.json").packages)
    .filter(([path, entry]) => path !== "" && entry.hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13))
    .filter((name) => reviewed?.[name] === undefined)
    .map(
      (name) =>
        `package-lock.json: ${name} runs install scripts: review them, then add it to allowScripts in package.json`,
    );
}

const faults = ["package-lock.json", "bench/package-lock.json", "test/claude-sdk/package-lock.json"]
  .filter((each) => existsSync(join(root, each)))
  .flatMap(faultsIn)
  .concat(unreviewedScripts());
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
