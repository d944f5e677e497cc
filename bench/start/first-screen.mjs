import { createRequire } from "node:module";
import { cpuSoFar } from "./cpu-time.mjs";

// Resolves the project's own packages, not the peers' versions of them.
const require = createRequire(new URL("../../package.json", import.meta.url));
const { spawn } = require("@lydell/node-pty");
const { Terminal } = require("@xterm/headless");

const size = { cols: 80, rows: 24 };
const deadlineMs = 30_000;

/**
 * Opens a program in a terminal and ends it at its first complete screen, that is, when the status line at the bottom
 * has been drawn.
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string> }} place
 * @returns {Promise<number>} The CPU milliseconds that the program had used by then.
 */
export function cpuToFirstScreen([file, ...args], place, isThere = isDrawn) {
  const terminal = new Terminal({ ...size, allowProposedApi: true });
  const program = spawn(file, args, { name: "xterm-256color", ...size, ...place });
  terminal.onData((answer) => program.write(answer));
  return new Promise((resolve, reject) => {
    let outcome;
    const finish = (made) => {
      outcome ??= made;
      program.kill("SIGKILL");
    };
    const late = setTimeout(() => finish({ error: "it drew no status line" }), deadlineMs);
    program.onData((text) => {
      if (outcome !== undefined) return;
      // Read the time before checking the screen, because the program continues in the meantime.
      const cpuMs = cpuSoFar(program.pid);
      terminal.write(text, () => {
        if (isThere(terminal)) finish({ cpuMs });
      });
    });
    program.onExit(() => {
      clearTimeout(late);
      const { cpuMs, error = "it ended before its first screen" } = outcome ?? {};
      if (cpuMs === undefined)
        reject(new Error(`${[file, ...args].join(" ")}: ${error}\n${shown(terminal)}`));
      else resolve(cpuMs);
      terminal.dispose();
    });
  });
}

function isDrawn({ buffer, modes }) {
  const lowest = buffer.active.getLine(buffer.active.baseY + size.rows - 1);
  const whole = !modes.synchronizedOutputMode && buffer.active.type === "alternate";
  return whole && lowest?.translateToString(true).trim() !== "";
}

/**
 * Like `cpuToFirstScreen`, but up to the screen whose editor accepts keys, while the session is still being opened.
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string> }} place
 */
export function cpuToEditor(command, place) {
  return cpuToFirstScreen(
    command,
    place,
    (terminal) => isDrawn(terminal) && /Opening|Ask anything|! shell/u.test(shown(terminal)),
  );
}

/**
 * Like `cpuToFirstScreen`, but up to the screen that shows this text.
 * @param {string} text
 */
export const cpuToText = (text) => (command, place) =>
  cpuToFirstScreen(command, place, (terminal) => isDrawn(terminal) && shown(terminal).includes(text));

function shown({ buffer }) {
  return Array.from({ length: size.rows }, (_, row) =>
    buffer.active.getLine(buffer.active.baseY + row)?.translateToString(true),
  ).join("\n");
}
