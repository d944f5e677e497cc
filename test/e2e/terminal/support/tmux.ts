import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, onTestFinished } from "vitest";
import { endTree, treeOf } from "./process-tree.ts";
import { Pty } from "./pty.ts";
import type { OpenOptions, Scene } from "./scene.ts";

const run = promisify(execFile);

/** `npm test` says that these are left out where tmux is not there and cannot be installed. */
export const describeInTmux = spawnSync("tmux", ["-V"]).status === 0 ? describe : describe.skip;

export interface Tmux {
  /** What the person sees and types at: the client, through which every key and every line goes. */
  readonly terminal: Pty;
  /** Keys as tmux names them, all at once: "Escape", "C-c". */
  sendKeys(...keys: readonly string[]): Promise<void>;
  /** The pane's lines as tmux itself knows them, with those that have scrolled away. */
  capture(): Promise<readonly string[]>;
}

/** The program in tmux, with a server of its own that is gone when the test has ended. */
export async function openInTmux(scene: Scene, options: OpenOptions = {}): Promise<Tmux> {
  const launch = scene.launchOf(options);
  const folder = join(scene.root, "tmux");
  mkdirSync(folder, { mode: 0o700 });
  const environment = { ...launch.environment, TMUX_TMPDIR: folder };
  // -f: nothing of the person's own settings. -u: the system may not know the language of the test.
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
    // What a program leaves behind can still be read when it has ended.
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
    // Looked up before the server goes: afterwards nobody knows any more whose children they were.
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
