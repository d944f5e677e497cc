#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/cli.js", import.meta.url);
try {
  await import(program.href);
} catch (error) {
  // Only what was never built: a program that fails says itself why.
  if (existsSync(program)) throw error;
  process.stderr.write(`Worldline is not built: it has no dist folder.
In a clone of its repository: npm ci && npm run build
Installed from git: npm must be allowed to run scripts, which build it: npm install --ignore-scripts=false
`);
  process.exitCode = 1;
}
