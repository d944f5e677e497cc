import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { type Processes, realProcesses } from "../../../src/disk/lock-owner.ts";
import type { LeaseRequest } from "../../../src/ports/lease.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { ManualClock, rejectsWith, tempFolder } from "../../../src/testing/testing.ts";
import { bundleProgram } from "../../crash/children/bundle.ts";
import { writtenSession } from "./written-session.ts";

const REQUEST: LeaseRequest = { name: "the next one", waitMs: 0 };
const TAKE_OVER: LeaseRequest = { ...REQUEST, takeOver: "yes" };

/** A session that a program on another machine holds and has opened for writing. */
async function scene(disk = realDisk) {
  const it = await writtenSession({ prompts: ["one"] });
  const clock = new ManualClock({ seed: 7 });
  const elsewhere: Processes = { ...realProcesses(), host: "laptop", boot: "another" };
  const old = openFilesStore({ root: it.root, clock, disk, processes: elsewhere });
  const lease = await old.lease(it.session, { name: "on the laptop", waitMs: 0 });
  await old.recover(it.session);
  await old.append(it.session, toSeq(3), [it.story.prompt("two")]);
  const here = openFilesStore({ root: it.root, clock: new ManualClock({ seed: 8 }) });
  return { ...it, old, lease, here, names: () => readdirSync(it.folder).sort() };
}

describe("an owner whose lock was taken over while it was suspended", () => {
  it("can no longer append, rotate, rewrite or trash, and is told which program holds the session", async () => {
    const { old, here, session, story, all } = await scene();
    const lease = await here.lease(session, TAKE_OVER);
    expect(lease.takenFrom?.name).toBe("on the laptop");
    const entry = story.prompt("late");
    const error = await rejectsWith("SEQ_CONFLICT", old.append(session, toSeq(4), [entry]));
    expect(error.message).toMatch(/was taken over by the next one \(pid \d+ on .+\)\.$/u);
    await rejectsWith("SEQ_CONFLICT", old.recover(session));
    await rejectsWith(
      "SEQ_CONFLICT",
      old.rewrite(session, (each) => each),
    );
    await rejectsWith("SEQ_CONFLICT", old.trash(session, 1));
    await here.recover(session);
    await here.append(session, toSeq(4), [entry]);
    expect(await all()).toHaveLength(4);
    expect(await here.verify(session)).toEqual([]);
    await lease.release();
  });

  it("stays without it even if the new owner has closed silently, and never holds the session again", async () => {
    const { old, here, session, story, all } = await scene();
    await (await here.lease(session, TAKE_OVER)).release();
    const late = [story.prompt("late")];
    const error = await rejectsWith("SEQ_CONFLICT", old.append(session, toSeq(4), late));
    expect(error.message).toContain("was taken over by the next one");
    expect(await here.holder(session)).toBeUndefined();
    await (await here.lease(session, REQUEST)).release();
    await rejectsWith("SEQ_CONFLICT", old.append(session, toSeq(4), late));
    expect(await all()).toHaveLength(3);
  });

  it("writes nothing into the log when it resumes in the middle of an append", async () => {
    const programs = tempFolder();
    onTestFinished(programs.remove);
    const script = await bundleProgram(new URL("./children/take-over.ts", import.meta.url), programs.path);
    let inTheMiddle = (): void => undefined;
    const disk = {
      ...realDisk,
      write: (file: number, bytes: Uint8Array) => {
        inTheMiddle();
        inTheMiddle = () => undefined;
        return realDisk.write(file, bytes);
      },
    };
    const { old, here, root, session, story, lines } = await scene(disk);
    const before = lines();
    inTheMiddle = () => execFileSync(process.execPath, [script, root, session]);
    await rejectsWith("SEQ_CONFLICT", old.append(session, toSeq(4), [story.prompt("late")]));
    expect(lines()).toEqual(before);
    const lease = await here.lease(session, REQUEST);
    expect(lease.takenFrom?.name).toBe("the heir");
    expect(await here.verify(session)).toEqual([]);
  });

  it("leaves the lock of the other one when it is done", async () => {
    const { old, here, session, lease, names } = await scene();
    const taken = await here.lease(session, TAKE_OVER);
    await lease.release();
    await old.close();
    expect(names()).toContain("lock");
    await taken.release();
    expect(names()).not.toContain("lock");
  });
});

describe("an owner whose lock file was removed", () => {
  it("puts it back with its next append, and continues", async () => {
    const { old, session, story, folder, names, all, here } = await scene();
    rmSync(`${folder}/lock`);
    await old.append(session, toSeq(4), [story.prompt("goes on")]);
    expect(names().filter((name) => name.startsWith("lock"))).toEqual(["lock"]);
    expect(await all()).toHaveLength(4);
    await rejectsWith("SESSION_HELD", here.lease(session, REQUEST));
  });

  it("cannot continue if another owner has taken the session meanwhile", async () => {
    const { old, session, story, folder, here } = await scene();
    rmSync(`${folder}/lock`);
    await here.lease(session, REQUEST);
    await rejectsWith("SEQ_CONFLICT", old.append(session, toSeq(4), [story.prompt("late")]));
  });
});
