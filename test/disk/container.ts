import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { tempFolder } from "../../src/testing/testing.ts";
import { bundleProgram } from "../crash/children/bundle.ts";

/**
 * The command that starts a program in its own pid namespace, where the system lets this user create one;
 * when it ends, everything in it ends too.
 */
const UNSHARE = [
  "unshare",
  "--user",
  "--map-root-user",
  "--pid",
  "--fork",
  "--mount-proc",
  "--kill-child=SIGKILL",
];

function canUnshare(): boolean {
  return spawnSync(UNSHARE[0] ?? "", [...UNSHARE.slice(1), "true"]).status === 0;
}

export interface Container {
  /** Kills the container without warning. */
  kill(): Promise<void>;
  suspend(): void;
  resume(): void;
}

/**
 * Starts a program in another pid namespace that holds a session of a home, or ("shared" or "exclusive") its
 * snapshot store. If the system does not let this user create namespaces, the program only pretends to be in
 * one.
 */
export async function startContainer(home: string, what: string): Promise<Container> {
  const folder = tempFolder();
  const script = await bundleProgram(new URL("./children/holder.ts", import.meta.url), folder.path);
  const isReal = canUnshare();
  const command = [
    ...(isReal ? UNSHARE : []),
    process.execPath,
    script,
    home,
    what,
    isReal ? "own" : "pid:[1]",
  ];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(async () => {
    await kill();
    folder.remove();
  });
  await holds(child);
  const inner = isReal ? childOf(child.pid ?? 0) : (child.pid ?? 0);
  return {
    kill,
    suspend: () => process.kill(inner, "SIGSTOP"),
    resume: () => process.kill(inner, "SIGCONT"),
  };
}

async function holds(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    child.once("close", (code) =>
      reject(new Error(`The container ended with ${code} before it held anything.`)),
    );
  });
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}
