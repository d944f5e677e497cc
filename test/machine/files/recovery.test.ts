import { describe, expect, it } from "vitest";
import { settleWorkspace, viewSession } from "../../../src/machine/open.ts";
import { afterCrash, begin, refusal } from "../deps.ts";
import { Killed } from "../memory-workspace.ts";
import { allKinds, beginWithFiles, lastOf, type World } from "./workspace.ts";

/** Kills the program in the middle of a rewind that restores three paths. */
async function killedAt(killAt: "journal" | number | "end"): Promise<World> {
  const world = await beginWithFiles({ mode: "workspace" });
  const { session, files } = world;
  for (const name of ["a", "b", "c"]) files.write(name, "one");
  const to = await session.checkpoint();
  for (const name of ["a", "b", "c"]) files.write(name, "two");
  files.killAt = killAt;
  await expect(session.rewind({ to, scope: "files" })).rejects.toThrow(Killed);
  return world;
}

describe("a restore that a crash cut off", () => {
  it("never began when the log does not know it, so nothing is done", async () => {
    const { deps, files, session } = await killedAt("journal");
    const again = await afterCrash(deps, session.id);
    expect(again.settled).toEqual({ restores: [{ session: session.id, paths: [] }] });
    expect(files.told).toEqual({ a: "two", b: "two", c: "two" });
    expect(files.journals).toEqual([]);
    expect(again.outline.linesOf("rewind")).toEqual([]);
  });

  it.each([0, 1, 3])(
    "after %i paths is finished when the session is opened, and written down",
    async (paths) => {
      const { deps, files, session } = await killedAt(paths);
      const again = await afterCrash(deps, session.id);
      const journey = (await lastOf(again, "rewind"))?.id;
      expect(again.settled.restores).toMatchObject([{ session: session.id, journey }]);
      expect(files.told).toEqual({ a: "one", b: "one", c: "one" });
      expect(await lastOf(again, "restored")).toMatchObject({ journey, restored: 3, kept: 0, failed: 0 });
      const lines = (await allKinds(again)).length;
      const once = await afterCrash(deps, session.id);
      expect([once.settled, (await allKinds(once)).length]).toEqual([{ restores: [] }, lines]);
      await once.redo();
      expect(files.told).toEqual({ a: "two", b: "two", c: "two" });
    },
  );

  it("is complete when the log says so, whatever was changed since", async () => {
    const { deps, files, session } = await killedAt("end");
    files.write("a", "two");
    const again = await afterCrash(deps, session.id);
    expect(again.settled).toEqual({ restores: [] });
    expect(files.told).toEqual({ a: "two", b: "one", c: "one" });
    expect([files.journals, again.outline.linesOf("restored").length]).toEqual([[], 1]);
  });

  it("stays unfinished until the log can take its end", async () => {
    const { deps, files, session } = await beginWithFiles({ mode: "workspace" });
    files.write("a", "one");
    const to = await session.checkpoint();
    files.write("a", "two");
    const onProgress = ({ doing }: { doing: string }): void => {
      if (doing === "restore") deps.failing = { times: 8, code: "STORE_FULL" };
    };
    expect(await refusal(session.rewind({ to, scope: "files", onProgress }))).toContain("STORE_FULL");
    expect([files.told, files.journals.length]).toEqual([{ a: "one" }, 1]);
    deps.failing.times = 0;
    await session.flush();
    await session.redo();
    expect([files.told, files.journals]).toEqual([{ a: "two" }, []]);
    expect(session.outline.linesOf("restored").length).toBe(2);
  });

  it("leaves alone what was changed since", async () => {
    const { deps, files, session } = await killedAt(1);
    files.write("c", "by hand");
    const again = await afterCrash(deps, session.id);
    expect(files.told).toEqual({ a: "one", b: "one", c: "by hand" });
    expect(await lastOf(again, "restored")).toMatchObject({ restored: 2, kept: 1 });
  });

  it("of another session is finished before the next one is made", async () => {
    const { deps, files, session } = await killedAt(1);
    const other = await begin(deps, { mode: "workspace" });
    const content = deps.room.sessions.get(session.id);
    if (content !== undefined) content.owner = undefined;
    const to = await other.checkpoint();
    files.write("new", "x");
    await other.rewind({ to, scope: "files" });
    expect(files.journals).toEqual([]);
    const view = await viewSession(deps.store, session.id);
    expect(await view.entriesOf("restored")).toMatchObject([{ restored: 3 }]);
  });

  it("of another session that is held stops files here, and says what to do", async () => {
    const { deps, files, session } = await killedAt(1);
    const other = await begin(deps, { mode: "workspace" });
    const to = await other.checkpoint();
    files.write("new", "x");
    const before = files.told;
    expect(await refusal(other.rewind({ to, scope: "files" }))).toBe(
      `RESTORE_UNFINISHED A restore in session ${session.id} was interrupted and could not be finished.`,
    );
    expect(files.told).toEqual(before);
  });

  it("of a session that no longer exists is still finished, since half of it may be done", async () => {
    const { deps, files, session } = await killedAt(1);
    deps.room.sessions.delete(session.id);
    const paths = ["a", "b", "c"].map((path) => ({ path, outcome: "restored" }));
    expect(await settleWorkspace(deps, files)).toEqual([{ session: session.id, log: "nowhere", paths }]);
    expect([files.told, files.journals]).toEqual([{ a: "one", b: "one", c: "one" }, []]);
  });

  it.each([
    ["journal", "two"],
    [1, "one"],
  ] as const)("of a session in the trash is settled there (%s)", async (killAt, text) => {
    const { deps, files, session } = await killedAt(killAt);
    const content = deps.room.sessions.get(session.id);
    if (content !== undefined) content.owner = undefined;
    await deps.store.trash(session.id, 7);
    const [settled] = await settleWorkspace(deps, files);
    expect([settled?.session, settled?.log]).toEqual([session.id, undefined]);
    expect([files.told, files.journals]).toEqual([{ a: text, b: text, c: text }, []]);
    expect(await deps.store.listTrash()).toEqual([{ session: session.id, at: 7 }]);
    await deps.store.undelete(session.id);
    const view = await viewSession(deps.store, session.id);
    expect((await view.entriesOf("restored")).length).toBe(killAt === "journal" ? 0 : 1);
  });

  it.each(["d", "c"])("does not count what the user did to %s since as its own", async (path) => {
    const { deps, files, session } = await killedAt(1);
    files.write(path, "by hand");
    const again = await afterCrash(deps, session.id);
    expect((await lastOf(again, "restored"))?.snapshot).toBeUndefined();
    await again.toolStart("c", "write");
    const { conflicts } = await again.previewFiles({ to: 1, choice: "keep" });
    expect(conflicts.map((conflict) => conflict.path)).toContain(path);
    await again.rewind({ to: 1, scope: "files", choice: "keep" });
    expect(files.told).toMatchObject({ [path]: "by hand" });
  });

  it("is finished although its temporary file is gone", async () => {
    const { deps, files, session } = await killedAt(1);
    const left = files.journals[0]?.journey.left;
    if (left !== undefined) files.snapshots.delete(left);
    const again = await afterCrash(deps, session.id);
    expect(again.settled.trouble).toBeUndefined();
    expect(files.told).toEqual({ a: "one", b: "one", c: "one" });
  });

  it("that cannot be finished does not prevent opening the session", async () => {
    const { deps, files, session } = await killedAt(1);
    files.settle = async () => {
      throw new Error("the disk is gone");
    };
    const again = await afterCrash(deps, session.id);
    expect(again.settled).toMatchObject({ restores: [], trouble: { code: "RESTORE_UNFINISHED" } });
    expect(await refusal(again.rewind({ to: 1, scope: "files" }))).toContain("RESTORE_UNFINISHED");
  });
});
