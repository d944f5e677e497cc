import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./run-command.mjs";

// npm runs this after `npm ci`, before it packs or publishes, and before it installs Worldline from git: every package contains dist/.
// If development packages were left out on purpose (`npm ci --omit=dev`), nothing can be built, and dist/ may already exist.
const isInstall = ["ci", "install"].includes(process.env["npm_command"] ?? "");
if (isInstall && !existsSync(join(root, "node_modules", "esbuild"))) {
  console.log("Worldline is not built: the packages for development are not installed.");
} else {
  console.log(`build: ${await build()}`);
}
