import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const inputs = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
/** The files in scripts/ that affect the build: the build script and its imports. */
const builders = /^(build|lazy-pi-tui|plain-builtins)/;
const outputs = ["cli.js", "index.js", "index.d.ts", "testing/testing.js", "testing/testing.d.ts"];

/**
 * Hashes all inputs of a build. The hash covers contents instead of modification times, because a checkout
 * or a clone changes all times.
 */
export function stampOfSources() {
  const hash = createHash("sha256");
  const scripts = filesBelow("scripts").filter((path) =>
    builders.test(path.slice(join(root, "scripts/").length)),
  );
  const sources = [...scripts, ...["src", "demo"].flatMap(filesBelow)];
  for (const path of [...inputs.map((each) => join(root, each)), ...sources]) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update("\0");
  }
  return hash.digest("hex");
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort();
}

/**
 * The hash of the sources from which dist/ was built, or undefined if a file that is started or imported is missing.
 * @param {string} dist
 */
export function stampOfBuild(dist) {
  const complete = outputs.every((each) => existsSync(join(dist, each)));
  const stamp = join(dist, ".stamp");
  return complete && existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}
