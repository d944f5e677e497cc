import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathOfText } from "../../src/record/files.ts";
import {
  type Dirty,
  dirtyFolders,
  type WorkspaceWatch,
  watchWorkspace,
} from "../../src/snapshots/watch-workspace.ts";
import { inTempFolder } from "../../src/testing/temp-folder.ts";

describe("the folders that events happened in", () => {
  const at = (...paths: string[]) => paths.map((path) => ({ path }));

  it("are those that hold what changed, once each", () => {
    expect(dirtyFolders("/work", at("/work/a", "/work/src/b", "/work/src/c", "/work/src/x/d"))).toEqual(
      new Set(["", "src", "src/x"]),
    );
  });

  it("are named by their bytes", () => {
    expect(dirtyFolders("/work", at("/work/ü/a"))).toEqual(new Set([pathOfText("ü")]));
  });

  it("may be anywhere if a folder's name is unknown", () => {
    expect(dirtyFolders("/work", at("/work/a", "/work/caf\ufffd/b"))).toBe("all");
  });

  it("may be anywhere when there were so many that some may be lost", () => {
    expect(dirtyFolders("/work", at(...Array.from({ length: 4_001 }, () => "/work/a")))).toBe("all");
  });

  it("may be anywhere when the workspace itself changed", () => {
    expect(dirtyFolders("/work", at("/work"))).toBe("all");
  });
});

describe("watching a workspace", () => {
  /** Watches while `work` makes changes, until `isEnough`. */
  async function heard(
    request: { folder: string; ignored?: string[] },
    work: (watching: WorkspaceWatch) => void,
    isEnough: (dirty: Dirty) => boolean,
  ): Promise<WorkspaceWatch["by"]> {
    let enough = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const watching = await watchWorkspace({
      ignored: [],
      pollMs: 10,
      ...request,
      onDirty: (dirty) => {
        if (isEnough(dirty)) enough();
      },
    });
    work(watching);
    await told;
    await watching.close();
    return watching.by;
  }
  const names = (folder: string) => (dirty: Dirty) => dirty !== "all" && dirty.has(folder);

  it("tells of a file that is written in a folder below", async () => {
    await inTempFolder(async (folder) => {
      mkdirSync(join(folder, "src/deep"), { recursive: true });
      const write = () => writeFileSync(join(folder, "src/deep/file"), "x");
      expect(await heard({ folder }, write, names("src/deep"))).toBe("events");
    });
  });

  it("reports a folder that is removed with everything in it", async () => {
    await inTempFolder(async (folder) => {
      mkdirSync(join(folder, "src/deep"), { recursive: true });
      await heard({ folder }, () => rmSync(join(folder, "src"), { recursive: true }), names(""));
    });
  });

  it("passes over what is ignored", async () => {
    await inTempFolder(async (folder) => {
      for (const name of ["node_modules/a", "out", "src"]) mkdirSync(join(folder, name), { recursive: true });
      const seen = new Set<string>();
      const work = () => {
        for (const name of ["node_modules/a/x", "out/x", "src/x"]) writeFileSync(join(folder, name), "x");
      };
      await heard({ folder, ignored: ["**/node_modules/**", join(folder, "out")] }, work, (dirty) => {
        for (const each of dirty === "all" ? ["all"] : dirty) seen.add(each);
        return seen.has("src");
      });
      expect([...seen]).toEqual(["src"]);
    });
  });

  it("has everything looked at from time to time where the system tells of nothing", async () => {
    await inTempFolder(async (folder) => {
      const gone = join(folder, "not-there");
      expect(
        await heard(
          { folder: gone },
          () => undefined,
          (dirty) => dirty === "all",
        ),
      ).toBe("polling");
    });
  });
});
