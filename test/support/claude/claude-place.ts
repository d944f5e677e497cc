import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type ModelServer, tempFolder } from "../../../src/testing/testing.ts";
import { isLiving } from "../../living.ts";

/** A place that only one test's Claude processes use. */
export interface ClaudePlace {
  readonly folder: string;
  readonly workspace: string;
  /** CLAUDE_CONFIG_DIR, where the SDK keeps its sessions. */
  readonly config: string;
  environment(server: ModelServer): Readonly<Record<string, string>>;
}

const PATIENCE_MS = 10_000;

/**
 * A place for the running test, removed afterward; a process that outlives the test is reported as a fault.
 * The check runs after everything that the test itself closes with `onTestFinished`.
 */
export function claudePlace(): ClaudePlace {
  const { path: folder, remove } = tempFolder();
  const workspace = join(folder, "workspace");
  const config = join(folder, "claude");
  for (const each of [workspace, config]) mkdirSync(each);
  // The SDK's functions read sessions in our own process, so they use our environment.
  const before = process.env["CLAUDE_CONFIG_DIR"];
  process.env["CLAUDE_CONFIG_DIR"] = config;
  onTestFinished(async () => {
    if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"];
    else process.env["CLAUDE_CONFIG_DIR"] = before;
    await endOfProcesses(config).finally(remove);
  });
  return { folder, workspace, config, environment: (server) => claudeEnvironment(server, folder) };
}

/**
 * The complete environment of an SDK process: it reads and writes only inside the folder, and talks only to
 * the server.
 */
export function claudeEnvironment(server: ModelServer, folder: string): Readonly<Record<string, string>> {
  const places = {
    HOME: join(folder, "home"),
    CLAUDE_CONFIG_DIR: join(folder, "claude"),
    TMPDIR: join(folder, "tmp"),
  };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  return {
    ...places,
    ...server.environment("anthropic"),
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  };
}

async function endOfProcesses(config: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let left = processesOf(config);
  while (left.length > 0 && performance.now() < deadline) {
    await setTimeout(20);
    left = left.filter(isLiving);
  }
  if (left.length === 0) return;
  for (const pid of left) process.kill(pid, "SIGKILL");
  throw new Error(`The work is over, but Claude still ran: processes ${left.join(", ")}.`);
}

/** Finds processes by their environment, including those whose parent has ended. Works only on Linux. */
export function processesOf(config: string): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).includes(`\0CLAUDE_CONFIG_DIR=${config}\0`))
    .map(Number);
}

/**
 * Whether a process is the SDK's own, not one that its tools started. Its number does not tell: numbers start over, so a
 * command may have a lower number than the process that started it.
 */
export function isOfSdk(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--output-format");
}

function environmentOf(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`;
  } catch {
    // The process has ended, or it belongs to another user.
    return "";
  }
}
