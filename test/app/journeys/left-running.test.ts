import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { endLeftRunning, endLostProcesses, reportRunning } from "../../../src/app/journeys/left-running.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { isLiving } from "../../living.ts";
import { contextAt } from "../support/context-at.ts";

/** A session of an agent, or of a program, and a way to start processes as a killed run leaves them. */
async function left(mode: "agent" | "workspace" = "agent") {
  const place = workshop();
  const { home, workspace } = place;
  const session =
    mode === "agent"
      ? (await openSession({ home, workspace, resume: "new" })).id
      : (await place.data("checkpoint")).session;
  const start = (name: "worldline" | "worldline-claude", seconds: number): ChildProcess => {
    const child = spawn("sleep", [`${seconds}`], { env: { WORLDLINE_MARK: `${name}-${session}-1.` } });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const { context, notices } = contextAt(place, { common: { settings: { "lock.waitMs": "0" } } });
  const store = openStore(context);
  return { context, notices, store, start, view: await viewSession(store, session) };
}

const isRunning = ({ pid }: ChildProcess) => isLiving(pid ?? 0);

describe.runIf(process.platform === "linux")("processes that outlived a killed run", () => {
  it("are reported with what is known about the run", async () => {
    const { context, notices, store, start, view } = await left();
    await reportRunning(context, store, view);
    expect(notices).toEqual([]);
    start("worldline", 61);
    start("worldline-claude", 62);
    const commands = ["sleep 61", "sleep 62"];
    await reportRunning(context, store, view);
    expect(notices).toEqual([{ code: "commands-running", run: "under-way", commands }]);
    notices.length = 0;
    const holder = { holder: async () => undefined };
    await reportRunning(context, { ...store, ...holder }, view);
    const dead = { holder: async () => ({ life: "dead" }) as never };
    await reportRunning(context, { ...store, ...dead }, view);
    expect(notices).toEqual([1, 2].map(() => ({ code: "commands-running", run: "killed", commands })));
  });

  it("are only those of an agent", async () => {
    const { context, notices, store, start, view } = await left("workspace");
    const child = start("worldline-claude", 63);
    await reportRunning(context, store, view);
    await endLostProcesses(context, view);
    expect([notices, isRunning(child)]).toEqual([[], true]);
  });

  it("are ended before files are restored if nothing controls them, and otherwise reported", async () => {
    const { context, notices, start, view } = await left();
    await endLostProcesses(context, view);
    expect(notices).toEqual([]);
    const [shell, sdk] = [start("worldline", 64), start("worldline-claude", 65)];
    await endLostProcesses(context, view);
    expect(notices).toEqual([
      { code: "commands-ended", commands: ["sleep 65"] },
      { code: "commands-running", run: "killed", commands: ["sleep 64"] },
    ]);
    expect([isRunning(shell), isRunning(sdk)]).toEqual([true, false]);
  });

  it("are all ended once no program holds the session", async () => {
    const place = workshop();
    const { home, workspace } = place;
    const session = await openSession({ home, workspace, resume: "new" });
    const { context, notices } = contextAt(place, { common: { settings: { "lock.waitMs": "0" } } });
    // Without such processes, the session is not even needed.
    await endLeftRunning(context, session);
    const child = spawn("sleep", ["66"], { env: { WORLDLINE_MARK: `worldline-${session.id}-1.` } });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect(endLeftRunning(context, session)).rejects.toMatchObject({ code: "SESSION_HELD" });
    expect(isRunning(child)).toBe(true);
    await session.close();
    await endLeftRunning(context, session);
    expect([notices, isRunning(child)]).toEqual([
      [{ code: "commands-ended", commands: ["sleep 66"] }],
      false,
    ]);
  });
});
