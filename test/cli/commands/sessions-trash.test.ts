import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSession } from "../../../src/open-session.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../support/command-line.ts";

const DAY = 24 * 60 * 60 * 1000;

async function stocked(count: number) {
  const place = playground();
  const { home, workspace, worldline } = place;
  const ids: SessionId[] = [];
  for (let number = 1; number <= count; number += 1) {
    const session = await openSession({ home, workspace });
    await session.prompt(`prompt ${number}`);
    await session.close();
    ids.push(session.id);
  }
  const store = openFilesStore({ root: home, clock: systemClock });
  return {
    ...place,
    ids: ids as [SessionId, SessionId, SessionId],
    store,
    /** Moves a session to the trash as if it had been deleted this many days ago. */
    deletedBefore: async (id: SessionId, days: number) => store.trash(id, Date.now() - days * DAY),
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
  };
}

describe("worldline sessions delete", () => {
  it("keeps what was promised elsewhere, whatever the settings of a trusted workspace say", async () => {
    const { worldline, write, store, deletedBefore, ids } = await stocked(2);
    await deletedBefore(ids[0], 10);
    write("workspace", '{ "trash": { "days": 1 } }');
    expect(await worldline("config trust")).toMatchObject({ code: 0 });
    const said = await worldline(`sessions delete ${ids[1]}`);
    expect(said).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("even if it is trusted: trash.days"),
    });
    expect(said.stdout).not.toContain("Removed for good");
    expect(await worldline("doctor --fix")).toMatchObject({ code: 0 });
    expect(await store.listTrash()).toHaveLength(2);
  });

  it("moves sessions to the trash, and says until when and how they come back", async () => {
    const { worldline, ids, store } = await stocked(3);
    const { code, stdout } = await worldline(`sessions delete ${ids[0]} ${ids[1].slice(0, 8)}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^Deleted ${ids[0]} "prompt 1"\nDeleted ${ids[1]} "prompt 2"\n` +
          `Kept in the trash until \\d{4}-\\d\\d-\\d\\d\\. To restore one: worldline sessions undelete ${ids[0]}\n$`,
        "u",
      ),
    );
    expect(await store.list()).toEqual([ids[2]]);
    expect((await worldline("sessions")).stdout).toContain("2 deleted sessions in the trash");
    expect((await worldline(`sessions undelete ${ids[1]}`)).stdout).toMatch(
      /^Restored session .* "prompt 2"\.\n/u,
    );
    expect(new Set(await store.list())).toEqual(new Set([ids[1], ids[2]]));
  });

  it("changes nothing in a dry run, and foresees a refusal", async () => {
    const { home, workspace, worldline, data, ids, everything } = await stocked(2);
    const held = await openSession({ home, workspace, resume: ids[0], name: "another agent" });
    const before = everything();
    const dry = await worldline(`sessions delete ${ids[0]} ${ids[1]} --dry-run`);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining("so it would not be deleted") });
    expect(dry.stdout).toContain("Nothing was changed");
    expect(await data(`sessions delete ${ids[1]} --dry-run`)).toEqual({
      deleted: [ids[1]],
      removedForGood: [],
      changed: false,
    });
    expect(everything()).toEqual(before);
    await held.close();
  });

  it("deletes none when one of them is held by another program", async () => {
    const { home, workspace, worldline, ids, store } = await stocked(2);
    const held = await openSession({ home, workspace, resume: ids[1], name: "another agent" });
    expect(await worldline(`sessions delete ${ids[0]} ${ids[1]}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is in use by another agent"),
    });
    await held.close();
    expect(new Set(await store.list())).toEqual(new Set(ids));
    expect(readdirSync(join(home, "sessions", ids[0]))).not.toContain("lock");
  });

  it("removes for good what has been in the trash for too long, and names it", async () => {
    const { worldline, data, ids, store, deletedBefore } = await stocked(3);
    await deletedBefore(ids[0], 31);
    await deletedBefore(ids[1], 29);
    expect((await data(`sessions delete ${ids[2]} --dry-run`)).removedForGood).toEqual([ids[0]]);
    const { stdout } = await worldline(`sessions delete ${ids[2]}`);
    expect(stdout).toContain(`Removed for good (deleted more than 30 days ago): ${ids[0]}\n`);
    expect((await store.listTrash()).map(({ session }) => session).sort()).toEqual([ids[1], ids[2]].sort());
  });

  it("keeps what it has just deleted, whatever the settings", async () => {
    const { worldline, ids, store } = await stocked(1);
    await worldline(`sessions delete ${ids[0]} --setting trash.days=0`);
    expect((await store.listTrash()).map(({ session }) => session)).toEqual([ids[0]]);
  });

  it("deletes a session that cannot be opened, which the list names with the reason", async () => {
    const { home, worldline, data, ids, store } = await stocked(1);
    const log = join(home, "sessions", ids[0], "log.jsonl");
    rmSync(log);
    mkdirSync(log);
    rmSync(join(home, "sessions", ids[0], "index"), { force: true });
    expect(await data("sessions list")).toMatchObject({
      sessions: [],
      broken: [{ id: ids[0], why: expect.stringContaining("could not be read") }],
    });
    expect((await worldline("sessions")).stdout).toContain(`${ids[0]}  cannot be opened: `);
    expect(await worldline(`sessions delete ${ids[0]}`)).toMatchObject({ code: 0 });
    expect(await store.list()).toEqual([]);
  });
});

describe("worldline sessions delete --empty-trash", () => {
  it("needs agreement, given by --yes or at the terminal", async () => {
    const { worldline, data, ids, deletedBefore, everything } = await stocked(2);
    await deletedBefore(ids[0], 1);
    const before = everything();
    expect(await worldline("sessions delete --empty-trash")).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("Remove 1 deleted session for good? It cannot be restored."),
    });
    expect(await worldline("sessions delete --empty-trash", { typed: "no\n" })).toMatchObject({ code: 130 });
    expect(await data("sessions delete --empty-trash --dry-run")).toEqual({
      removedForGood: [ids[0]],
      changed: false,
    });
    expect(everything()).toEqual(before);
    expect(await worldline("sessions delete --empty-trash", { typed: "y\n" })).toMatchObject({
      code: 0,
      stdout: `Removed 1 deleted session for good: ${ids[0]}\n`,
    });
    expect((await worldline("sessions delete --empty-trash")).stdout).toBe("The trash is empty.\n");
  });

  it("also removes what was deleted by a clock that went ahead", async () => {
    const { data, ids, deletedBefore } = await stocked(1);
    await deletedBefore(ids[0], -400);
    expect((await data("sessions delete --empty-trash --yes")).removedForGood).toEqual([ids[0]]);
  });
});

describe("worldline sessions undelete", () => {
  it("lists what is in the trash, last deleted first, and until when", async () => {
    const { worldline, data, ids, deletedBefore } = await stocked(2);
    expect((await worldline("sessions undelete --list")).stdout).toBe("The trash is empty.\n");
    await deletedBefore(ids[0], 31);
    await deletedBefore(ids[1], 2);
    expect((await worldline("sessions undelete --list")).stdout).toMatch(
      new RegExp(
        `^${ids[1]}  deleted 2 days ago +kept until .*\n${ids[0]}  deleted .* +removed for good at the next cleanup\n$`,
        "u",
      ),
    );
    expect((await data("sessions undelete --list")).trash).toHaveLength(2);
    expect(await data(`sessions undelete ${ids[0].slice(0, 9)}`)).toEqual({ undeleted: [ids[0]] });
  });
});
