import { chmodSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { labelCheckpoint, makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn } from "../journeys/open-workshop.ts";

describe("making a checkpoint", () => {
  it("counts files that changed, and neither folders nor what was only touched", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    place.put("run.sh", "true\n");
    place.put("folder/b.txt", "b\n");
    const frame = frameOf(place);
    const first = await makeCheckpoint(frame, undefined, "test");
    expect(first).toMatchObject({ began: "now", number: 1, captured: { state: "complete", read: 3 } });
    place.put("a.txt", "two\n");
    chmodSync(join(place.workspace, "run.sh"), 0o755);
    chmodSync(join(place.workspace, "folder"), 0o700);
    mkdirSync(join(place.workspace, "new"));
    utimesSync(join(place.workspace, "folder/b.txt"), 1, 1);
    expect(await makeCheckpoint(frame, "later", "test")).toMatchObject({
      ...{ session: first.session, began: "before", number: 2, label: "later", expected: "files" },
      captured: { state: "complete", changed: { files: 2, since: 1 } },
    });
  });

  it("expects no files where they are switched off", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const made = await makeCheckpoint(frameOf(place), undefined, "test");
    expect(made).toMatchObject({
      expected: "none",
      captured: { state: "none", reason: "checkpointing-off" },
    });
  });
});

describe("the number of files that changed since a row of the list", () => {
  it("counts files that changed, and neither folders nor what was only touched", async () => {
    const { journeys, session, put, workspace } = await openWorkshop();
    put("a.txt", "one\n");
    put("folder/b.txt", "b\n");
    const number = await turn(session(), "change it", () => put("a.txt", "two\n"));
    chmodSync(join(workspace, "folder"), 0o700);
    utimesSync(join(workspace, "folder/b.txt"), 1, 1);
    expect(await journeys.changedSince({ session: session().id, number })).toBe(1);
  });
});

describe("labeling a checkpoint", () => {
  it("writes nothing if it has the label already", async () => {
    const place = workshop();
    const frame = frameOf(place);
    await makeCheckpoint(frame, "here", "test");
    const before = place.everything();
    const wanted = { checkpoint: "1", text: " here ", name: "test" };
    expect(await labelCheckpoint(frame, wanted)).toMatchObject({ number: 1, label: "here", before: "here" });
    expect(place.everything()).toEqual(before);
    expect(await labelCheckpoint(frame, { ...wanted, text: "" })).toMatchObject({
      label: "",
      before: "here",
    });
  });
});
