import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { removeTree } from "../../src/testing/temp-folder.ts";

// `npm test` builds it first.
export const binary = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Drops root's privileges over files, so that tests of refused access also hold when they run as root. */
const OWNER_ONLY =
  process.getuid?.() === 0
    ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all", process.execPath]
    : [process.execPath];

/** A temporary home, workspace and TMPDIR, and the built command line in them. */
export function machine(
  environment: Readonly<Record<string, string>> = {},
  {
    as = "whoever-runs-it",
    openFiles,
  }: {
    readonly as?: "owner" | "whoever-runs-it";
    /** How many files the program may have open at once. */
    readonly openFiles?: number;
  } = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-e2e-")));
  onTestFinished(() => removeTree(root));
  const places = {
    home: join(root, "home"),
    workspace: join(root, "workspace"),
    temporary: join(root, "tmp"),
  };
  for (const folder of [places.workspace, places.temporary]) mkdirSync(folder);
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    WORLDLINE_HOME: places.home,
    TMPDIR: places.temporary,
    LANG: "C.UTF-8",
    ...environment,
  };

  /** Starts the program, for tests that interact with it while it runs. */
  function start(args: readonly string[], cwd: string = places.workspace) {
    const [command = "", ...before] = [
      ...(openFiles === undefined ? [] : ["sh", "-c", `ulimit -n ${openFiles}; exec "$@"`, "sh"]),
      ...(as === "owner" ? OWNER_ONLY : [process.execPath]),
    ];
    const child = spawn(command, [...before, binary, ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  }

  async function worldline(args: readonly string[], cwd: string = places.workspace): Promise<Said> {
    const child = start(args, cwd);
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text;
    });
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...said }));
    });
  }
  return { ...places, environment: env, start, worldline };
}
