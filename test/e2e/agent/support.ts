import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { it, onTestFinished } from "vitest";
import type { Entry, EntryKind, EntryOf } from "../../../src/record/entry.ts";
import {
  type ModelServerOptions,
  openModelServer,
  type ReceivedRequest,
  type Responder,
  type Wire,
} from "../../../src/testing/testing.ts";
import { partOf } from "../../support/part-of.ts";
import { binary, machine, type Said } from "../binary.ts";

/** The wires that several providers share; Ollama's own wire is tested where it differs. */
export const wires = ["anthropic", "chat", "responses"] as const satisfies readonly Wire[];

/**
 * A test that depends on the wire. `npm test` picks one wire per test, `npm run torture -- wires` runs all;
 * the differences between wires are covered by the model contract suite, which always runs on each.
 */
export function overEveryWire(title: string, work: (wire: Wire) => Promise<void>): void {
  const chosen = partOf(wires, wires.length, title.length);
  it(`${title} (${chosen.join(", ")})`, async () => {
    const ends = await Promise.allSettled(chosen.map(work));
    for (const [index, end] of ends.entries()) {
      if (end.status === "rejected") throw overWire(chosen[index], end.reason);
    }
  });
}

function overWire(wire: Wire | undefined, reason: unknown): unknown {
  if (reason instanceof Error) reason.message = `over ${wire}: ${reason.message}`;
  return reason;
}

interface Scene {
  /** "owner": file modes apply even if the test runs as root. */
  readonly as?: "owner";
  /** How many files the program may have open at once. */
  readonly openFiles?: number;
  readonly wire?: Wire;
  readonly environment?: Readonly<Record<string, string>>;
  readonly server?: ModelServerOptions;
  /** Initial files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The document that `--output-format json` prints. */
export interface Answer {
  readonly code: number | null;
  readonly stderr: string;
  readonly session: string;
  readonly outcome: string;
  readonly answer: string;
  readonly steps: number;
  readonly backtracks: number;
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | null;
  readonly warnings?: readonly string[];
  readonly denied: readonly unknown[];
}

/** The marker of an output event; once it is printed, the tool is running. */
export const OUTPUT = '"type":"output"';

export type Told = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A machine with its own home, the built command line, and a model server that gives the test's replies. */
export async function agentMachine(responder: Responder, scene: Scene = {}) {
  const { wire = "anthropic", environment = {}, files = {} } = scene;
  const server = await openModelServer(responder, scene.server);
  onTestFinished(() => server.close());
  const here = machine(
    {
      ...server.environment(wire),
      WORLDLINE_MODEL: server.modelFor(wire),
      WORLDLINE_PERMISSIONS_MODE: "auto",
      ...environment,
    },
    {
      ...(scene.as === undefined ? {} : { as: scene.as }),
      ...(scene.openFiles === undefined ? {} : { openFiles: scene.openFiles }),
    },
  );
  const { worldline, workspace } = here;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);

  async function data(...args: readonly string[]) {
    const { code, stdout, stderr } = await worldline([...args, "--json"]);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  }
  return {
    ...here,
    server,
    write,
    read: (path: string): string | undefined => {
      const file = join(workspace, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    /** Runs one turn and returns its JSON document. */
    ask: async (prompt: string, ...flags: readonly string[]): Promise<Answer> => {
      const { code, stdout, stderr } = await worldline(["-p", prompt, "--output-format", "json", ...flags]);
      return { ...JSON.parse(stdout), code, stderr };
    },
    /** Runs one turn and returns its events. */
    tell: async (prompt: string, ...flags: readonly string[]) => {
      const said = await worldline(["-p", prompt, "--output-format", "stream-json", ...flags]);
      return { ...said, events: eventsIn(said.stdout) };
    },
    /** Runs any other command and returns its JSON. */
    data,
    log: async (...args: readonly string[]): Promise<readonly Entry[]> =>
      (await data("log", ...args)).entries,
    /** The context as the model would see it now. */
    context: async (...args: readonly string[]): Promise<string> =>
      JSON.stringify((await data("context", ...args)).messages),
    /** Runs a command with `input` on standard input. */
    piped: async (input: string | Buffer, ...args: readonly string[]): Promise<Said> =>
      withInput(input, args, { cwd: workspace, env: here.environment }),
  };
}

export type AgentMachine = Awaited<ReturnType<typeof agentMachine>>;

async function withInput(
  input: string | Buffer,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Said> {
  const child = spawn(process.execPath, [binary, ...args], { ...place, stdio: "pipe" });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const { said, ended } = listen(child);
  child.stdin.end(input);
  return { code: await ended, ...said };
}

interface Child {
  readonly stdout: Readable;
  readonly stderr: Readable;
  on(event: "close", listener: (code: number | null) => void): unknown;
}

/**
 * Collects a child's output. `until` resolves when `part` has been printed, and fails if the child ends
 * before that.
 */
export function listen(child: Child) {
  const said = { stdout: "", stderr: "" };
  const looks = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const look of looks) look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  const until = async (name: "stdout" | "stderr", part: string): Promise<void> => {
    const heard = new Promise<"heard">((resolve) => {
      const look = () => said[name].includes(part) && resolve("heard");
      looks.add(look);
      look();
    });
    if ((await Promise.race([heard, ended])) !== "heard") {
      throw new Error(`It ended before it said ${part}: ${said.stderr}${said.stdout}`);
    }
  };
  return { said, ended, until };
}

export function eventsIn(stdout: string): readonly Told[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Told);
}

export function ofKind<K extends EntryKind>(entries: readonly Entry[], kind: K): readonly EntryOf<K>[] {
  return entries.filter((entry): entry is EntryOf<K> => entry.kind === kind);
}

/** Requests that a provider would have refused, and script mistakes; tests expect none. */
export function refusedOf({ server }: Pick<AgentMachine, "server">): readonly string[] {
  return server.requests.flatMap(({ refused }) => refused ?? []);
}

/** The tool results in a request, in order. */
export function resultsIn(request: ReceivedRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap(({ results }) => results.map(({ text }) => text));
}

export function textOf(request: ReceivedRequest | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}

/** Whether a process is running; zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** Ends a process group that a test has left running. */
export function endGroup(pid: number): void {
  if (isAlive(pid)) process.kill(-pid, "SIGKILL");
}
