import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/disk/system-clock.ts";
import { beginExecution } from "../../src/executions/hold-execution.ts";
import { holdSession } from "../../src/machine/open.ts";
import { openExecution } from "../../src/open-execution.ts";
import { openWorkspaceFiles } from "../../src/open-files.ts";
import { openStore } from "../../src/open-store.ts";
import { openMemoryStore } from "../../src/stores/memory.ts";
import { inTempFolder } from "../../src/testing/testing.ts";

interface Place {
  readonly home: string;
  readonly workspace: string;
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const place = { home: join(folder, "home"), workspace: join(folder, "work") };
    mkdirSync(place.workspace);
    await work(place);
  });
}

describe("opening an execution", () => {
  it("refuses an empty id, and a folder that is not there", async () => {
    await inPlace(async (place) => {
      await expect(openExecution("", place)).rejects.toMatchObject({
        code: "INPUT_INVALID",
        hint: expect.stringContaining("openExecution("),
      });
      await expect(
        openExecution("a", { ...place, workspace: join(place.workspace, "none") }),
      ).rejects.toMatchObject({
        code: "WORKSPACE_UNUSABLE",
      });
    });
  });

  it("refuses a second runner, or has it wait", async () => {
    await inPlace(async (place) => {
      const first = await openExecution("a", { ...place, name: "the first" });
      await expect(openExecution("a", place)).rejects.toMatchObject({
        code: "SESSION_HELD",
        message: expect.stringContaining("the first"),
      });
      const second = openExecution("a", { ...place, waitMs: 20_000 });
      await first.close();
      await (await second).close();
    });
  });

  it.each(["files", "sqlite"])("begins anew what its holder deleted while it waited (%s)", async (kind) => {
    await inPlace(async (place) => {
      const store = kind === "files" ? kind : `sqlite:${join(place.home, "executions.db")}`;
      const first = await openExecution("a", { ...place, store });
      await first.step("one", () => 1);
      const waiting = openExecution("a", { ...place, store, waitMs: 20_000 });
      await systemClock.wait(100);
      await first.delete();
      await first.close();
      const second = await waiting;
      expect(await second.checkpoints()).toEqual([]);
      expect(await second.step("one", () => "anew")).toBe("anew");
      await second.close();
      const again = await openExecution("a", { ...place, store });
      expect(await again.step("one", () => "run again")).toBe("anew");
      await again.close();
    });
  });

  it("takes over from a runner that cannot be checked only on request", async () => {
    await inPlace(async (place) => {
      const first = await openExecution("nightly", place);
      await first.step("one", () => 1);
      const [session = ""] = readdirSync(join(place.home, "sessions"));
      const lock = join(place.home, "sessions", session, "lock");
      const owner = {
        ...(JSON.parse(readFileSync(lock, "utf8")) as object),
        host: "laptop",
        boot: "another",
      };
      await first.close();
      writeFileSync(lock, JSON.stringify(owner));
      await expect(openExecution("nightly", place)).rejects.toMatchObject({
        code: "SESSION_HELD",
        hint: expect.stringContaining("takeOver"),
      });
      await expect(
        openExecution("nightly", { ...place, takeOver: true as unknown as "yes" }),
      ).rejects.toMatchObject({ code: "INPUT_INVALID" });
      const second = await openExecution("nightly", { ...place, takeOver: "yes" });
      expect(await second.step("one", () => 2)).toBe(1);
      await second.close();
    });
  });

  it("is not let go of by a delete before it is in the trash", async () => {
    await inPlace(async (place) => {
      const store = openMemoryStore();
      const calls: string[] = [];
      const watched = {
        ...store,
        lease: async (...asked: Parameters<typeof store.lease>) => {
          const lease = await store.lease(...asked);
          calls.push("lease");
          const release = async (): Promise<void> => {
            calls.push("release");
            await lease.release();
          };
          return { ...lease, release };
        },
        trash: async (...asked: Parameters<typeof store.trash>) => {
          calls.push("trash");
          await store.trash(...asked);
        },
      };
      const execution = await openExecution("a", { ...place, store: watched });
      await execution.step("one", () => 1);
      await execution.delete();
      expect(calls).toEqual(["lease", "trash", "release"]);
    });
  });

  it("writes nothing that no longer belongs to it once it is in the trash", async () => {
    await inPlace(async (place) => {
      const store = openMemoryStore();
      const calls: string[] = [];
      const watched = {
        ...store,
        publish: async (...asked: Parameters<typeof store.publish>) => {
          calls.push(`publish ${asked[1].length}`);
          await store.publish(...asked);
        },
        trash: async (...asked: Parameters<typeof store.trash>) => {
          calls.push("trash");
          await store.trash(...asked);
          // Another program may begin the execution anew without waiting for the lease.
          await beginExecution({ store, clock: systemClock }, { id: "a", scope: place.workspace, ...place });
        },
      };
      const execution = await openExecution("a", { ...place, store: watched });
      await execution.step("one", () => 1);
      await execution.delete();
      expect(calls).toEqual(["publish 1", "trash"]);
    });
  });

  it("tells executions apart by workspace, unless a scope is shared", async () => {
    await inPlace(async (place) => {
      const other = join(place.workspace, "other");
      mkdirSync(other);
      const sessions = [];
      for (const options of [
        place,
        { ...place, workspace: other },
        { ...place, scope: "s" },
        { ...place, workspace: other, scope: "s" },
      ]) {
        const execution = await openExecution("a", options);
        sessions.push(execution.session);
        await execution.close();
      }
      expect(new Set(sessions).size).toBe(3);
      expect(sessions[3]).toBe(sessions[2]);
    });
  });

  it("takes a store, or its address, and leaves a store that is not its own open", async () => {
    await inPlace(async (place) => {
      const store = openStore(`sqlite:${join(place.home, "executions.db")}`, { home: place.home });
      const execution = await openExecution("a", { ...place, store });
      await execution.step("one", () => new Set([1]));
      await execution.close();
      expect(await store.list({ mode: "execution" })).toEqual([execution.session]);
      await store.close();
      const again = await openExecution("a", {
        ...place,
        store: `sqlite:${join(place.home, "executions.db")}`,
      });
      expect(await again.step("one", () => "run again")).toEqual(new Set([1]));
      await again.close();
    });
  });
});

