import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

describe("worldline checkpoint, of files", () => {
  it("captures the workspace, and says how many files changed since the last one", async () => {
    const { put, text, data } = workshop();
    put("a.txt", "one\n");
    put("src/b.txt", "two\n");
    expect(await text("checkpoint")).toMatch(
      /^Checkpoint #1 in session .*\nFiles captured: 2 files read\n$/u,
    );
    put("c.txt", "three\n");
    put("src/b.txt", "other\n");
    expect(await text("checkpoint")).toMatch(/\nFiles captured: 2 files changed since #1\n$/u);
    expect(await text("checkpoint")).toMatch(/\nFiles captured: no files changed since #2\n$/u);
    const { files } = await data("checkpoint");
    expect(files).toEqual({
      state: "complete",
      snapshot: expect.stringMatching(/^[0-9a-f]{64}$/u),
      read: expect.any(Number),
      changed: { files: 0, since: 3 },
      gaps: [],
    });
  });

  it("names what it could not capture, and why it has none", async () => {
    const { put, text, data } = workshop();
    put("a.txt", "one\n");
    expect(await text("checkpoint --setting enableFileCheckpointing=false")).toMatch(
      /\nNo file checkpoints: Checkpoint feature not enabled\n$/u,
    );
    const { checkpoints } = await data("checkpoints");
    expect(checkpoints[0].files).toEqual({ state: "none" });
  });

  it("goes without files in the home folder, and says so", async () => {
    const { worldline } = workshop();
    const { code, stdout } = await worldline(["checkpoint", "--workspace", homedir(), "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).files).toMatchObject({
      state: "none",
      why: expect.stringContaining("home folder"),
      reason: expect.any(String),
    });
  });

  it("is cancelled by Ctrl-C, and claims no files", async () => {
    const { put, worldline, data } = workshop();
    put("a.txt", "one\n");
    const cancelled = AbortSignal.abort();
    expect(await worldline("checkpoint", { cancelled })).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/anceled/u),
    });
    const { checkpoints } = await data("checkpoints");
    expect(checkpoints.map(({ files }: { files: unknown }) => files)).toEqual([{ state: "none" }]);
  });
});

describe("worldline checkpoints, of files", () => {
  it("says of each what became of its files, and how much has changed since", async () => {
    const { put, remove, text, data, worldline } = workshop();
    put("a.txt", "one\n");
    put("b.txt", "two\n");
    await worldline("checkpoint");
    put("a.txt", "other\n");
    remove("b.txt");
    await worldline("checkpoint");
    const lines = (await text("checkpoints")).split("\n").map((line) => line.split(/ {2,}/u)[3]);
    expect(lines).toEqual(["captured", "captured, 2 changes since", undefined]);
    const { checkpoints } = await data("checkpoints");
    expect(checkpoints.map(({ files }: { files: object }) => files)).toEqual([
      { state: "complete", snapshot: expect.any(String), changedSince: 0 },
      { state: "complete", snapshot: expect.any(String), changedSince: 2 },
    ]);
  });

  it("counts from the current files, also after going back and forth", async () => {
    const { put, data, worldline } = workshop();
    const changes = async () =>
      (await data("checkpoints")).checkpoints.map(
        ({ files }: { files: { changedSince: number } }) => files.changedSince,
      );
    put("a.txt", "one\n");
    await worldline("checkpoint");
    put("a.txt", "two\n");
    put("b.txt", "two\n");
    await worldline("checkpoint");
    await worldline("rewind 1");
    expect(await changes()).toEqual([2, 0]);
    await worldline("redo");
    expect(await changes()).toEqual([0, 2]);
  });
});
