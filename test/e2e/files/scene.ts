import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

// `npm test` builds it first.
const binary = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));

const NOBODY = 65_534;

type Environment = Readonly<Record<string, string>>;

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Given {
  readonly environment?: Environment;
  readonly cwd?: string;
}

/** The JSON that `checkpoint` prints. */
export interface Made {
  readonly number: number;
  readonly files: {
    readonly state: "complete" | "partial" | "none";
    readonly snapshot?: string;
    readonly why?: string;
    readonly gaps?: readonly { readonly path: string; readonly why: string }[];
  };
}

interface PathSaid {
  readonly path: string;
  readonly bytes?: string;
}

/** The JSON that `rewind` and `redo` print. */
export interface Travelled {
  readonly changed: boolean;
  readonly journey: string;
  readonly files: {
    readonly steps: readonly (PathSaid & { readonly what: string })[];
    readonly kept: readonly (PathSaid & { readonly why: string })[];
    readonly conflicts: readonly PathSaid[];
    readonly git: { readonly target: string | null; readonly present: string | null };
    readonly outcome: {
      readonly restored: number;
      readonly kept: number;
      readonly failed: number;
      readonly paths: readonly (PathSaid & { readonly outcome: string })[];
    };
  };
}

export type Scene = ReturnType<typeof openScene>;

export interface SceneOptions {
  readonly homeIn?: "workspace";
  /** "plain": an ordinary user, to whom file modes apply; they do not apply to root. */
  readonly user?: "plain";
}

/** Copies the built program to a folder where any user may run it. */
function copyProgram(folder: string): string {
  const project = dirname(dirname(binary));
  mkdirSync(folder);
  cpSync(join(project, "package.json"), join(folder, "package.json"));
  cpSync(join(project, "dist"), join(folder, "dist"), { recursive: true });
  return join(folder, "dist", "cli.js");
}

/** A scene for one test, removed when the test ends. */
export function scene(request: SceneOptions = {}): Scene {
  const opened = openScene(request);
  onTestFinished(opened.remove);
  return opened;
}

/**
 * A workspace, a home and a folder outside both; a real shell in the workspace, and the built command line.
 * There is no terminal.
 */
export function openScene({ homeIn, user }: SceneOptions = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-e2e-files-")));
  const workspace = join(root, "workspace");
  const outside = join(root, "outside");
  const home = join(homeIn === "workspace" ? workspace : root, "home");
  for (const folder of [workspace, outside, join(root, "tmp")]) mkdirSync(folder);
  const isPlain = user === "plain" && process.getuid?.() === 0;
  // The project may be in a folder that only root can enter.
  const program = isPlain ? copyProgram(join(root, "program")) : binary;
  const identity = user === "plain" && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (identity.uid !== undefined) execFileSync("/bin/chown", ["-R", `${NOBODY}:${NOBODY}`, root]);
  const base: Environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    WORLDLINE_HOME: home,
    TMPDIR: join(root, "tmp"),
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "A Person",
    GIT_AUTHOR_EMAIL: "person@example.com",
    GIT_COMMITTER_NAME: "A Person",
    GIT_COMMITTER_EMAIL: "person@example.com",
  };

  function start(args: readonly string[], { environment, cwd = workspace }: Given = {}): ChildProcess {
    return spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...base, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      ...identity,
    });
  }

  async function worldline(args: readonly string[], given: Given = {}): Promise<Said> {
    const child = start(args, given);
    const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
    const code = await ended(child);
    return { code, stdout: stdout(), stderr: stderr() };
  }

  async function json(args: readonly string[], given: Given = {}): Promise<unknown> {
    const { code, stdout, stderr } = await worldline([...args, "--json"], given);
    if (code !== 0) throw new Error(`worldline ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  }

  return {
    root,
    workspace,
    outside,
    home,
    start,
    worldline,
    json,
    /** Runs a command that must succeed, and returns its JSON. */
    checkpoint: async (given: Given = {}) => (await json(["checkpoint"], given)) as Made,
    rewind: async (to: number, ...more: readonly string[]) =>
      (await json(["rewind", `${to}`, ...more])) as Travelled,
    redo: async (...more: readonly string[]) => (await json(["redo", ...more])) as Travelled,
    /** Runs a script in the workspace; the first failing command fails the test. */
    sh: (script: string, environment: Environment = {}): string =>
      execFileSync("/bin/sh", ["-ec", script], {
        cwd: workspace,
        env: { ...base, ...environment },
        encoding: "latin1",
        ...identity,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    /** Removes everything, even what a test has made inaccessible. */
    remove: (): void => {
      execFileSync("/bin/chmod", ["-R", "u+rwX", root]);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export async function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
}

function collected(stream: ChildProcess["stdout"]): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}

/** Waits for another process; bounded by the test's own time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}
