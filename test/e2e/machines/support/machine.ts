import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Entry } from "../../../../src/record/entry.ts";
import { type Answer, listen } from "../../agent/support.ts";
import { binary, type Said } from "../../binary.ts";
import { endTree, treeOf } from "../../terminal/support/process-tree.ts";

/** What sets one machine apart from the others in a test. */
export interface MachineParts {
  readonly name: string;
  readonly root: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with everything that the program prints. */
  readonly hear: (text: string) => void;
}

export type Machine = ReturnType<typeof machineOf>;

const PRELOAD = new URL("other-host.mjs", import.meta.url).href;

/** Simulates a separate machine with its own host name, home and folder for temporary files. */
export function machineOf({ name, root, workspace, environment, hear }: MachineParts) {
  const home = join(root, name);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    WORLDLINE_HOME: join(home, ".worldline"),
    TMPDIR: join(home, "tmp"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    TEST_HOST: name,
    NODE_OPTIONS: `--import ${PRELOAD}`,
    ...environment,
  };
  mkdirSync(env.TMPDIR, { recursive: true });

  /** Starts the program, for tests that interact with it while it runs. */
  function start(args: readonly string[], changed: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [binary, ...args], {
      cwd: workspace,
      env: { ...env, ...changed },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // The program may be suspended, and the commands that it started run in their own process groups.
    onTestFinished(async () => powerCut(child));
    child.stdout.on("data", (bytes: Buffer) => hear(bytes.toString("utf8")));
    child.stderr.on("data", (bytes: Buffer) => hear(bytes.toString("utf8")));
    return { child, ...listen(child) };
  }

  async function worldline(
    args: readonly string[],
    changed: Readonly<Record<string, string>> = {},
  ): Promise<Said> {
    const { said, ended } = start(args, changed);
    const code = await ended;
    return { code, ...said };
  }

  async function data(...args: readonly string[]) {
    const { code, stdout, stderr } = await worldline([...args, "--json"]);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  }

  return {
    name,
    home,
    environment: env,
    start,
    worldline,
    data,
    /** Runs one turn and returns its JSON document. */
    ask: async (prompt: string, ...flags: readonly string[]): Promise<Answer> => {
      const { code, stdout, stderr } = await worldline(["-p", prompt, "--output-format", "json", ...flags]);
      return { ...JSON.parse(stdout), code, stderr };
    },
    /** Confirms, as this machine's user, that a session of the other machine may be worked on here. */
    confirm: async (session: string): Promise<void> => {
      await data("sessions", "confirm", session, "--yes");
    },
    log: async (session: string): Promise<readonly Entry[]> =>
      (await data("log", "--session", session)).entries,
    /** The files in its home that contain the text. */
    filesWith: (text: string): readonly string[] =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name))
        .filter((file) => readFileSync(file).includes(text)),
  };
}

/** Ends a program and everything that it started, as a power cut would: none of them can react. */
export async function powerCut({ pid, exitCode, signalCode }: ChildProcess): Promise<void> {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  await endTree(treeOf(pid));
}
