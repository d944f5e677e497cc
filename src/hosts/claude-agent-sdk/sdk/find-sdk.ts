import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../../record/json.ts";

export const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** The package as it lies on the disk; nothing of it has been run. */
export interface FoundSdk {
  /** Of the package itself. */
  readonly folder: string;
  readonly version: string;
  /** The module that is imported, by its path. */
  readonly entry: string;
  /** The packages of its binary for this machine, of which it needs one; empty where it names none. */
  readonly binaries: readonly string[];
}

export interface WhereSdk {
  /** Of whoever names one: the package, or what it is installed in. Nothing else is looked at then. */
  readonly folder?: string | undefined;
  /** Where Worldline is; absent: where this file is. */
  readonly beside?: string;
}

/**
 * Looks for the package without running it. Never in the current folder by itself: whoever wrote the code in there would
 * be run with all keys, before anybody has trusted them.
 */
export function findClaudeSdk({ folder, beside = ownFolder() }: WhereSdk = {}): FoundSdk | undefined {
  const places =
    folder === undefined
      ? modulesAbove(beside).map((modules) => join(modules, SDK_PACKAGE))
      : [folder, join(folder, "node_modules", SDK_PACKAGE), join(folder, SDK_PACKAGE)];
  for (const place of places) {
    const found = packageAt(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The folder of Worldline's own package.json. */
export function ownFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return upwards(here).find((folder) => existsSync(join(folder, "package.json"))) ?? here;
}

/** Whether one of the packages that hold its binary is installed with it. */
export function hasBinary({ folder, binaries }: FoundSdk): boolean {
  if (binaries.length === 0) return true;
  return modulesAbove(folder).some((modules) =>
    binaries.some((name) => existsSync(join(modules, name, "package.json"))),
  );
}

/** Every folder of packages that Node would look into from there. */
function modulesAbove(folder: string): readonly string[] {
  return upwards(folder)
    .filter((each) => basename(each) !== "node_modules")
    .map((each) => join(each, "node_modules"));
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

function packageAt(folder: string): FoundSdk | undefined {
  const json = jsonAt(join(folder, "package.json"));
  if (!isJsonObject(json) || json["name"] !== SDK_PACKAGE) return undefined;
  const { version, main, optionalDependencies } = json;
  const named = isJsonObject(optionalDependencies) ? Object.keys(optionalDependencies) : [];
  const own = `${SDK_PACKAGE}-${process.platform}-${process.arch}`;
  return {
    folder,
    version: typeof version === "string" ? version : "0.0.0",
    entry: join(folder, typeof main === "string" ? main : "sdk.mjs"),
    binaries: named.filter((name) => name === own || name === `${own}-musl`),
  };
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Whatever cannot be read there is no package that could be used.
    return undefined;
  }
}
