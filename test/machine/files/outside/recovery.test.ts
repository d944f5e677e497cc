import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FilesProgress } from "../../../../src/machine/files/requests.ts";
import { holdSession } from "../../../../src/machine/open.ts";
import { afterCrash, holding, refusal } from "../../deps.ts";
import { Killed } from "../../memory-workspace.ts";
import { allKinds, lastOf } from "../workspace.ts";
import { beginAtHome, beginBeside, outcomes, put, writes } from "./outside-world.ts";

/** Kills the program after this many files outside are done. */
function killedAfter(count: number): (progress: FilesProgress) => void {
  return (progress) => {
    if (progress.doing === "restore" && progress.done === count) throw new Killed();
  };
}

/** The temporary file next to a file that is being written. */
function leftOverOf(path: string): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(dirname(path), `.worldline-restore-${name}`);
}

describe.each([
  ["beside the workspace", beginBeside],
  ["at home", beginAtHome],
])("a journey of files %s that a crash cut off", (_place, open) => {
  it.each([0, 1])("after %i of them is finished when the session is opened, once", async (count) => {
    const { deps, session, at, told } = await open();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"], [at("b"), "made"]);
    await expect(session.rewind({ to, scope: "both", onProgress: killedAfter(count) })).rejects.toThrow(
      Killed,
    );
    expect(await allKinds(session)).not.toContain("restored");
    const again = await afterCrash(deps, session.id);
    expect([told("a"), told("b")]).toEqual(["one 644", "nothing"]);
    const journey = (await lastOf(again, "rewind"))?.id;
    expect(again.settled).toEqual({
      restores: [
        {
          session: session.id,
          journey,
          paths: [
            { path: at("a"), outcome: "restored" },
            { path: at("b"), outcome: "restored", detail: "removed" },
          ],
        },
      ],
    });
    expect(await lastOf(again, "restored")).toMatchObject({
      journey,
      restored: 1,
      removed: 1,
      kept: 0,
      failed: 0,
    });
    const lines = (await allKinds(again)).length;
    const once = await afterCrash(deps, session.id);
    expect([once.settled, (await allKinds(once)).length]).toEqual([{ restores: [] }, lines]);
    await once.redo();
    expect([told("a"), told("b")]).toEqual(["two 644", "made 644"]);
  });

  it("leaves alone what was changed since, and removes half-written files", async () => {
    const { deps, session, at, told, folder } = await open();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"], [at("b"), "made"]);
    await expect(session.rewind({ to, scope: "both", onProgress: killedAfter(0) })).rejects.toThrow(Killed);
    writeFileSync(leftOverOf(at("a")), "half");
    put(at("b"), "by hand");
    const again = await afterCrash(deps, session.id);
    expect([told("a"), told("b")]).toEqual(["one 644", "by hand 644"]);
    expect(readdirSync(folder).sort()).toEqual(["a", "b"]);
    expect(await outcomes(again)).toEqual([
      `${at("a")}: restored`,
      `${at("b")}: kept (changed outside this session)`,
    ]);
  });

  it("is not begun where the store cannot take it, neither now nor when it can", async () => {
    const { deps, session, at, told } = await open();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    const checkpoint = await session.step();
    await session.capture({ checkpoint, author: "timeline" });
    deps.failing = { times: 8, code: "STORE_FULL" };
    expect(await refusal(session.rewind({ to, scope: "files" }))).toContain("STORE_FULL");
    deps.failing.times = 0;
    await session.close();
    const again = await holdSession(deps, session.id, holding);
    expect([told("a"), again.settled]).toEqual(["two 644", { restores: [] }]);
    await again.rewind({ to, scope: "files" });
    expect(told("a")).toBe("one 644");
  });
});

describe("a journey of both kinds of files that a crash cut off", () => {
  it.each(["files", "outside"])("among the %s is finished as one", async (among) => {
    const { deps, session, files, at, told } = await beginBeside();
    files.write("inside", "one");
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    files.write("inside", "two");
    if (among === "files") files.killAt = 0;
    const onProgress = among === "files" ? () => {} : killedAfter(0);
    await expect(session.rewind({ to, scope: "both", onProgress })).rejects.toThrow(Killed);
    expect(told("a")).toBe("two 644");
    const again = await afterCrash(deps, session.id);
    expect([files.told, told("a")]).toEqual([{ inside: "one" }, "one 644"]);
    expect(await lastOf(again, "restored")).toMatchObject({ restored: 2, kept: 0, failed: 0 });
    expect((await allKinds(again)).filter((kind) => kind === "restored")).toHaveLength(1);
    await again.redo();
    expect([files.told, told("a")]).toEqual([{ inside: "two" }, "two 644"]);
  });

  it("waits for the files of the workspace if they are unavailable", async () => {
    const { deps, session, files, at, told } = await beginBeside();
    files.write("inside", "one");
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    files.write("inside", "two");
    files.killAt = 0;
    await expect(session.rewind({ to, scope: "both" })).rejects.toThrow(Killed);
    const { files: _files, ...without } = deps;
    const bare = await afterCrash(Object.assign(without, { touchedFiles: "follow" as const }), session.id);
    expect([bare.settled, told("a")]).toEqual([{ restores: [] }, "two 644"]);
    await bare.close();
    await holdSession(deps, session.id, holding);
    expect([files.told, told("a")]).toEqual([{ inside: "one" }, "one 644"]);
  });
});
