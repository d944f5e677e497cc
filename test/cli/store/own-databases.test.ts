import { copyFileSync, existsSync, linkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { openExecution } from "../../../src/open-execution.ts";
import { type Workshop, workshop } from "../support/workshop.ts";

describe("the database in use, in the workspace", () => {
  const ways = {
    "a link to it": (shop: Workshop) => {
      writeFileSync(join(shop.workspace, "real.db"), "");
      symlinkSync(join(shop.workspace, "real.db"), join(shop.root, "link.db"));
    },
    "a link to where it is made": (shop: Workshop) => {
      symlinkSync("workspace-link/real.db", join(shop.root, "link.db"));
      symlinkSync(shop.workspace, join(shop.root, "workspace-link"));
    },
    "another name of the same file": (shop: Workshop) => {
      writeFileSync(join(shop.workspace, "real.db"), "");
      linkSync(join(shop.workspace, "real.db"), join(shop.root, "link.db"));
    },
  };

  it.each(Object.entries(ways))("is not taken back when it is named by %s", async (_way, prepare) => {
    const shop = workshop();
    prepare(shop);
    const store = ["--store", `sqlite:${join(shop.root, "link.db")}`];
    for (const label of ["one", "two", "three"]) {
      shop.put("a.txt", label);
      expect((await shop.worldline([...store, "checkpoint", label])).code).toBe(0);
    }
    const { code, stdout } = await shop.worldline([...store, "rewind", "1", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("real.db");
    const { stdout: told } = await shop.worldline([...store, "checkpoints", "--json"]);
    expect(JSON.parse(told).checkpoints).toHaveLength(3);
  });
});

describe("the database of another program, in the workspace", () => {
  it("is not deleted by a rewind, and why says so", async () => {
    const shop = workshop();
    shop.put("a.txt", "one");
    await shop.data("checkpoint one");
    const { home, workspace } = shop;
    const store = `sqlite:${join(workspace, "wl1", "sessions.db")}`;
    const execution = await openExecution("exec-1", { home, workspace, store });
    await execution.step("first", async () => 1);
    shop.put("a.txt", "two");
    await shop.data("checkpoint two");
    expect((await shop.worldline(["rewind", "1", "--yes"])).code).toBe(0);
    await execution.step("second", async () => 2);
    expect(existsSync(join(workspace, "wl1", "sessions.db-wal"))).toBe(true);
    await execution.close();
    const again = await openExecution("exec-1", { home, workspace, store });
    expect(await again.step("first", async () => 9)).toBe(1);
    expect(await again.step("second", async () => 9)).toBe(2);
    await again.close();
    expect(await shop.text("why wl1/sessions.db")).toContain("Worldline's own store");
  });

  it("is not taken back to what an older snapshot has of it", async () => {
    const shop = workshop();
    const path = join(shop.workspace, "x.db");
    const old = new Libsql(path);
    old.exec("CREATE TABLE worldline_old (x)");
    old.close();
    copyFileSync(path, `${path}-journal`);
    await shop.data("checkpoint one");
    const taken = new Libsql(path);
    taken.exec("PRAGMA application_id = 0x574c444e");
    taken.close();
    // SQLite may already have removed this unusable journal.
    rmSync(`${path}-journal`, { force: true });
    const { code } = await shop.worldline(["rewind", "1", "--yes"]);
    expect(code).toBe(0);
    expect(existsSync(`${path}-journal`)).toBe(false);
    const now = new Libsql(path);
    expect(now.prepare("PRAGMA application_id").all([])).toMatchObject([{ application_id: 0x57_4c_44_4e }]);
    now.close();
  });
});
