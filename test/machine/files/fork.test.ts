import { describe, expect, it } from "vitest";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { holdSession } from "../../../src/machine/open.ts";
import { holding } from "../deps.ts";
import { beginWithFiles, promptWith, stepThat } from "./workspace.ts";

describe("a fork", () => {
  it("has the files of its checkpoints, also of the one that it was forked at, and keeps them", async () => {
    const { deps, session, files } = await beginWithFiles();
    files.write("a", "one");
    const first = await promptWith(session, "go");
    await stepThat(session, () => files.write("a", "two"));
    const second = await session.checkpoint("here");
    await stepThat(session, () => files.write("a", "three"));
    files.kept.length = 0;
    const id = await forkSession(deps, session, { at: second });
    expect(files.kept.map(({ keptFor }) => keptFor)).toEqual([
      { session: id, checkpoint: first, on: "prompt" },
      { session: id, checkpoint: second - 1, on: "step" },
      { session: id, checkpoint: second, on: "manual", label: "here" },
    ]);
    const fork = await holdSession(deps, id, holding);
    expect(await fork.filesAt(second)).toMatchObject({ state: "complete" });
    await fork.rewind({ to: second, scope: "files", author: "timeline" });
    expect(files.told).toEqual({ a: "two" });
  });

  it("takes changes on a branch that it does not have for outside changes", async () => {
    const { deps, session, files } = await beginWithFiles();
    files.write("a", "one");
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("a", "two"));
    await session.capture({ checkpoint: await session.step(), author: "timeline" });
    files.write("b", "by hand");
    await promptWith(session, "on a branch that is left");
    await session.rewind({ to, scope: "conversation" });
    await stepThat(session, () => files.write("c", "new"));
    const fork = await holdSession(deps, await forkSession(deps, session), holding);
    const { kept } = await fork.previewFiles({ to });
    expect(kept.map(({ path }) => path)).toContain("b");
  });

  it("is made also where a snapshot is gone", async () => {
    const { deps, session, files } = await beginWithFiles();
    await session.checkpoint();
    files.snapshots.clear();
    const fork = await holdSession(deps, await forkSession(deps, session), holding);
    expect(await fork.filesAt(1)).toMatchObject({ state: "let-go" });
  });
});
