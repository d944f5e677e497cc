import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../../../src/open-session.ts";
import { playground } from "../../support/command-line.ts";

/** A session whose last program died during a tool call. */
async function died(files: "on" | "off") {
  const place = playground();
  const { home, workspace } = place;
  const file = join(workspace, "a.txt");
  writeFileSync(file, "before\n");
  const session = await openSession({ home, workspace, resume: "new", files });
  await session.prompt("break it");
  const step = await session.step();
  if (files === "on") await session.capture({ checkpoint: step, author: "timeline" });
  const call = { type: "tool-call", call: "c1", name: "Bash", input: { command: "sleep 60" } } as const;
  await session.reply({ model: "scripted/one", parts: [call] });
  await session.toolStart("c1", "Bash");
  writeFileSync(file, "half\n");
  return { ...place, file, session, step };
}

/** A command of the session that is still running after the agent was killed. */
function leftRunning(session: string): ChildProcess {
  const child = spawn("sleep", ["60"], { env: { WORLDLINE_MARK: `worldline-${session}-1.` } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe.runIf(process.platform === "linux")("a command that a killed run left running", () => {
  it("is ended and named before resume --rewind-files restores the files", async () => {
    const { worldline, session, file } = await died("on");
    await session.close();
    const child = leftRunning(session.id);
    const ended = once(child, "exit");
    const said = await worldline("resume --rewind-files --yes");
    expect(said.code).toBe(0);
    expect(said.stderr).toContain(
      "warning: Stopped the commands that a killed run had left running: sleep 60\n",
    );
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(readFileSync(file, "utf8")).toBe("before\n");
  });

  it("is named by a rewind of files, and by no other", async () => {
    const { worldline, session, step } = await died("on");
    await session.close();
    const child = leftRunning(session.id);
    const warning = /^warning: Still running from a killed run of this session: sleep 60\. /mu;
    for (const rest of ["--dry-run", "--yes"]) {
      expect((await worldline(`rewind ${step} --scope files ${rest}`)).stderr).toMatch(warning);
    }
    expect((await worldline("redo --yes")).stderr).toMatch(warning);
    expect((await worldline(`rewind ${step} --scope conversation`)).stderr).not.toMatch(warning);
    expect(child.exitCode).toBe(null);
  });

  it("is named by worldline run before it undoes its command's changes", async () => {
    const { worldline, workspace, session, file } = await died("on");
    await session.close();
    leftRunning(session.id);
    writeFileSync(join(workspace, "b.txt"), "mine\n");
    const words = ["run", "--session", session.id, "--", "sh", "-c", "echo more > b.txt"];
    const { stderr } = await worldline(words, { typed: "b\n" });
    expect(stripVTControlCharacters(stderr)).toContain(
      "Still running from a killed run of this session: sleep 60. ",
    );
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("mine\n");
    expect(readFileSync(file, "utf8")).toBe("half\n");
  });
});

it.runIf(process.platform === "linux")(
  "a command of a run that is under way is not said to be left",
  async () => {
    const { worldline, session, step } = await died("on");
    onTestFinished(() => session.close());
    leftRunning(session.id);
    const { stderr } = await worldline(`rewind ${step} --scope files --dry-run`);
    expect(stderr).toContain("warning: Running now in this session: sleep 60. ");
    expect(stderr).not.toContain("killed");
  },
);

describe("worldline resume of a session that is worked on right now", () => {
  it("names the program at work, and does not call its turn cut", async () => {
    const { worldline, session } = await died("off");
    onTestFinished(() => session.close());
    const told = await worldline("resume");
    expect(told).toMatchObject({ code: 0 });
    expect(told.stdout).toContain(`(pid ${process.pid} on `);
    expect(told.stdout).toContain("is working on this session right now.");
    expect(told.stdout).not.toContain("was interrupted");
    expect(JSON.parse((await worldline("resume --json")).stdout)).toMatchObject({
      session: session.id,
      open: { turn: { state: "running", by: { pid: process.pid } } },
      choices: [],
    });
  });

  it.each(["--continue", "--retry", "--rewind-files"])("refuses %s, and ends nothing of it", async (how) => {
    const { worldline, session } = await died("off");
    onTestFinished(() => session.close());
    const child = leftRunning(session.id);
    const said = await worldline(`resume ${how} --json`);
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout).error).toMatchObject({ code: "SESSION_HELD" });
    expect(child.exitCode ?? child.signalCode).toBe(null);
  });
});
