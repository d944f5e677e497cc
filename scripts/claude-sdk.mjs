import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

/** A separate package, so that users who install Worldline do not get test-only dependencies. */
export const claudeSdkPackage = join(root, "test", "claude-sdk");

const NAME = "@anthropic-ai/claude-agent-sdk";

/** @param {string} path @returns {{ version?: string, dependencies?: Record<string, string> }} */
function packageAt(path) {
  return JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
}

/** The version that the tests use. */
export function wantedClaudeSdk() {
  return packageAt(claudeSdkPackage).dependencies?.[NAME] ?? "";
}

/**
 * Returns the SDK's folder if the wanted version is installed there, with a program that starts on this machine.
 * @returns {string | undefined}
 */
export function claudeSdkForTests() {
  const modules = join(claudeSdkPackage, "node_modules");
  const folder = join(modules, NAME);
  // npm writes `.package-lock.json` last, so if that file is missing, the installation was aborted.
  const files = [join(modules, ".package-lock.json"), join(folder, "package.json")];
  if (!files.every(existsSync) || packageAt(folder).version !== wantedClaudeSdk()) return undefined;
  return programsBeside(folder).some(starts) ? folder : undefined;
}

/**
 * Returns the programs next to the SDK. npm installs the package for this platform, or one package for each C library.
 * @param {string} folder
 */
function programsBeside(folder) {
  const scope = join(folder, "..");
  return readdirSync(scope)
    .filter((each) => each.startsWith("claude-agent-sdk-"))
    .flatMap((each) => ["claude", "claude.exe"].map((program) => join(scope, each, program)))
    .filter((each) => existsSync(each));
}

/** @param {string} program */
function starts(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore", timeout: 30_000 }).status === 0;
}
