import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openExecution, openSession, openStore } from "worldline";
import { inTempFolder } from "../src/testing/testing.ts";

describe("a program that names no store", () => {
  afterEach(() => {
    delete process.env["WORLDLINE_STORE"];
  });

  it("means the one that the command line means, which WORLDLINE_STORE says", async () => {
    await inTempFolder(async (folder) => {
      process.env["WORLDLINE_STORE"] = `sqlite:${join(folder, "both.db")}`;
      const session = await openSession({ workspace: folder });
      const execution = await openExecution("exec-1", { workspace: folder });
      await execution.save({ name: "one", index: 0 });
      await Promise.all([session.close(), execution.close()]);
      const store = openStore(process.env["WORLDLINE_STORE"]);
      expect(await store.list({ workspace: folder })).toEqual([session.id, execution.session].sort());
      await store.close();
    });
  });

  it("means the files of a home that it names", async () => {
    await inTempFolder(async (folder) => {
      process.env["WORLDLINE_STORE"] = `sqlite:${join(folder, "not-this.db")}`;
      const home = join(folder, "home");
      await (await openSession({ workspace: folder, home })).close();
      expect(await openStore("files", { home }).list()).toHaveLength(1);
      expect(existsSync(join(folder, "not-this.db"))).toBe(false);
    });
  });
});
