import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BackgroundCommands } from "../../../../src/agent/tools/bash/background.ts";
import { isLiving } from "../../../living.ts";
import { type Toolshed, toolshed } from "../support/toolshed.ts";

/** A shell, its child, its grandchild, and a process that has left the process group. */
const TREE = `
echo $$ > pid.shell
sleep 1000 & echo $! > pid.child
bash -c 'sleep 1000 & echo $! > pid.grandchild; wait' &
setsid bash -c 'echo $$ > pid.gone-away; exec sleep 1000' > /dev/null 2>&1 < /dev/null &
`;
const NAMES = ["shell", "child", "grandchild", "gone-away"];
const STUBBORN = `trap "" TERM; echo $$ > pid.stubborn; while true; do sleep 0.1; done`;

async function pidIn({ workspace }: Toolshed, name: string): Promise<number> {
  const path = join(workspace, `pid.${name}`);
  while (!existsSync(path) || !readFileSync(path, "utf8").endsWith("\n")) await sleep(10);
  return Number(readFileSync(path, "utf8"));
}

async function pidsIn(shed: Toolshed): Promise<number[]> {
  return Promise.all(NAMES.map(async (name) => pidIn(shed, name)));
}

const living = (pids: readonly number[]) => NAMES.filter((_, index) => isLiving(pids[index] ?? 0));

describe.runIf(process.platform === "linux")("the processes of a command", () => {
  it("are named as they were given, each once, if they are found running later", async () => {
    const owner = `test-${process.pid}`;
    const env = { PATH: process.env["PATH"] ?? "", WORLDLINE_MARK: `worldline-${owner}-1.` };
    const command = "sleep 30; echo two > g";
    const shell = spawn("bash", ["-c", `exec 2>&1; ${command}`], { env });
    const ended = once(shell, "exit");
    const background = new BackgroundCommands(owner);
    const children = () => readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, "utf8");
    while (children() === "") await sleep(10);
    expect(await background.endLeftovers()).toEqual([command]);
    await ended;
    expect(background.leftovers()).toEqual([]);
  });

  it("are all gone after it was interrupted", async () => {
    const shed = toolshed();
    const stop = new AbortController();
    const running = shed.call("Bash", { command: `echo started;${TREE}wait` }, { signal: stop.signal });
    const pids = await pidsIn(shed);
    expect(living(pids)).toEqual(NAMES);
    stop.abort();
    const text = "started\n\n[Interrupted. The command and everything that it started were stopped.]";
    expect(await running).toEqual({
      outcome: "interrupted",
      text,
      parts: [{ type: "text", text }],
      processes: { endedAt: expect.any(Number) },
    });
    expect(living(pids)).toEqual([]);
  });

  it("are all gone after its time was over", async () => {
    const shed = toolshed();
    const said = await shed.call("Bash", { command: `${TREE}wait`, timeout: 2_000 });
    expect([said.outcome, said.text]).toEqual([
      "error",
      "[Timed out after 2,000 ms. The command and everything that it started were stopped.]",
    ]);
    expect(living(await pidsIn(shed))).toEqual([]);
  });

  it("are all gone after KillShell", async () => {
    const shed = toolshed();
    await shed.call("Bash", { command: `${TREE}wait`, run_in_background: true });
    const pids = await pidsIn(shed);
    expect((await shed.call("KillShell", { shell_id: "bash_1" })).text).toBe(
      "Stopped bash_1 and everything that it started.",
    );
    expect(living(pids)).toEqual([]);
    expect((await shed.call("KillShell", { shell_id: "bash_1" })).text).toBe("bash_1 has already exited.");
  });

  it("are all gone after closing, also those of commands that ended long ago", async () => {
    const shed = toolshed();
    const said = await shed.call("Bash", { command: TREE });
    expect(said.outcome).toBe("ok");
    expect(said.text).toContain("processes that it started are still running as bash_1");
    const pids = await pidsIn(shed);
    expect(living(pids)).toEqual(NAMES.slice(1));
    await shed.background.close();
    expect(living(pids)).toEqual([]);
  });

  it("are killed if they ignore the request to end", async () => {
    const shed = toolshed();
    await shed.call("Bash", { command: STUBBORN, run_in_background: true });
    const pid = await pidIn(shed, "stubborn");
    await shed.call("KillShell", { shell_id: "bash_1" });
    expect(isLiving(pid)).toBe(false);
    expect((await shed.call("BashOutput", { bash_id: "bash_1" })).text).toBe(
      "bash_1: [Ended by SIGKILL]\n(No new output.)",
    );
  });

  it("are known as running when one that left the group still holds the output", async () => {
    const shed = toolshed();
    const command =
      "setsid bash -c 'echo $$ > pid.away; exec sleep 1000' & until [ -s pid.away ]; do sleep 0.01; done";
    expect((await shed.call("Bash", { command })).text).toContain("still running as bash_1");
    const pid = await pidIn(shed, "away");
    expect(shed.background.running()).toEqual([`bash_1: ${command}`]);
    await shed.call("KillShell", { shell_id: "bash_1" });
    expect([isLiving(pid), shed.background.running()]).toEqual([false, []]);
  });

  it("are found again on closing when only one that left the group is left", async () => {
    const shed = toolshed();
    const command =
      "setsid bash -c 'echo $$ > away; exec sleep 1000' > /dev/null 2>&1 & until [ -s away ]; do sleep 0.01; done";
    expect((await shed.call("Bash", { command })).text).toBe("(No output.)");
    const pid = Number(readFileSync(join(shed.workspace, "away"), "utf8"));
    expect(isLiving(pid)).toBe(true);
    await shed.background.close();
    expect(isLiving(pid)).toBe(false);
  });
});
