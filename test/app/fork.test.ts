import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ForkRequest, makeFork } from "../../src/app/fork.ts";
import { type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt } from "./support/context-at.ts";

const request: ForkRequest = {
  at: undefined,
  files: "keep",
  into: undefined,
  where: "there",
  decide: () => expect.unreachable(),
};

/** A workspace's own session with two checkpoints of a file, which has changed since. */
async function recorded() {
  const place = workshop();
  place.put("a.txt", "one\n");
  place.put("in/b.txt", "b\n");
  const { session } = await place.data("checkpoint");
  place.put("a.txt", "two\n");
  await place.data("checkpoint");
  place.put("a.txt", "three\n");
  const { context, notices } = contextAt(place, { common: { session } });
  return { ...place, session, context, notices };
}

const checkpointsOf = async ({ data }: Workshop, session: string) =>
  (await data(`checkpoints --session ${session}`)).checkpoints.map(
    ({ number, files }: { number: number; files: { state: string } }) => [number, files.state],
  );

describe("the options of a fork", () => {
  const here = { where: "here" } as const;
  const restore = { files: "restore" } as const;
  it.each<[Partial<ForkRequest>, string]>([
    [{ ...here, at: "1", into: "new" }, "here-keeps-files"],
    [{ ...here, at: "1", ...restore }, "here-keeps-files"],
    [{ at: "1", into: "new", ...restore }, "into-keeps-workspace"],
    [{ into: "new" }, "which-checkpoints-files"],
    [restore, "which-checkpoints-files"],
  ])("must not contradict each other: %j", async (given, reason) => {
    const place = workshop();
    const { context } = contextAt(place);
    await expect(makeFork(context, { ...request, ...given })).rejects.toMatchObject({ reason });
    expect(place.files(place.root)).toEqual({ workspace: "/" });
  });
});

describe("a fork", () => {
  it("begins at the head, or at a checkpoint, and leaves the files as they are", async () => {
    const place = await recorded();
    const whole = await makeFork(place.context, request);
    expect(whole).toEqual({
      source: { view: expect.objectContaining({ id: place.session }), number: undefined },
      fork: expect.objectContaining({ id: expect.not.stringMatching(place.session) }),
    });
    expect(whole.fork.header).toMatchObject({ workspace: place.workspace, mode: "workspace" });
    expect(await checkpointsOf(place, whole.fork.id)).toEqual([
      [2, "complete"],
      [1, "complete"],
    ]);
    const short = await makeFork(place.context, { ...request, at: "1" });
    expect(short).toEqual({
      source: { view: expect.objectContaining({ id: place.session }), number: 1 },
      fork: expect.anything(),
    });
    expect(await checkpointsOf(place, short.fork.id)).toEqual([[1, "complete"]]);
    expect(place.files()).toMatchObject({ "a.txt": "three\n" });
  });

  it("can be created if files are not captured", async () => {
    const { home, workspace, session } = await recorded();
    const off = { enableFileCheckpointing: "false" };
    const { context } = contextAt({ home, workspace }, { common: { session, settings: off } });
    expect((await makeFork(context, { ...request, at: "1" })).source.number).toBe(1);
    const restoring = makeFork(context, { ...request, at: "1", files: "restore" });
    await expect(restoring).rejects.toMatchObject({ reason: "checkpointing-off" });
  });

  it("keeps its checkpoints' files even if those of the source are removed", async () => {
    const place = await recorded();
    const { fork } = await makeFork(place.context, request);
    await place.worldline(`sessions delete ${place.session}`);
    await place.worldline("sessions delete --empty-trash --yes");
    await place.worldline("store gc --yes");
    expect(await place.data("store verify")).toMatchObject({ sound: true });
    expect((await place.worldline(`rewind ${fork.id}:1 --yes`)).code).toBe(0);
    expect(place.files()).toMatchObject({ "a.txt": "one\n" });
  });

  it("gets its own workspace with all files of the checkpoint", async () => {
    const place = await recorded();
    const forked = await makeFork(place.context, { ...request, at: "1", into: "../copy" });
    const folder = join(realpathSync(place.root), "copy");
    expect(forked).toEqual({
      source: { view: expect.objectContaining({ id: place.session }), number: 1 },
      fork: expect.anything(),
      folder,
      exported: 3,
    });
    expect(forked.fork.header.workspace).toBe(folder);
    expect(place.files(folder)).toEqual({ "a.txt": "one\n", in: "/", "in/b.txt": "b\n" });
    expect(place.files()).toMatchObject({ "a.txt": "three\n" });
  });

  it("is not created if its workspace cannot be written, or its files are unknown", async () => {
    const place = await recorded();
    const sessions = async () => (await place.data("sessions list --all")).sessions.length;
    const before = await sessions();
    const refused = makeFork(place.context, { ...request, at: "1", into: "." });
    await expect(refused).rejects.toMatchObject({ reason: "export-folder-not-empty" });
    expect(await sessions()).toBe(before);
  });

  it("works in the folder that the user is in, which is named unless it is the session's own", async () => {
    const place = await recorded();
    const source = { view: expect.objectContaining({ id: place.session }), number: undefined };
    const own = await makeFork(place.context, { ...request, where: "here" });
    expect(own).toEqual({ source, fork: expect.anything() });
    const workspace = join(place.root, "elsewhere");
    mkdirSync(workspace);
    const { context } = contextAt({ ...place, workspace }, { common: { session: place.session } });
    const elsewhere = await makeFork(context, { ...request, where: "here" });
    expect(elsewhere).toEqual({ source, fork: expect.anything(), folder: workspace });
    expect(elsewhere.fork.header.workspace).toBe(workspace);
  });

  it("restores the workspace to where it begins, once the user has seen the effect", async () => {
    const place = await recorded();
    const shown: unknown[] = [];
    const forked = await makeFork(place.context, {
      ...request,
      at: "1",
      files: "restore",
      decide: async ({ steps, conflicts, consent }) => {
        shown.push({ steps, conflicts, consent, now: place.files()["a.txt"] });
      },
    });
    expect(shown).toMatchObject([
      {
        steps: [{ path: "a.txt", what: "changed" }],
        conflicts: "expected",
        consent: "given",
        now: "three\n",
      },
    ]);
    expect(forked).toMatchObject({ source: { number: 1 }, files: { chosen: {}, conflicts: "expected" } });
    expect(Object.keys(forked).sort()).toEqual(["files", "fork", "outcome", "source"]);
    expect(forked.outcome).toEqual({
      ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
      differ: [],
      paths: [{ path: "a.txt", outcome: "restored" }],
    });
    expect(place.files()).toMatchObject({ "a.txt": "one\n" });
  });

  it("is not created if the user declines the effect", async () => {
    const place = await recorded();
    const declined = makeFork(place.context, {
      ...request,
      at: "1",
      files: "restore",
      decide: () => Promise.reject(new Error("declined")),
    });
    await expect(declined).rejects.toThrow("declined");
    expect((await place.data("sessions list --all")).sessions).toHaveLength(1);
    expect(place.files()).toMatchObject({ "a.txt": "three\n" });
  });
});
