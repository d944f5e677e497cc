import { existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Processes, realProcesses } from "../../../src/disk/lock-owner.ts";
import type { LeaseRequest, Owner } from "../../../src/ports/lease.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { ManualClock, rejectsWith, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { startChild } from "../../crash/children/child.ts";
import { writtenSession } from "./written-session.ts";

const REQUEST: LeaseRequest = { name: "the next one", waitMs: 0 };

/** A session on a simulated machine, where the test decides which processes are alive. */
async function scene() {
  const it = await writtenSession({ prompts: ["one"] });
  const machine = new SimulatedProcesses();
  const lock = join(it.folder, "lock");
  return {
    ...it,
    machine,
    lock,
    storeOf: (processes: Processes) =>
      openFilesStore({ root: it.root, clock: new ManualClock({ seed: processes.pid }), processes }),
    owner: () => JSON.parse(readFileSync(lock, "utf8")) as Owner,
    lockFiles: () => readdirSync(it.folder).filter((name) => name.startsWith("lock")),
  };
}

describe("the lock of a living owner", () => {
  it("names its owner: name, pid, host, since when, and what to do", async () => {
    const { machine, storeOf, session, remove } = await scene();
    const first = machine.start();
    await storeOf(first).lease(session, { name: "worldline watch", waitMs: 0 });
    const error = await rejectsWith("SESSION_HELD", storeOf(machine.start()).lease(session, REQUEST));
    expect(error.message).toBe(
      `Session ${session} is in use by worldline watch (pid ${first.pid} on this-machine, since 2026-01-01T00:00:00.000Z).`,
    );
    expect(error.hint).toMatch(/fork/);
    await remove();
  });

  it("is never taken, not even with takeOver", async () => {
    const { machine, storeOf, session, remove } = await scene();
    await storeOf(machine.start()).lease(session, REQUEST);
    await rejectsWith(
      "SESSION_HELD",
      storeOf(machine.start()).lease(session, { ...REQUEST, takeOver: "yes" }),
    );
    await remove();
  });

  it("is gone after release, with no files left", async () => {
    const { machine, storeOf, session, lockFiles, remove } = await scene();
    const lease = await storeOf(machine.start()).lease(session, REQUEST);
    expect(lockFiles()).toEqual(["lock"]);
    await lease.release();
    expect(lockFiles()).toEqual([]);
    await remove();
  });
});

describe("the lock of a dead owner", () => {
  it.each(["killed", "its pid given to another", "the machine restarted"])(
    "(%s) is taken, and reported",
    async (how) => {
      const { machine, storeOf, session, lockFiles, remove } = await scene();
      const dead = machine.start();
      const { owner } = await storeOf(dead).lease(session, { name: "the dead one", waitMs: 0 });
      if (how === "killed") machine.kill(dead.pid);
      if (how === "its pid given to another") machine.reuse(dead.pid);
      if (how === "the machine restarted") machine.restart();
      const lease = await storeOf(machine.start()).lease(session, REQUEST);
      expect(lease.takenFrom).toEqual(owner);
      expect(lockFiles()).toEqual(["lock"]);
      await remove();
    },
  );

  it("whose successor died while taking it is taken along the chain", async () => {
    const { machine, storeOf, session, lock, owner, lockFiles, remove } = await scene();
    const [dead, alsoDead, third] = [machine.start(), machine.start(), machine.start()];
    await storeOf(dead).lease(session, { name: "the dead one", waitMs: 0 });
    const first = owner();
    // Each of two successors wrote its guard and died before the rename.
    const guard = { ...first, pid: alsoDead.pid, started: `start-${alsoDead.pid}`, token: "a".repeat(32) };
    writeFileSync(`${lock}.after-${first.token}`, JSON.stringify(guard));
    const guardOfGuard = { ...first, pid: third.pid, started: `start-${third.pid}`, token: "b".repeat(32) };
    writeFileSync(`${lock}.after-${guard.token}`, JSON.stringify(guardOfGuard));
    for (const each of [dead, alsoDead, third]) machine.kill(each.pid);
    const lease = await storeOf(machine.start()).lease(session, REQUEST);
    expect(lease.takenFrom).toEqual(first);
    expect(lockFiles()).toEqual(["lock"]);
    await remove();
  });

  it("is left to a living one that is just taking it", async () => {
    const { machine, storeOf, session, lock, owner, remove } = await scene();
    const [dead, taking] = [machine.start(), machine.start()];
    await storeOf(dead).lease(session, { name: "the dead one", waitMs: 0 });
    const first = owner();
    machine.kill(dead.pid);
    const guard = {
      ...first,
      pid: taking.pid,
      started: `start-${taking.pid}`,
      name: "taking",
      token: "a".repeat(32),
    };
    writeFileSync(`${lock}.after-${first.token}`, JSON.stringify(guard));
    const error = await rejectsWith("SESSION_HELD", storeOf(machine.start()).lease(session, REQUEST));
    expect(error.message).toContain("taking");
    expect(owner()).toEqual(first);
    await remove();
  });

  it("that was replaced meanwhile is not replaced again by a process that read it before", async () => {
    const { machine, storeOf, session, lock, owner, remove } = await scene();
    const dead = machine.start();
    await storeOf(dead).lease(session, { name: "the dead one", waitMs: 0 });
    machine.kill(dead.pid);
    const living = storeOf(machine.start());
    const lease = await living.lease(session, REQUEST);
    // A guard for a token that no longer exists has no effect, whoever owns it.
    linkSync(lock, `${lock}.after-${"c".repeat(32)}`);
    await rejectsWith("SESSION_HELD", storeOf(machine.start()).lease(session, REQUEST));
    expect(owner().token).toBe(lease.owner.token);
    await remove();
  });
});

