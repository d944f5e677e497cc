import { type ChildProcess, spawn } from "node:child_process";

/** A child process: the lines it has printed so far, and its exit. */
export interface Child {
  readonly pid: number;
  readonly lines: string[];
  /** Resolves when the child has printed `count` lines that begin with `word`, or has ended. */
  said(word: string, count: number): Promise<void>;
  kill(): Promise<void>;
  readonly ended: Promise<number | null>;
}

export function startChild(script: string, args: readonly string[]): Child {
  const process_: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let rest = "";
  process_.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const watcher of watchers) watcher();
  });
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    process_.on("error", reject);
    // "close" fires after the last of the output has arrived.
    process_.on("close", (code) => {
      hasEnded = true;
      for (const watcher of watchers) watcher();
      resolve(code);
    });
  });
  return {
    pid: process_.pid ?? 0,
    lines,
    ended,
    said: async (word, count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (!hasEnded && lines.filter((line) => line.startsWith(word)).length < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    kill: async () => {
      process_.kill("SIGKILL");
      await ended;
    },
  };
}
