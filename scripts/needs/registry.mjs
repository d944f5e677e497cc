import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../remove-tree.mjs";
import { root, run } from "../run-command.mjs";

/** After the first run, npm's cache holds everything that the tests install. */
export const fromCache = ["--prefer-offline", "--no-audit", "--no-fund"];

/** Whether npm can install Worldline's dependencies, from its cache or from a registry. Does not install anything. */
export async function canInstallDependencies() {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "worldline-registry-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    const { code } = await run("npm", ["install", "--dry-run", "--ignore-scripts", ...fromCache], {
      cwd: folder,
      show: "collect",
    });
    return code === 0;
  } finally {
    removeTree(folder);
  }
}

/** @type {import("../needs.mjs").Source} */
export const registrySource = {
  place: "npm uses the registry shown by `npm config get registry`",
  installing: "nothing",
  hindrance: async () => "npm cannot reach its registry, and its cache lacks Worldline's dependencies",
  install: async () => false,
};
