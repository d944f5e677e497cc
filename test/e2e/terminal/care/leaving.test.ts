import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { opened, say } from "../support/person.ts";
import { treeOf } from "../support/process-tree.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, speaksOn } from "../support/replies.ts";
import type { Scene } from "../support/scene.ts";
import { storyOf } from "../support/story.ts";
import { UNTOUCHED } from "../support/terminal-modes.ts";

const script = () =>
  byPrompt({
    "Say one thing": [{ text: "One thing." }],
    "Go on and on": [speaksOn("It began in the orchard, and then it went on for ever.")],
  });

/** The process id of the program that runs under the test's shell. */
function programOf(terminal: Pty): number {
  const [, program] = treeOf(terminal.pid);
  if (program === undefined) throw new Error("No program runs in the terminal.");
  return program;
}

async function atWork(scene: Scene, keyboard: "legacy" | "kitty" = "kitty"): Promise<Pty> {
  const terminal = scene.open({ started: "shell", keyboard });
  await opened(terminal);
  say(terminal, "Say one thing");
  await terminal.waitFor("One thing.");
  await terminal.settled();
  expect(terminal.modes()).toMatchObject({ screen: "alternate", bracketedPaste: "on" });
  return terminal;
}

/** Checks that only the resume command is left on screen, and that the terminal is as the shell had it. */
async function expectLeft(terminal: Pty, code: 0 | 130 = 0): Promise<void> {
  await terminal.exit();
  expect(terminal.modes()).toEqual(UNTOUCHED);
  const [farewell, shell, ...rest] = terminal.scrollback();
  expect(farewell).toMatch(/^Resume with: worldline -r \w+$/u);
  expect(shell).toBe(`back in the shell: ${code}`);
  expect(rest.join(" ")).toMatch(/ icanon .* echo /u);
}

describe("leaving the terminal", () => {
  it.each(["legacy", "kitty"] as const)("by /exit gives everything back (%s)", async (keyboard) => {
    const terminal = await atWork(await storyOf({ script: script() }), keyboard);
    say(terminal, "/exit");
    await expectLeft(terminal);
  });

  it("by Ctrl+C twice needs the second", async () => {
    const terminal = await atWork(await storyOf({ script: script() }));
    terminal.press("ctrl+c");
    await terminal.waitFor("Press Ctrl+C again to quit");
    terminal.press("ctrl+c");
    await expectLeft(terminal);
  });

  it.each(["SIGTERM", "SIGHUP"])("by %s in the middle of an answer gives everything back", async (signal) => {
    const terminal = await atWork(await storyOf({ script: script() }));
    say(terminal, "Go on and on");
    await terminal.waitFor("It began in");
    process.kill(programOf(terminal), signal);
    await expectLeft(terminal, 130);
  });

  it("because of an uncaught error restores everything, and the error can be read", async () => {
    const scene = await storyOf({ script: script() });
    const bomb = join(scene.root, "bomb.cjs");
    writeFileSync(bomb, `process.on("SIGUSR2", () => { throw new Error("a bug of the worst kind"); });\n`);
    const terminal = scene.open({
      started: "shell",
      keyboard: "kitty",
      environment: { NODE_OPTIONS: `--require ${bomb}` },
    });
    await opened(terminal);
    say(terminal, "Go on and on");
    await terminal.waitFor("It began in");
    process.kill(programOf(terminal), "SIGUSR2");
    await terminal.exit();
    expect(terminal.modes()).toEqual(UNTOUCHED);
    const left = terminal.scrollback().join("\n");
    expect(left).toContain("a bug of the worst kind");
    expect(left).not.toContain("back in the shell: 0");
    expect(left).toMatch(/ icanon [\s\S]* echo /u);
  });
});

describe("a session that is open elsewhere", () => {
  it("is not opened twice, and its holder is named", async () => {
    const scene = await storyOf({ script: script() });
    const first = await atWork(scene);
    const second = scene.open({ arguments: ["-c"], started: "shell", columns: 200 });
    await second.exit();
    const [error, hint, shell] = second.scrollback();
    expect(error).toMatch(/^error: Session \w+ is in use by worldline, an agent \(pid \d+ on /u);
    expect(error).toContain(`pid ${programOf(first)} `);
    expect(hint).toContain("Close the session in that process");
    expect(shell).toBe("back in the shell: 1");
    say(first, "/exit");
    await expectLeft(first);
  });
});
