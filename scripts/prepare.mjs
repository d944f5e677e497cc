import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./run-command.mjs";

// npm runs this after `npm ci`, before it packs or publishes, and when it installs Worldline from git,
// because every package contains dist/. If development packages were left out on purpose (`npm ci
// --omit=dev`), nothing can be built, and dist/ may already exist.
const isInstall = ["ci", "install"].includes(process.env["npm_command"] ?? "");
if (isInstall && !existsSync(join(root, "node_modules", "esbuild"))) {
  console.log("Worldline was not built: its development dependencies are not installed.");
} else {
  console.log(`build: ${await build()}`);
}
