import { describe, expect, it } from "vitest";
import { previewFiles } from "../../../src/machine/files/preview.ts";
import type { FileChoices } from "../../../src/machine/files/requests.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { beginWithFiles, lastOf, promptWith, stepThat, type World } from "./workspace.ts";

/** The agent changes `mine`, then the user changes `theirs`. */
async function bothAtWork(): Promise<World & { readonly to: number }> {
  const world = await beginWithFiles();
  const { session, files } = world;
  files.write("mine", "one");
  files.write("theirs", "one\n");
  const to = await promptWith(session, "go");
  await stepThat(session, () => files.write("mine", "two"));
  await session.capture({ checkpoint: await session.step(), author: "timeline" });
  files.write("theirs", "one\nby hand\n");
  return { ...world, to };
}

describe("a file that was changed outside", () => {
  it("is kept by default, and shown", async () => {
    const { session, files, to } = await bothAtWork();
    const { files: outcome } = await session.rewind({ to, scope: "files" });
    expect(files.told).toEqual({ mine: "one", theirs: "one\nby hand\n" });
    expect(outcome.paths).toEqual([
      { path: "mine", outcome: "restored" },
      { path: "theirs", outcome: "kept", why: "changed outside this session", reason: "kept-outside" },
    ]);
  });

  it("is taken when that is wanted, for all or for one", async () => {
    const wishes: readonly FileChoices[] = [{ choice: "take" }, { choices: new Map([["theirs", "take"]]) }];
    for (const request of wishes) {
      const { session, files, to } = await bothAtWork();
      await session.rewind({ to, scope: "files", ...request });
      expect(files.told).toEqual({ mine: "one", theirs: "one\n" });
    }
  });

  it("is merged when that is wanted and fits", async () => {
    const { session, files } = await beginWithFiles();
    files.write("both", "one\n");
    files.write("torn", "one\n");
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("both", "one\ntwo\n"));
    await session.capture({ checkpoint: await session.step(), author: "timeline" });
    files.write("both", "one\ntwo\nby hand\n");
    files.write("torn", "all else");
    const { files: outcome } = await session.rewind({ to, scope: "files", choice: "merge" });
    expect(files.told).toEqual({ both: "one\nby hand\n", torn: "all else" });
    expect(outcome.paths.map(({ path, outcome: what }) => [path, what])).toEqual([
      ["both", "restored"],
      ["torn", "kept"],
    ]);
  });

  it("stays a conflict over branches, restarts and journeys, until it is as it was", async () => {
    const { session, files, to } = await bothAtWork();
    await session.rewind({ to, scope: "both" });
    await stepThat(session, () => files.write("theirs", "by the agent, on top"));
    expect((await session.previewFiles({ to })).conflicts.map(({ path }) => path)).toEqual(["theirs"]);
    await session.rewind({ to, scope: "both", choice: "take" });
    expect(files.told).toEqual({ mine: "one", theirs: "one\n" });
    await stepThat(session, () => files.write("theirs", "by the agent alone"));
    expect((await session.previewFiles({ to })).conflicts).toEqual([]);
  });

  it("is not one where it is as it was", async () => {
    const { session, files, to } = await bothAtWork();
    await session.checkpoint();
    files.write("theirs", "one\n");
    const { conflicts, steps } = await session.previewFiles({ to });
    expect([conflicts, steps.map(({ path }) => path)]).toEqual([[], ["mine"]]);
  });

  it("is one also where the state in between was never captured, or is gone", async () => {
    const { session, files, to } = await bothAtWork();
    const { checkpoint } = await session.prompt("more");
    files.failing = new Error("no room");
    await session.capture({ checkpoint, author: "outside" });
    await stepThat(session, () => files.write("mine", "three"));
    expect((await session.previewFiles({ to })).conflicts.map(({ path }) => path)).toEqual(["theirs"]);
  });

  it("costs one look at each interval in which tools ran, and none at others of the timeline", async () => {
    const { session, files } = await beginWithFiles();
    const to = await promptWith(session, "go");
    for (let n = 0; n < 5; n += 1) await stepThat(session, () => files.write("a", `${n}`));
    files.write("a", "none ran");
    await session.capture({ checkpoint: await session.step(), author: "timeline" });
    files.compared.length = 0;
    await session.previewFiles({ to });
    expect(files.compared).toHaveLength(1 + 5);
  });
});

describe("an ignored file that the checkpoint does not know", () => {
  it("is deleted if this timeline created it, and kept otherwise", async () => {
    const { session, files } = await beginWithFiles();
    files.ignored.add("out");
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("out/built", "x"));
    await session.capture({ checkpoint: await session.step(), author: "timeline" });
    files.write("out/.env", "secret");
    const { kept, deletions } = await session.previewFiles({ to, choice: "take" });
    expect(deletions).toBe(1);
    expect(kept).toEqual([
      { path: "out", why: "holds-kept" },
      { path: "out/.env", why: "ignored" },
    ]);
    await session.rewind({ to, scope: "files", choice: "take" });
    expect(files.told).toEqual({ "out/.env": "secret" });
  });
});

describe("a preview", () => {
  it("changes neither files nor log, needs no lease, and says where git was", async () => {
    const { deps, session, files } = await beginWithFiles({ mode: "workspace" });
    files.gitHead = "main 1";
    files.write("a", "one");
    const to = await session.checkpoint();
    files.gitHead = "topic 2";
    files.write("a", "two");
    files.write("b", "two");
    const [before, length] = [files.told, session.outline.length];
    const view = await viewSession(deps.store, session.id);
    const preview = await previewFiles({ view, files }, { to });
    expect(preview).toMatchObject({
      deletions: 1,
      gitHead: { target: "main 1", present: "topic 2" },
      kept: [],
    });
    expect(preview.steps.map(({ path }) => path)).toEqual(["a", "b"]);
    expect(preview.conflicts.map(({ path, choice }) => [path, choice])).toEqual([
      ["a", "take"],
      ["b", "take"],
    ]);
    expect([files.told, session.outline.length, files.kept.length]).toEqual([before, length, 1]);
  });

  it("of a redo shows what the journey left, and keeps by default", async () => {
    const { session, files } = await beginWithFiles({ mode: "workspace" });
    files.write("a", "one");
    const to = await session.checkpoint();
    files.write("a", "two");
    const { journey } = await session.rewind({ to, scope: "files" });
    expect((await session.previewFiles({ journey })).steps.map(({ path }) => path)).toEqual(["a"]);
    files.write("a", "three");
    expect((await session.previewFiles({ journey })).conflicts).toMatchObject([
      { path: "a", choice: "keep" },
    ]);
    const { files: outcome } = await session.redo({ wanted: journey });
    expect([files.told, outcome.kept]).toEqual([{ a: "three" }, 1]);
    expect(await lastOf(session, "redo")).toMatchObject({ scope: "files", leftAuthor: "outside" });
  });

  it("is one also where a journey could not capture what it left", async () => {
    const { session, files, to } = await bothAtWork();
    files.failing = new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    await session.rewind({ to, scope: "conversation" });
    const entry = await lastOf(session, "rewind");
    expect([entry?.left, entry?.leftAuthor]).toEqual([undefined, "outside"]);
    await session.step();
    await session.toolStart("c", "write");
    files.write("mine", "three");
    await session.toolEnd("c", "ok", "done");
    expect((await session.previewFiles({ to })).conflicts.map(({ path }) => path)).toContain("theirs");
  });
});
