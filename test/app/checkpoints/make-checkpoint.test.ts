import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { labelCheckpoint, makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import type { Notice } from "../../../src/app/notices.ts";
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

describe("the captured files of a checkpoint", () => {
  const snapshot = expect.stringMatching(/^[0-9a-f]{64}$/u);
  const made = async (place: ReturnType<typeof workshop>) =>
    (await makeCheckpoint(frameOf(place), undefined, "test")).captured;

  it("are described by their snapshot, and by what changed since the last one that there is", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    expect(await makeCheckpoint(frameOf(place), " first ", "test")).toStrictEqual({
      session: expect.any(String),
      began: "now",
      number: 1,
      label: "first",
      captured: { state: "complete", snapshot, read: 1, gaps: [] },
      expected: "files",
    });
    place.put("a.txt", "two\n");
    const store = join(place.home, "snapshots");
    renameSync(store, `${store}-away`);
    writeFileSync(store, "");
    expect(await makeCheckpoint(frameOf(place), undefined, "test")).toMatchObject({
      number: 2,
      expected: "files",
      captured: { state: "none", reason: "read-failed" },
    });
    rmSync(store);
    renameSync(`${store}-away`, store);
    const changed = { files: 1, since: 1 };
    expect(await made(place)).toStrictEqual({ state: "complete", snapshot, read: 1, changed, gaps: [] });
    // The store keeps nothing of earlier checkpoints.
    rmSync(store, { recursive: true });
    place.put("a.txt", "three\n");
    expect(await made(place)).toStrictEqual({ state: "complete", snapshot, read: 1, gaps: [] });
  });

  it("may be partial, with the paths that are missing", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const path = tooDeep(place.workspace);
    expect(await made(place)).toStrictEqual({
      state: "partial",
      snapshot,
      read: expect.any(Number),
      gaps: [{ path, why: "path-too-long" }],
    });
  });

  it("are not expected of a workspace that is never captured", async () => {
    const frame = frameOf({ ...workshop(), workspace: "/proc" });
    expect(await makeCheckpoint(frame, undefined, "test")).toMatchObject({
      number: 1,
      expected: "none",
      captured: { state: "none", reason: expect.any(String) },
    });
  });
});

/** Creates folders that are too deep for the system, and returns the path of the first one that is left out. */
function tooDeep(workspace: string): string {
  const names = [...Array.from({ length: 16 }, () => "d".repeat(250)), "e".repeat(79)];
  const before = process.cwd();
  const within = (work: (name: string) => void) => {
    process.chdir(workspace);
    for (const name of names) work(name);
    process.chdir(before);
  };
  within((name) => {
    mkdirSync(name);
    if (name.startsWith("d")) process.chdir(name);
  });
  // The folder can only be removed from the one above it.
  onTestFinished(() => within((name) => (name.startsWith("d") ? process.chdir(name) : rmdirSync(name))));
  const paths = names.map((_, index) => names.slice(0, index + 1).join("/"));
  return paths.find((path) => join(workspace, path).length > 3_839) ?? "none is too deep";
}

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

  it("warns of a label that looks like the new one, and leaves the files of labeled checkpoints to the store", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const reported: Notice[] = [];
    const frame = frameOf(place);
    const listener = { ...frame.listener, report: (notice: Notice) => void reported.push(notice) };
    const context = { ...frame, listener };
    const { session } = await makeCheckpoint(context, "Before it", "test");
    reported.length = 0;
    await makeCheckpoint(context, "before it", "test");
    const looksAlike = { code: "label-lookalike", label: "before it", other: "Before it" };
    expect(reported).toContainEqual(looksAlike);
    reported.length = 0;
    const request = { checkpoint: `${session}:2`, text: "Before It", name: "test" };
    expect(await labelCheckpoint(context, request)).toEqual({
      session,
      number: 2,
      label: "Before It",
      before: "before it",
    });
    expect(reported).toEqual([{ code: "label-lookalike", label: "Before It", other: "Before it" }]);
    expect(await labelCheckpoint(context, { ...request, text: " " })).toEqual({
      session,
      number: 2,
      label: "",
      before: "Before It",
    });
  });
});
