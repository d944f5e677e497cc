import { spawn } from "node:child_process";
import type { PathBytes } from "../../../../record/files.ts";
import { shownPath } from "../../../../record/files.ts";

export interface Infliction {
  readonly script: string;
  readonly targets: readonly PathBytes[];
  readonly workspace: string;
  readonly sample: PathBytes;
  readonly scratch: string;
  readonly input?: readonly PathBytes[];
}

const SHELL = "/bin/sh";

/** Runs the script. Resolves with why it failed, if it did. */
export async function inflict(infliction: Infliction): Promise<string | undefined> {
  const { script, targets, workspace, sample, scratch, input = [] } = infliction;
  const child = spawn(SHELL, ["-euc", script, "prove", ...targets.map((path) => `./${shownPath(path)}`)], {
    cwd: workspace,
    // Nothing of the person's: a shell that a profile or an alias changes would do something else.
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      LC_ALL: "C",
      HOME: scratch,
      SCRATCH: scratch,
      SAMPLE: sample === "" ? "." : `./${sample}`,
    },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // A script that does not read it closes the pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(Buffer.from(input.map((path) => `${path}\0`).join(""), "latin1"));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `${said.join("").trim()} (${signal ?? `exit code ${code}`})`),
    );
  });
}
