import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ErrorParams, WorldlineError } from "../../../record/error.ts";
import { isJsonObject } from "../../../record/parts.ts";
import type { ClaudeSdk } from "./sdk-types.ts";

const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** The SDK's package on disk. None of its code has run yet. */
export interface FoundSdk {
  /** The package's folder. */
  readonly folder: string;
  readonly version: string;
  /** The path of the module to import. */
  readonly entry: string;
  /**
   * The packages that contain the SDK's binary for this machine. One of them is required. The list is empty if the SDK
   * names no such packages.
   */
  readonly binaries: readonly string[];
}

export interface SdkLocation {
  /**
   * The folder that the user named, which is either the package itself or the folder where it is installed. If present,
   * no other folders are searched.
   */
  readonly folder?: string | undefined;
  /** The folder where Worldline is installed. The default is derived from the folder of this file. */
  readonly beside?: string;
}

/**
 * Finds the package without running it. Never searches the current folder automatically, because code in that folder
 * would run with all keys before the user has trusted it.
 */
export function findClaudeSdk({ folder, beside = ownFolder() }: SdkLocation = {}): FoundSdk | undefined {
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

/** Returns the folder that contains Worldline's own package.json. */
function ownFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return upwards(here).find((folder) => existsSync(join(folder, "package.json"))) ?? here;
}

/** Checks whether one of the packages with the SDK's binary is installed. */
function hasBinary({ folder, binaries }: FoundSdk): boolean {
  if (binaries.length === 0) return true;
  return modulesAbove(folder).some((modules) =>
    binaries.some((name) => existsSync(join(modules, name, "package.json"))),
  );
}

/** Returns every package folder that Node would search, starting from `folder`. */
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
    // Without a readable package.json, the folder is not a usable package.
    return undefined;
  }
}

/** The version that we have tested. This version is also the oldest one that does everything we need. */
const KNOWN = "0.3.325";
const WANTED = `${SDK_PACKAGE}@${KNOWN}`;

export interface LoadSdkOptions extends SdkLocation {
  /** Called when the SDK is newer than the tested versions. The SDK is loaded anyway. */
  readonly onDoubt?: (doubt: SdkDoubt) => void;
}

/**
 * Loads the Claude Agent SDK, which users install themselves, either next to Worldline or in a folder that they name.
 * If the SDK cannot be used, throws before a session is created.
 */
export async function loadClaudeSdk(options: LoadSdkOptions = {}): Promise<ClaudeSdk> {
  const { found, version } = requireClaudeSdk(options);
  if (version === "unknown") options.onDoubt?.({ version: found.version, known: KNOWN, wanted: WANTED });
  return sdkOf(await imported(found, options), found, options);
}

/** An SDK that is newer than the tested versions. */
export interface SdkDoubt {
  readonly version: string;
  readonly known: string;
  /** The package and its tested version, in the form that npm accepts. */
  readonly wanted: string;
}

export interface UsableSdk {
  readonly found: FoundSdk;
  /** "unknown" if the version is newer than the tested ones. */
  readonly version: "known" | "unknown";
}

/** Returns the SDK that would be loaded, without running any of its code. Throws if the SDK cannot be used. */
export function requireClaudeSdk(where: SdkLocation = {}): UsableSdk {
  const found = findClaudeSdk(where);
  if (found === undefined) throw absent(where);
  const version = ageOf(found.version);
  if (version === "old") throw tooOld(found, where);
  if (!hasBinary(found)) throw withoutBinary(found, where);
  return { found, version };
}

/** Returns how to install the SDK, which depends on where Worldline is installed. */
function installOf({ folder, beside = ownFolder() }: SdkLocation = {}): ErrorParams<"sdk-absent">["install"] {
  if (folder !== undefined) return { how: "folder", folder, wanted: WANTED };
  const modules = dirname(beside);
  // In a clone of Worldline, npm skips an optional peer of the package itself.
  if (basename(modules) !== "node_modules") return { how: "clone", wanted: WANTED };
  const project = dirname(modules);
  // A global installation has no project.
  if (!existsSync(join(project, "package.json"))) return { how: "global", wanted: WANTED };
  return { how: "project", project, wanted: WANTED };
}

/**
 * Compares the version to the tested one. As in semver for versions that begin with 0, the second number marks breaking
 * changes.
 */
function ageOf(version: string): "known" | "old" | "unknown" {
  const [major = 0, minor = 0, patch = 0] = numbersOf(version);
  const [knownMajor = 0, knownMinor = 0, knownPatch = 0] = numbersOf(KNOWN);
  if (major !== knownMajor || minor !== knownMinor) {
    return major < knownMajor || (major === knownMajor && minor < knownMinor) ? "old" : "unknown";
  }
  return patch < knownPatch ? "old" : "known";
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[.+-]/u, 3).map((number) => Number.parseInt(number, 10) || 0);
}

async function imported(found: FoundSdk, where: SdkLocation): Promise<unknown> {
  try {
    return await import(pathToFileURL(found.entry).href);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const { folder } = found;
    throw new WorldlineError("sdk-unloadable", { folder, why, install: installOf(where) }, { cause });
  }
}

const FUNCTIONS = ["query", "getSessionMessages", "forkSession", "createSdkMcpServer", "tool"] as const;

function sdkOf(module: unknown, found: FoundSdk, where: SdkLocation): ClaudeSdk {
  const given = module as Readonly<Record<string, unknown>>;
  const missing = FUNCTIONS.filter((name) => typeof given[name] !== "function");
  if (missing.length > 0) {
    const { folder } = found;
    throw new WorldlineError("sdk-incomplete", { folder, missing, install: installOf(where) });
  }
  return module as ClaudeSdk;
}

function absent(where: SdkLocation): WorldlineError {
  const { folder } = where;
  const named = folder === undefined ? {} : { folder };
  return new WorldlineError("sdk-absent", { ...named, install: installOf(where) });
}

function tooOld({ version, folder }: FoundSdk, where: SdkLocation): WorldlineError {
  return new WorldlineError("sdk-too-old", { version, folder, needed: KNOWN, install: installOf(where) });
}

function withoutBinary({ folder }: FoundSdk, where: SdkLocation): WorldlineError {
  const machine = `${process.platform} ${process.arch}`;
  return new WorldlineError("sdk-without-program", { folder, machine, install: installOf(where) });
}
