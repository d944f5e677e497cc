import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { CommandEntry } from "../../../src/cli/command.ts";
import type { Surroundings } from "../../../src/cli/frame.ts";
import { commands } from "../../../src/cli/registry.ts";
import { run } from "../../../src/cli/start.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Given {
  readonly environment?: Record<string, string>;
  readonly commands?: readonly CommandEntry[];
  readonly cwd?: string;
  readonly known?: readonly string[];
  /** The user's input; without it, standard input is not a terminal. */
  readonly typed?: string;
  /** Input that another program pipes in. */
  readonly piped?: string | Uint8Array;
  readonly onInterrupt?: Surroundings["onInterrupt"];
  /** Simulates Ctrl-C. */
  readonly cancelled?: AbortSignal;
  /** What standard output is connected to; a pipe by default. */
  readonly reader?: "pipe" | "terminal";
}

/** A stream that records everything written to it. */
export function paper(kind: "pipe" | "terminal" = "pipe") {
  const stream = Object.assign(new PassThrough(), { isTTY: kind === "terminal" });
  const chunks: string[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString("utf8")));
  return { stream, text: () => chunks.join("") };
}

/** A temporary home and workspace that are removed after the test, with the command line to run in them. */
export function playground() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-cli-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const files = {
    user: join(home, "settings.json"),
    workspace: join(workspace, ".worldline", "settings.json"),
    local: join(workspace, ".worldline", "settings.local.json"),
  };
  return {
    root,
    home,
    workspace,
    files,
    write(layer: keyof typeof files, text: string | Uint8Array) {
      mkdirSync(dirname(files[layer]), { recursive: true });
      writeFileSync(files[layer], text);
    },
    read: (layer: keyof typeof files) => readFileSync(files[layer], "utf8"),
    /** Every file below the root with its content, for before-and-after comparisons. */
    everything: () =>
      readdirSync(root, { recursive: true, encoding: "utf8", withFileTypes: true })
        .map((each) => join(each.parentPath, each.name))
        .sort()
        .map((path) => [path.slice(root.length), contentOf(path)]),
    async worldline(line: string | readonly string[], given: Given = {}): Promise<Said> {
      const stdout = paper(given.reader);
      const stderr = paper(given.typed === undefined ? "pipe" : "terminal");
      const stdin = Object.assign(new PassThrough(), { isTTY: given.typed !== undefined });
      stdin.end(given.typed ?? given.piped ?? "");
      const surroundings: Surroundings = {
        arguments: typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line,
        environment: { WORLDLINE_HOME: home, ...given.environment },
        cwd: () => given.cwd ?? workspace,
        stdin,
        stdout: stdout.stream,
        stderr: stderr.stream,
        cancelled: given.cancelled ?? new AbortController().signal,
        onInterrupt: given.onInterrupt ?? (() => () => undefined),
        knownWorkspaces: async () => given.known ?? [],
      };
      const code = await run(given.commands ?? commands, surroundings);
      return { code, stdout: stdout.text(), stderr: stderr.text() };
    },
  };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "(folder)";
  }
}
