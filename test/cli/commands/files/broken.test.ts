import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturedDocument, capturedText } from "../../../../src/cli/commands/checkpoints/checkpoint.ts";
import type { SnapshotId } from "../../../../src/record/ids.ts";
import { stringsFor } from "../../../../src/strings/strings.ts";
import { workshop } from "../../support/workshop.ts";

async function captured() {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  shop.put("b.txt", "two\n");
  await shop.worldline("checkpoint");
  return { ...shop, store: join(shop.home, "snapshots") };
}

describe("a store of files that cannot be opened", () => {
  async function blocked() {
    const shop = await captured();
    renameSync(shop.store, `${shop.store}-away`);
    writeFileSync(shop.store, "");
    return shop;
  }

  it("costs checkpoints their files, and nothing else", async () => {
    const { worldline, data } = await blocked();
    expect(await worldline("checkpoint")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nNo file checkpoints: .*ENOTDIR/u),
    });
    expect(await worldline("checkpoints")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("warning: Only what the log recorded about the files can be shown: "),
    });
    expect((await data("checkpoints")).checkpoints).toMatchObject([
      { number: 2, files: { state: "none" } },
      { number: 1, files: { state: "complete" } },
    ]);
  });

  it("fails a rewind, since only files could go back here", async () => {
    const { worldline, data } = await blocked();
    expect(await worldline("rewind 1")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /ENOTDIR.*\nhint: .*Choose another checkpoint: .* --scope conversation\n$/u,
      ),
    });
    await worldline("checkpoint");
    expect(await data("rewind 2")).toMatchObject({ error: { code: "REWIND_REFUSED" } });
  });

  it("makes a checkpoint that cannot be rewound to", async () => {
    const { worldline, data, store } = await blocked();
    const { session } = await data("checkpoint");
    rmSync(store);
    renameSync(`${store}-away`, store);
    expect(await data("rewind 2")).toEqual({
      error: {
        code: "REWIND_REFUSED",
        reason: "rewind-files-unusable",
        params: {
          session,
          checkpoint: 2,
          mode: "workspace",
          problem: { code: "REWIND_REFUSED", reason: "files-not-captured", params: { checkpoint: 2 } },
        },
        message: "The files for checkpoint 2 were not captured.",
        hint: expect.stringMatching(
          /^Nothing was changed\. Choose another checkpoint: worldline checkpoints\. /u,
        ),
      },
    });
    expect(await worldline("rewind 2 --setting enableFileCheckpointing=false")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error: Checkpoint feature not enabled\n"),
    });
  });

  it("fails commands that need files", async () => {
    const { worldline } = await blocked();
    expect(await worldline("rewind 1 --scope files")).toMatchObject({ code: 1, stdout: "" });
    expect(await worldline("show 1:a.txt")).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("a content that is damaged", () => {
  it("fails that one path, with exit code 1", async () => {
    const shop = await captured();
    mkdirSync(join(shop.workspace, "d"));
    shop.remove("a.txt");
    shop.remove("b.txt");
    const segments = join(shop.store, "segments");
    for (const name of readdirSync(segments).filter((each) => each.endsWith(".seg"))) {
      const bytes = readFileSync(join(segments, name));
      const at = bytes.indexOf("two\n");
      bytes[at] = 0;
      if (at >= 0) writeFileSync(join(segments, name), bytes);
    }
    const { code, stdout } = await shop.worldline("rewind 1");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Restored in part: .*\nFiles: 0 restored, 1 created, 0 kept, 1 failed\n {2}failed {2}b\.txt {2}\(/u,
    );
    expect(shop.files()).toEqual({ "a.txt": "one\n" });
  });
});

describe("settings that cannot be read", () => {
  it("do not hide the checkpoints", async () => {
    const { worldline, write } = await captured();
    write("user", "{ nope");
    expect(await worldline("checkpoints")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^#1 .* captured /u),
    });
  });
});

describe("what was captured in part", () => {
  const snapshot = "s" as SnapshotId;
  const gaps = [
    { path: "key\xff", why: "unreadable" },
    { path: "log", why: "changing" },
  ] as const;

  it("is named path by path", () => {
    expect(capturedText({ state: "partial", snapshot, read: 3, gaps }, stringsFor("en"))).toEqual([
      "Files partly captured, but 2 paths are missing:",
      "  key\\xff: could not be read",
      "  log: kept changing while it was being read",
    ]);
    expect(capturedDocument({ state: "partial", snapshot, read: 3, gaps })).toEqual({
      state: "partial",
      snapshot,
      read: 3,
      changed: null,
      gaps: [
        { path: "key\\xff", bytes: "a2V5/w==", why: "unreadable" },
        { path: "log", why: "changing" },
      ],
    });
  });
});
