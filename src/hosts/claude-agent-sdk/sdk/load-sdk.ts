import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ErrorParams, WorldlineError } from "../../../record/error.ts";
import {
  type FoundSdk,
  findClaudeSdk,
  hasBinary,
  ownFolder,
  SDK_PACKAGE,
  type WhereSdk,
} from "./find-sdk.ts";
import type { ClaudeSdk } from "./sdk-types.ts";

/** The oldest that does all that we ask of it, and the one that we know by running it. */
const KNOWN = "0.3.325";
const WANTED = `${SDK_PACKAGE}@${KNOWN}`;

export interface LoadSdkOptions extends WhereSdk {
  /** Told where it will be tried although nobody knows whether it works. */
  readonly onDoubt?: (doubt: string) => void;
}

/**
 * The Claude Agent SDK, which only those install who want it: beside Worldline, or in the folder that is named. Whatever
 * stands against using it is said here, before there is a session.
 */
export async function loadClaudeSdk(options: LoadSdkOptions = {}): Promise<ClaudeSdk> {
  const { found, version } = requireClaudeSdk(options);
  if (version === "unknown") options.onDoubt?.(doubtOf(found));
  return sdkOf(await imported(found, options), found, options);
}

export interface UsableSdk {
  readonly found: FoundSdk;
  /** "unknown": newer than those that we know. */
  readonly version: "known" | "unknown";
}

/** The SDK that would be loaded; throws what stands against that. Runs nothing of it. */
export function requireClaudeSdk(where: WhereSdk = {}): UsableSdk {
  const found = findClaudeSdk(where);
  if (found === undefined) throw absent(where);
  const version = ageOf(found.version);
  if (version === "old") throw tooOld(found, where);
  if (!hasBinary(found)) throw withoutBinary(found, where);
  return { found, version };
}

function doubtOf({ version }: FoundSdk): string {
  return (
    `The Claude Agent SDK ${version} is newer than those that Worldline knows (${KNOWN}); should it not work: ` +
    `npm install ${WANTED}`
  );
}

/** How it is to be installed, wherever Worldline is. */
function installOf({ folder, beside = ownFolder() }: WhereSdk = {}): ErrorParams<"sdk-absent">["install"] {
  if (folder !== undefined) return { how: "folder", folder, wanted: WANTED };
  const modules = dirname(beside);
  // In a clone of Worldline npm passes over what is an optional peer of the package itself.
  if (basename(modules) !== "node_modules") return { how: "clone", wanted: WANTED };
  const project = dirname(modules);
  // What npm installs with -g is in no project.
  if (!existsSync(join(project, "package.json"))) return { how: "global", wanted: WANTED };
  return { how: "project", project, wanted: WANTED };
}

/** Versions count as semver has it for those that begin with 0: the second number is the one that breaks things. */
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

async function imported(found: FoundSdk, where: WhereSdk): Promise<unknown> {
  try {
    return await import(pathToFileURL(found.entry).href);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const { folder } = found;
    throw new WorldlineError("sdk-unloadable", { folder, why, install: installOf(where) }, { cause });
  }
}

const FUNCTIONS = ["query", "getSessionMessages", "forkSession", "createSdkMcpServer", "tool"] as const;

function sdkOf(module: unknown, found: FoundSdk, where: WhereSdk): ClaudeSdk {
  const given = module as Readonly<Record<string, unknown>>;
  const missing = FUNCTIONS.filter((name) => typeof given[name] !== "function");
  if (missing.length > 0) {
    const { folder } = found;
    throw new WorldlineError("sdk-incomplete", { folder, missing, install: installOf(where) });
  }
  return module as ClaudeSdk;
}

function absent(where: WhereSdk): WorldlineError {
  const { folder } = where;
  const named = folder === undefined ? {} : { folder };
  return new WorldlineError("sdk-absent", { ...named, install: installOf(where) });
}

function tooOld({ version, folder }: FoundSdk, where: WhereSdk): WorldlineError {
  return new WorldlineError("sdk-too-old", { version, folder, needed: KNOWN, install: installOf(where) });
}

function withoutBinary({ folder }: FoundSdk, where: WhereSdk): WorldlineError {
  const machine = `${process.platform} ${process.arch}`;
  return new WorldlineError("sdk-without-program", { folder, machine, install: installOf(where) });
}
