import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyOf } from "../../../src/app/queries/why.ts";
import { fileInCheckpoint, mentionableFiles, withDiff } from "../../../src/app/queries/workspace-files.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { reportingContext } from "../support/reporting-context.ts";

/** Two checkpoints of a workspace with files, a link, a folder and a file that is too large to be captured. */
async function twoCheckpoints() {
  const shop = workshop();
  shop.write("user", JSON.stringify({ snapshots: { maxFileBytes: 1_000 } }));
  shop.put("a.txt", "one\n", 0o644);
  shop.put("folder/b.txt", "b\n");
  symlinkSync("ä.txt", join(shop.workspace, "link"));
  shop.put("large.bin", "x".repeat(2_000));
  shop.put("node_modules/p/index.js", "1\n");
  await shop.worldline("checkpoint");
  shop.put("a.txt", "three\n");
  await shop.worldline("checkpoint");
  const [session] = (await shop.data("sessions")).sessions as { id: string }[];
  return { ...shop, ...reportingContext({ place: shop }), id: session?.id ?? "" };
}

async function refusal(work: Promise<unknown>) {
  return work.then(
    () => "none",
    ({ reason, params }: { reason: string; params: unknown }) => ({ reason, params }),
  );
}

describe("a file in a checkpoint", () => {
  it("is its content, or the target of a link", async () => {
    const { context } = await twoCheckpoints();
    const file = await fileInCheckpoint(context, "1:a.txt");
    expect([file.path, file.state.kind, Buffer.from(file.bytes).toString(), file.found.row.number]).toEqual([
      ...["a.txt", "file", "one\n", 1],
    ]);
    const link = await fileInCheckpoint(context, "2:link");
    expect([link.path, link.state.kind, Buffer.from(link.bytes).toString()]).toEqual([
      "link",
      "link",
      "ä.txt",
    ]);
  });

  it("is refused if there is none to show", async () => {
    const { context, id } = await twoCheckpoints();
    expect(await refusal(fileInCheckpoint(context, "1:folder"))).toEqual({
      ...{ reason: "file-was-a-folder", params: { path: "folder" } },
    });
    expect(await refusal(fileInCheckpoint(context, "1:large.bin"))).toEqual({
      ...{ reason: "file-left-out", params: { path: "large.bin", why: expect.anything() } },
    });
    expect(await refusal(fileInCheckpoint(context, "1:node_modules/p/index.js"))).toEqual({
      ...{ reason: "file-left-out", params: { path: "node_modules/p/index.js", why: expect.anything() } },
    });
    expect(await refusal(fileInCheckpoint(context, "1:none.txt"))).toEqual({
      reason: "path-not-in-checkpoint",
      params: { path: "none.txt", checkpoint: `${id}:1` },
    });
  });
});

describe("the difference between two checkpoints", () => {
  const changes = async (
    at: Awaited<ReturnType<typeof twoCheckpoints>>,
    request: Parameters<typeof withDiff>[1],
  ) =>
    withDiff(at.context, request, async ({ changes: found, ends }) => ({
      paths: found.map(({ path }) => path),
      ends,
    }));

  it("is between any two, or between one and now", async () => {
    const at = await twoCheckpoints();
    const place = (number: number) => `${at.id}:${number}`;
    expect(await changes(at, { from: "1", to: " #2 " })).toEqual({
      ...{ paths: ["a.txt"], ends: { before: place(1), after: place(2) } },
    });
    expect(await changes(at, { from: "2", to: place(1) })).toEqual({
      ...{ paths: ["a.txt"], ends: { before: place(2), after: place(1) } },
    });
    for (let number = 3; number <= 10; number += 1) await at.worldline("checkpoint");
    expect((await changes(at, { from: "1", to: "10" })).ends).toEqual({ before: place(1), after: place(10) });
    await at.worldline(["label", "1", "2nd try"]);
    expect((await changes(at, { from: "2", to: "2nd try" })).ends.after).toBe(place(1));
    at.put("later.txt", "");
    expect(await changes(at, { from: "2", to: undefined })).toEqual({
      ...{ paths: ["later.txt"], ends: { before: place(2), after: null } },
    });
  });

  it("is refused for a checkpoint of another workspace", async () => {
    const at = await twoCheckpoints();
    const other = join(at.root, "other");
    mkdirSync(other);
    await at.worldline("checkpoint", { cwd: other });
    const { sessions } = JSON.parse((await at.worldline("sessions --json", { cwd: other })).stdout);
    const to = `${sessions[0].id}:1`;
    expect(await refusal(changes(at, { from: "1", to }))).toEqual({
      ...{ reason: "checkpoint-of-other-workspace", params: { given: to } },
    });
  });
});

describe("the changes of a path", () => {
  it("are those of all sessions, newest first, and of a session that was named", async () => {
    const at = await twoCheckpoints();
    const { context, id } = at;
    expect(await whyOf(context, "a.txt")).toEqual({
      path: "a.txt",
      coverage: "captured",
      state: expect.objectContaining({ kind: "file", size: 6 }),
      ignored: "no",
      asOf: expect.objectContaining({ checkpoint: 2 }),
      changes: [
        expect.objectContaining({ what: "changed", checkpoint: 2 }),
        expect.objectContaining({ what: "created", checkpoint: 1 }),
      ],
    });
    const named = reportingContext({ place: at, common: { session: id } });
    const { changes } = await whyOf(named.context, "a.txt");
    expect(changes.map(({ checkpoint, what }) => [checkpoint, what])).toEqual([
      [2, "changed"],
      [1, "created"],
    ]);
  });
});

describe("a path without a snapshot", () => {
  it("is unknown, or ignored, or a folder that is not captured", async () => {
    const at = workshop();
    const { context } = reportingContext({ place: at });
    expect(await whyOf(context, "a.txt")).toEqual({ path: "a.txt", coverage: "unknown", changes: [] });
    at.put(".gitignore", "a.txt\n");
    at.put("a.txt", "1\n");
    await at.worldline("checkpoint");
    const { context: later } = reportingContext({ place: at });
    expect(await whyOf(later, "a.txt")).toMatchObject({ coverage: "captured", ignored: "yes" });
  });
});

describe("the files that a prompt can mention", () => {
  it("are sorted, and have names that can be typed", async () => {
    const { put, workspace } = workshop();
    for (const path of ["z.txt", "a.txt", "sub/file.txt", "bell\u0007.txt"]) put(path, "");
    const environment = { PATH: process.env["PATH"] ?? "" };
    expect(await mentionableFiles(workspace, environment)).toEqual(["a.txt", "sub/file.txt", "z.txt"]);
  });
});
