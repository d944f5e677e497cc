import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../../src/disk/disk.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import { snapshotPlaces, workspacePlaces } from "../../../../src/snapshots/context.ts";
import { newRestoreId, RestoreJournal } from "../../../../src/snapshots/restoring/restore.ts";
import { workshop } from "../../support/workshop.ts";

/**
 * Leaves a rewind as a kill right after it was recorded would: its journal exists, but no file has been
 * restored yet. With "written", its entry is in the log too.
 */
async function cutOff(journeyState: "written" | "unwritten") {
  const shop = workshop();
  const { home, workspace } = shop;
  shop.put("a.txt", "one\n");
  await shop.worldline("checkpoint");
  shop.put("a.txt", "two\n");
  const { session, journey, files: said } = await shop.data("rewind 1");
  const { entries } = await shop.data("log");
  const { from, left } = entries.find(({ id }: { id: string }) => id === journey);
  const files = await openWorkspaceFiles({ workspace, home });
  const steps = await files.compare(said.present, said.target);
  await files.close();
  shop.put("a.txt", "two\n");
  const log = join(home, "sessions", session, "log.jsonl");
  const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
  expect(lines.at(-1)).toContain('"restored"');
  if (journeyState === "written") writeFileSync(log, `${lines.slice(0, -1).join("\n")}\n`);
  const places = workspacePlaces(snapshotPlaces(home), workspace);
  new RestoreJournal(realDisk, places.journal).write({
    id: newRestoreId(1, "token"),
    session,
    journey: { from: journeyState === "written" ? from : "nowhere", left },
    steps,
    token: "token",
    closed: [],
  });
  return { ...shop, session };
}

describe("a restore that was cut off", () => {
  it("is finished by the next command that writes, which says so", async () => {
    const { worldline, files, session } = await cutOff("written");
    expect((await worldline("checkpoint")).stderr).toContain(
      `warning: Finished an interrupted restore in session ${session}: 1 restored, 0 kept, 0 failed.\n`,
    );
    expect(files()).toEqual({ "a.txt": "one\n" });
    expect((await worldline("checkpoint")).stderr).not.toContain("cut off");
  });

  it("is dropped when its journey was never written down", async () => {
    const { worldline, files, session } = await cutOff("unwritten");
    expect((await worldline("checkpoint")).stderr).toContain(
      `warning: Discarded an interrupted restore in session ${session}: it had not started, so nothing was changed.\n`,
    );
    expect(files()).toEqual({ "a.txt": "two\n" });
  });

  it("is found by the doctor, which finishes it when asked", async () => {
    const { data, files, workspace } = await cutOff("written");
    const about = async (line: string) =>
      (await data(line)).checks.filter((check: { about: string }) => check.about === "files");
    expect(await about("doctor")).toEqual([
      { about: "files", status: "ok", message: expect.stringContaining("every snapshot can be read") },
      {
        about: "files",
        status: "warning",
        message: `${workspace}: 1 restore was interrupted.`,
        hint: expect.any(String),
        fixable: true,
      },
    ]);
    expect(await about("doctor --fix")).toMatchObject([{ status: "ok" }, { status: "fixed" }]);
    expect(await about("doctor")).toMatchObject([{ status: "ok" }]);
    expect(files()).toEqual({ "a.txt": "one\n" });
  });
});
