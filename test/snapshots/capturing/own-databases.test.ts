import { linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { APPLICATION_ID, holdDatabase } from "../../../src/disk/own-database.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { FilesWorld } from "../../laws/files/files-world.ts";

/** As many bytes of a SQLite file as the check reads, and a few more. */
function database(id: number): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.write("SQLite format 3\0", "latin1");
  bytes.writeUInt32BE(id, 68);
  return bytes;
}

const OWN = "left-out own-store";

async function inScene(
  work: (scene: { files: WorkspaceFiles; at: (path: string) => string }) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    mkdirSync(join(world.workspace, "wl"));
    const files = world.open();
    await work({ files, at: (path) => join(world.workspace, path) });
    await files.close();
  });
}

/** Everything except folders in a new snapshot. */
async function seen(files: WorkspaceFiles, look: "everything" | string[] = "everything") {
  const { snapshot, state } = await files.capture({ look });
  expect(state).toBe("complete");
  const listed = (await files.list(snapshot)).filter(({ state: { kind } }) => kind !== "folder");
  return Object.fromEntries(
    listed.map(({ path, state: each }) => [
      path,
      each.kind === "left-out" ? `left-out ${each.why}` : each.kind,
    ]),
  );
}

describe("a database that Worldline keeps sessions in", () => {
  it("is left out wherever it is, with SQLite's files next to it", async () => {
    await inScene(async ({ files, at }) => {
      writeFileSync(at("wl/x.db"), database(APPLICATION_ID));
      for (const end of ["-wal", "-shm", "-journal", "-other"]) writeFileSync(at(`wl/x.db${end}`), end);
      linkSync(at("wl/x.db"), at("linked"));
      expect(await seen(files)).toEqual({
        linked: OWN,
        "wl/x.db": OWN,
        "wl/x.db-journal": OWN,
        "wl/x.db-other": "file",
        "wl/x.db-shm": OWN,
        "wl/x.db-wal": OWN,
      });
      writeFileSync(at("wl/x.db-wal"), "it has grown");
      expect(await seen(files, ["wl/x.db-wal"])).toMatchObject({ "wl/x.db-wal": OWN });
    });
  });

  it("is left out next to its -wal if it is too large itself", async () => {
    await inScene(async ({ files, at }) => {
      writeFileSync(at("x.db"), Buffer.concat([database(APPLICATION_ID), Buffer.alloc(65 * 2 ** 20)]));
      writeFileSync(at("x.db-wal"), "wal");
      expect(await seen(files)).toEqual({ "x.db": "left-out too-large", "x.db-wal": OWN });
    });
  });

  it("is left out as soon as it becomes one, together with the captured files next to it", async () => {
    await inScene(async ({ files, at }) => {
      writeFileSync(at("x.db"), "");
      writeFileSync(at("x.db-shm"), "shm");
      expect(await seen(files)).toEqual({ "x.db": "file", "x.db-shm": "file" });
      writeFileSync(at("x.db"), database(APPLICATION_ID));
      expect(await seen(files)).toEqual({ "x.db": OWN, "x.db-shm": OWN });
      expect(await seen(files)).toEqual({ "x.db": OWN, "x.db-shm": OWN });
      rmSync(at("x.db-shm"));
      expect(await seen(files)).toEqual({ "x.db": OWN });
    });
  });
});

it("what this process has open as a database is not read, since closing it would take its locks away", async () => {
  await inScene(async ({ files, at }) => {
    for (const name of ["x.db", "x.db-wal", "y"]) writeFileSync(at(name), name);
    const { ino, dev } = statSync(at("x.db"));
    const letGo = holdDatabase({ inode: ino, device: dev });
    expect(await seen(files)).toEqual({ "x.db": OWN, "x.db-wal": OWN, y: "file" });
    letGo();
  });
});

it("a database of another program is captured like any file", async () => {
  await inScene(async ({ files, at }) => {
    writeFileSync(at("x.db"), database(0));
    writeFileSync(at("x.db-wal"), "wal");
    writeFileSync(at("alone-wal"), "wal");
    expect(await seen(files)).toEqual({ "alone-wal": "file", "x.db": "file", "x.db-wal": "file" });
  });
});
