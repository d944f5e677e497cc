import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { FilesWorld, restoreOf } from "../../laws/files/files-world.ts";
import { differences, told, walk } from "../../laws/files/independent-walk.ts";

interface Scene {
  readonly world: FilesWorld;
  readonly files: WorkspaceFiles;
  readonly at: (path: string) => string;
  /** The same files in another process, if the test asks for one. */
  readonly later: () => Promise<WorkspaceFiles>;
}

const WHERE = ["the same process", "another process"] as const;

async function inScene(where: (typeof WHERE)[number], work: (scene: Scene) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    const at = (path: string): string => join(world.workspace, path);
    mkdirSync(at("d"));
    writeFileSync(at("d/old"), "old");
    const files = world.open();
    const opened = [files];
    const later = async (): Promise<WorkspaceFiles> => {
      if (where === "the same process") return files;
      await files.close();
      const other = world.open();
      opened.push(other);
      return other;
    };
    await files.capture({ look: "everything" });
    await work({ world, files, at, later });
    for (const each of opened) await each.close();
  });
}

async function expectExact(files: WorkspaceFiles): Promise<void> {
  const { snapshot } = await files.capture({ look: "everything" });
  expect(differences(told(await files.list(snapshot)), walk(files.folder))).toEqual([]);
}

describe.each(WHERE)("what a capture of known paths saw is seen to go, by %s,", (where) => {
  it("when it was a new file", async () => {
    await inScene(where, async ({ files, at, later }) => {
      writeFileSync(at("d/new"), "new");
      // Wait until the folder is old enough for its remembered state to be trusted.
      await setTimeout(60);
      await files.capture({ look: ["d/new"] });
      rmSync(at("d/new"));
      await expectExact(await later());
    });
  });

  it("when a restore had made it", async () => {
    await inScene(where, async ({ files, at, later }) => {
      const { snapshot: there } = await files.capture({ look: "everything" });
      rmSync(at("d/old"));
      const { snapshot: gone } = await files.capture({ look: "everything" });
      await files.restore(restoreOf(await files.compare(gone, there), gone));
      await files.capture({ look: ["d/old"] });
      rmSync(at("d/old"));
      await expectExact(await later());
    });
  });

  it("when it was gone already", async () => {
    await inScene(where, async ({ files, at, later }) => {
      rmSync(at("d/old"));
      await files.capture({ look: ["d/old"] });
      const next = await later();
      await expectExact(next);
      writeFileSync(at("d/old"), "old");
      await next.capture({ look: ["d/old"] });
      await expectExact(next);
      rmSync(at("d/old"));
      await expectExact(next);
    });
  });

  it("when it took the place of a link", async () => {
    await inScene(where, async ({ files, at, later }) => {
      symlinkSync("old", at("d/link"));
      await files.capture({ look: "everything" });
      rmSync(at("d/link"));
      writeFileSync(at("d/link"), "a file");
      await files.capture({ look: ["d/link"] });
      const next = await later();
      await expectExact(next);
      rmSync(at("d/link"));
      await expectExact(next);
    });
  });
});