describe("the lock of an owner on another host", () => {
  it("is kept until the user says that it is to be taken over", async () => {
    const { machine, storeOf, session, remove } = await scene();
    await storeOf(machine.start("laptop")).lease(session, { name: "worldline", waitMs: 0 });
    const here = storeOf(machine.start("desktop"));
    const error = await rejectsWith("SESSION_HELD", here.lease(session, REQUEST));
    expect(error.message).toContain("on laptop");
    expect(error.hint).toContain("--take-over");
    expect((await here.lease(session, { ...REQUEST, takeOver: "yes" })).takenFrom?.host).toBe("laptop");
    await remove();
  });

  it("is an owner of another pid namespace's too, where its pid means nothing here", async () => {
    const { machine, storeOf, session, owner, remove } = await scene();
    const inside = { ...machine.start(), namespace: "pid:[2]" };
    await storeOf(inside).lease(session, { name: "in a container", waitMs: 0 });
    expect(owner().namespace).toBe("pid:[2]");
    const outside = storeOf({ ...machine.start(), namespace: "pid:[1]", startOf: () => undefined });
    const error = await rejectsWith("SESSION_HELD", outside.lease(session, REQUEST));
    expect(error.hint).toContain("--take-over");
    const lease = await outside.lease(session, { ...REQUEST, takeOver: "yes" });
    expect(lease.takenFrom?.name).toBe("in a container");
    await remove();
  });

  it.each(["names a namespace", "names none"])("is dead after a restart, whether it %s", async (how) => {
    const { machine, storeOf, session, remove } = await scene();
    const inside = how === "names none" ? {} : { namespace: "pid:[2]" };
    await storeOf({ ...machine.start(), ...inside }).lease(session, REQUEST);
    machine.restart();
    const here = storeOf({ ...machine.start(), namespace: "pid:[1]" });
    expect((await here.lease(session, REQUEST)).takenFrom).toBeDefined();
    await remove();
  });

  it("that names no namespace counts as one of this", async () => {
    const { machine, storeOf, session, remove } = await scene();
    const old = machine.start();
    await storeOf(old).lease(session, REQUEST);
    const here = storeOf({ ...machine.start(), namespace: "pid:[1]" });
    await rejectsWith("SESSION_HELD", here.lease(session, { ...REQUEST, takeOver: "yes" }));
    machine.kill(old.pid);
    expect((await here.lease(session, REQUEST)).takenFrom?.pid).toBe(old.pid);
    await remove();
  });

  it("does not remove the new owner's lock if it is released late", async () => {
    const { machine, storeOf, session, lock, remove } = await scene();
    const old = await storeOf(machine.start("laptop")).lease(session, REQUEST);
    await storeOf(machine.start("desktop")).lease(session, { ...REQUEST, takeOver: "yes" });
    await old.release();
    expect(existsSync(lock)).toBe(true);
    await remove();
  });
});

describe("a lock file that Worldline did not write", () => {
  const evil = { pid: 1, started: "", boot: "", host: "x", name: "", since: "", token: "../../evil" };

  it.each(["", "garbage", "{}", JSON.stringify(evil)])(
    "(%j) holds the session until it is taken over",
    async (content) => {
      const { machine, storeOf, session, lock, lockFiles, remove } = await scene();
      writeFileSync(lock, content);
      const error = await rejectsWith("SESSION_HELD", storeOf(machine.start()).lease(session, REQUEST));
      expect(error.message).toContain("a lock that cannot be read");
      expect(error.hint).toContain("--take-over");
      await storeOf(machine.start()).lease(session, { ...REQUEST, takeOver: "yes" });
      expect(lockFiles()).toEqual(["lock"]);
      await remove();
    },
  );
});

describe("taking over what cannot be read, and nothing else", () => {
  it("leaves the lock of an owner on another host", async () => {
    const { machine, storeOf, session, lock, remove } = await scene();
    const request = { ...REQUEST, takeOver: "unreadable" } as const;
    await storeOf(machine.start("laptop")).lease(session, REQUEST);
    await rejectsWith("SESSION_HELD", storeOf(machine.start("desktop")).lease(session, request));
    writeFileSync(lock, "garbage");
    await storeOf(machine.start("desktop")).lease(session, request);
    await rejectsWith("SESSION_HELD", storeOf(machine.start("desktop")).lease(session, request));
    await remove();
  });
});

describe("the processes of this machine", () => {
  it("know this one, with its host and its start", () => {
    const processes = realProcesses();
    expect(processes).toMatchObject({ pid: process.pid, host: hostname() });
    expect(processes.startOf(process.pid)).toBe(processes.startOf(process.pid));
    expect(processes.startOf(process.pid)).not.toBeUndefined();
  });

  it("know a killed one for dead", async () => {
    const child = startChild("-e", ["setInterval(() => {}, 1000)"]);
    const processes = realProcesses();
    expect(processes.startOf(child.pid)).not.toBeUndefined();
    await child.kill();
    expect(processes.startOf(child.pid)).toBeUndefined();
  });
});
