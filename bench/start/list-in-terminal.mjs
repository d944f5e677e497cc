import { createRequire } from "node:module";

// Resolves the project's own packages, not the peers' versions of them.
const require = createRequire(new URL("../../package.json", import.meta.url));
const { spawn } = require("@lydell/node-pty");
const { Terminal } = require("@xterm/headless");

const size = { cols: 80, rows: 24 };
const deadlineMs = 60_000;
const END_KEY = "\x1b[F";

/**
 * The milliseconds from Enter after `/rewind` until the list of checkpoints has been drawn and has handled a
 * key: End, which selects the last row.
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string> }} place
 * @param {number} rows The length of the list.
 */
export async function timeOfList([file, ...args], place, rows) {
  const terminal = new Terminal({ ...size, allowProposedApi: true });
  const program = spawn(file, args, { name: "xterm-256color", ...size, ...place });
  terminal.onData((answer) => program.write(answer));
  let look = () => undefined;
  program.onData((text) => terminal.write(text, () => look()));
  const ended = new Promise((resolve) => program.onExit(resolve));
  const until = (isThere) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`never drawn:\n${screen()}`)), deadlineMs);
      look = () => {
        if (!isThere(screen())) return;
        clearTimeout(late);
        look = () => undefined;
        resolve();
      };
      look();
    });
  const screen = () =>
    Array.from({ length: size.rows }, (_, row) => {
      const { active } = terminal.buffer;
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    }).join("\n");
  try {
    await until((text) => /files captured|files partly/u.test(text));
    program.write("/rewind");
    await until((text) => text.includes("/rewind"));
    const start = performance.now();
    program.write("\r");
    await until((text) => text.includes("(current)"));
    program.write(END_KEY);
    await until((text) => new RegExp(`^\\S +${rows} `, "mu").test(text));
    return performance.now() - start;
  } finally {
    program.kill("SIGKILL");
    await ended;
    terminal.dispose();
  }
}
