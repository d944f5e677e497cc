import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, onTestFinished } from "vitest";
import { endTree, treeOf } from "./process-tree.ts";
import { Pty } from "./pty.ts";
import type { OpenOptions, Scene } from "./scene.ts";

const run = promisify(execFile);

/** `npm test` reports that these are skipped if tmux is missing and cannot be installed. */
export const describeInTmux = spawnSync("tmux", ["-V"]).status === 0 ? describe : describe.skip;

export interface Tmux {
  /** The tmux client that the user sees and types at; every key and every line goes through it. */
  readonly terminal: Pty;
  /** Sends keys by their tmux names, all at once: "Escape", "C-c". */
  sendKeys(...keys: readonly string[]): Promise<void>;
  /** The pane's lines as tmux itself knows them, including those that have scrolled away. */
  capture(): Promise<readonly string[]>;
}

/** Opens the program in tmux, with its own tmux server that ends with the test. */
export async function openInTmux(scene: Scene, options: OpenOptions = {}): Promise<Tmux> {
  const launch = scene.launchOf(options);
  const folder = join(scene.root, "tmux");
  mkdirSync(folder, { mode: 0o700 });
  const environment = { ...launch.environment, TMUX_TMPDIR: folder };
  // -f ignores the user's tmux settings; -u forces UTF-8, because the system may not have the test's locale.
  const tmux = ["-L", "worldline", "-f", "/dev/null", "-u"];
  const settings = [
    "start-server",
    ";",
    "set",
    "-g",
    "status",
    "off",
    ";",
    "set",
    "-g",
    "default-terminal",
    "tmux-256color",
    ";",
    // Keeps the screen readable after the program has ended.
    "set",
    "-g",
    "remain-on-exit",
    "on",
  ];
  const session = [";", "new-session", "-s", "test", "-c", launch.cwd, launch.file, ...launch.args];
  const terminal = new Pty({
    ...launch,
    file: "tmux",
    args: [...tmux, ...settings, ...session],
    environment,
  });
  const ask = async (...args: readonly string[]): Promise<string> =>
    (await run("tmux", [...tmux, ...args], { env: environment })).stdout;

  onTestFinished(async () => {
    const pid = await ask("display-message", "-p", "#{pid}").catch(() => undefined);
    // Collected before the server ends; afterward, the parent of these processes is no longer known.
    const tree = pid === undefined ? [] : treeOf(Number(pid));
    await ask("kill-server").catch(() => undefined);
    await endTree(tree);
    await terminal.close();
  });
  return {
    terminal,
    sendKeys: async (...keys) => {
      await ask("send-keys", "-t", "test", ...keys);
    },
    capture: async () =>
      (await ask("capture-pane", "-p", "-S", "-", "-t", "test")).split("\n").map((line) => line.trimEnd()),
  };
}
