import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { realDisk } from "../../src/disk/disk.ts";
import { type Processes, realProcesses } from "../../src/disk/lock-owner.ts";
import { systemClock } from "../../src/disk/system-clock.ts";
import type { LeaseRequest, Owner } from "../../src/ports/lease.ts";
import { acquireExclusive, acquireShared } from "../../src/snapshots/keeping/shared-lease.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { rejectsWith, Story, tempFolder } from "../../src/testing/testing.ts";
import { startContainer } from "./container.ts";

const REQUEST: LeaseRequest = { name: "the next one", waitMs: 0 };
const TAKE_OVER: LeaseRequest = { ...REQUEST, takeOver: "yes" };

/** A home with one session, at a path that is longer than a socket's path may be. */
async function scene() {
  const folder = tempFolder();
  onTestFinished(folder.remove);
  const home = join(folder.path, "a home whose path is long ".repeat(6).trim());
  const storeOf = (processes: Processes = realProcesses(home)) =>
    openFilesStore({ root: home, clock: systemClock, processes });
  const story = new Story();
  await storeOf().create(story.begin());
  const { session } = story;
  const lock = join(home, "sessions", session, "lock");
  return {
    home,
    session,
    lock,
    story,
    storeOf,
    alive: () => readdirSync(join(home, "alive")),
    owner: () => JSON.parse(readFileSync(lock, "utf8")) as Owner,
    leases: join(home, "snapshots", "leases"),
    deps: { disk: realDisk, clock: systemClock, processes: realProcesses(home) },
  };
}

describe("the session of a container", () => {
  it("that was killed is taken at once", async () => {
    const { home, session, storeOf, owner } = await scene();
    const container = await startContainer(home, session);
    const dead = owner();
    expect(dead.namespace).not.toBe(realProcesses().namespace);
    await container.kill();
    expect(await storeOf().holder(session)).toEqual({ owner: dead, life: "dead" });
    const lease = await storeOf().lease(session, REQUEST);
    expect(lease.takenFrom).toEqual(dead);
    await lease.release();
  });

  it("that lives is never taken, not even with takeOver", async () => {
    const { home, session, storeOf } = await scene();
    await startContainer(home, session);
    expect(await storeOf().holder(session)).toMatchObject({ life: "living" });
    const error = await rejectsWith("SESSION_HELD", storeOf().lease(session, TAKE_OVER));
    expect(error.message).toContain("in a container");
    expect(error.hint).not.toContain("--take-over");
  });

  it("that is suspended is never taken either", async () => {
    const { home, session, storeOf } = await scene();
    const container = await startContainer(home, session);
    container.suspend();
    await rejectsWith("SESSION_HELD", storeOf().lease(session, TAKE_OVER));
    container.resume();
  });

  it("cannot be checked once its socket was removed: then the user decides", async () => {
    const { home, session, storeOf, alive } = await scene();
    await startContainer(home, session);
    for (const name of alive()) rmSync(join(home, "alive", name));
    const error = await rejectsWith("SESSION_HELD", storeOf().lease(session, REQUEST));
    expect(error.hint).toContain("--take-over");
    expect((await storeOf().lease(session, TAKE_OVER)).takenFrom?.name).toBe("in a container");
  });

  it.each<[string, Partial<Owner>]>([
    ["has no socket, as in earlier versions", {}],
    ["is of another machine, whose sockets this kernel does not know", { boot: "another", host: "another" }],
    ["names a socket of another file system", { socket: { name: "", file: "1:1" } }],
    ["names a socket beyond its folder", { socket: { name: "../../x", file: "1:1" } }],
  ])("is kept although nothing answers if its lock %s", async (_, other) => {
    const { home, session, storeOf, lock, owner } = await scene();
    await (await startContainer(home, session)).kill();
    const { socket, ...old } = owner();
    const named =
      other.socket?.name === "" && socket !== undefined ? { socket: { ...socket, file: "1:1" } } : {};
    const kept = other.boot === undefined ? {} : { socket };
    writeFileSync(lock, JSON.stringify({ ...old, ...kept, ...other, ...named }));
    await rejectsWith("SESSION_HELD", storeOf().lease(session, REQUEST));
    await storeOf().lease(session, TAKE_OVER);
  });
});

describe("the snapshot store", () => {
  it.each(["shared", "exclusive"])(
    "is free again when the container that had it %s was killed",
    async (how) => {
      const { home, leases, deps } = await scene();
      const container = await startContainer(home, how);
      await rejectsWith("SNAPSHOTS_HELD", acquireExclusive(deps, leases, TAKE_OVER));
      await container.kill();
      await (await acquireShared(deps, leases, REQUEST)).release();
      await (await acquireExclusive(deps, leases, REQUEST)).release();
      expect(readdirSync(leases)).toEqual([]);
    },
  );

  it("that a program elsewhere holds exclusively can be taken over by a program that wants to share it", async () => {
    const { leases, deps } = await scene();
    const elsewhere = { ...deps, processes: { ...deps.processes, host: "laptop", boot: "another" } };
    mkdirSync(leases, { recursive: true });
    await acquireExclusive(elsewhere, leases, { ...REQUEST, name: "worldline store gc" });
    await rejectsWith("SNAPSHOTS_HELD", acquireShared(deps, leases, REQUEST));
    await (await acquireShared(deps, leases, TAKE_OVER)).release();
    expect(readdirSync(leases)).toEqual([expect.stringMatching(/^exclusive\.taken-/u)]);
  });
});