describe("an execution with files", () => {
  it("takes state and files back together, and a redo takes both forward again", async () => {
    await inPlace(async (place) => {
      const path = join(place.workspace, "config.json");
      const execution = await openExecution("migration", { ...place, files: "on" });
      for (const version of [1, 2, 3])
        await execution.step(`v${version}`, () => writeFileSync(path, `version ${version}`));
      writeFileSync(join(place.workspace, "stray"), "made behind the last step");
      const result = await execution.rollbackTo("ckpt-migration-0");
      expect(result).toMatchObject({
        success: true,
        output: { checkpoint: { name: "v1" }, files: { restored: 1, removed: 1, kept: 0, failed: 0 } },
      });
      expect(readFileSync(path, "utf8")).toBe("version 1");
      expect(await execution.rollbackTo("ckpt-migration-0")).toMatchObject({
        success: true,
        output: { files: { restored: 0, created: 0, removed: 0, kept: 0, failed: 0 } },
      });
      await execution.close();

      const store = openStore("files", { home: place.home });
      const files = await openWorkspaceFiles(place);
      const session = await holdSession({ store, clock: systemClock, files }, execution.session, {
        name: "redo",
      });
      await session.redo();
      await session.close();
      await files.close();
      expect(readFileSync(path, "utf8")).toBe("version 3");
      expect(readFileSync(join(place.workspace, "stray"), "utf8")).toBe("made behind the last step");
      const again = await openExecution("migration", { ...place, files: "on" });
      expect((await again.checkpoints()).map(({ branch }) => branch)).toEqual(["here", "here", "here"]);
      await again.close();
    });
  });

  it("takes what was deleted since back, and leaves nothing of what was made", async () => {
    await inPlace(async (place) => {
      const path = join(place.workspace, "data");
      const execution = await openExecution("e", { ...place, files: "on" });
      await execution.step("make", () => writeFileSync(path, "data"));
      await execution.step("lose", () => {
        rmSync(path);
        writeFileSync(join(place.workspace, "instead"), "");
      });
      await expect(
        execution.step("fail", () => {
          writeFileSync(join(place.workspace, "half"), "half");
          throw new Error("half way");
        }),
      ).rejects.toThrow("half way");
      expect(await execution.rollbackTo("ckpt-e-0")).toMatchObject({ success: true });
      expect(readFileSync(path, "utf8")).toBe("data");
      await execution.close();
    });
  });
});
