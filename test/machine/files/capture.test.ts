import { describe, expect, it } from "vitest";
import { filesAt } from "../../../src/machine/files/look.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { begin, openSessionDeps, refusal } from "../deps.ts";
import { beginWithFiles, lastOf } from "./workspace.ts";

describe("capturing a checkpoint's files", () => {
  it("writes the snapshot after the checkpoint, which is pending until then", async () => {
    const { session, files } = await beginWithFiles();
    files.gitHead = "main 1a2b3c";
    const { checkpoint } = await session.prompt("go");
    expect(await session.filesAt(checkpoint)).toEqual({ state: "pending" });
    const made = await session.capture({ checkpoint, author: "outside" });
    expect(made).toMatchObject({ state: "complete", gitHead: "main 1a2b3c" });
    const entry = await lastOf(session, "snapshot");
    expect(entry).toMatchObject({ checkpoint, state: "complete", author: "outside", gitHead: "main 1a2b3c" });
    expect(await session.filesAt(checkpoint)).toEqual({
      state: "complete",
      snapshot: entry?.snapshot,
      line: entry?.seq,
      gitHead: "main 1a2b3c",
    });
    expect(files.kept).toEqual([
      { keptFor: { session: session.id, checkpoint, on: "prompt" }, snapshot: entry?.snapshot },
    ]);
  });

  it("says how many paths are missing, and names the first", async () => {
    const { session, files } = await beginWithFiles();
    for (const name of ["a", "b", "c", "d"]) files.put(name, { kind: "left-out", why: "unreadable" });
    const number = await session.checkpoint();
    expect(await session.filesAt(number)).toMatchObject({
      state: "partial",
      why: "4 paths could not be captured: a (unreadable), b (unreadable), c (unreadable), …",
    });
  });

  it("that fails is recorded as none, and stops nothing", async () => {
    const { session, files } = await beginWithFiles();
    files.failing = new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    const number = await session.checkpoint("here");
    expect(await session.filesAt(number)).toEqual({
      state: "none",
      why: "There is no room.",
      reason: "stated",
      params: { code: "STORE_FULL", message: "There is no room." },
    });
    expect(await refusal(session.rewind({ to: number, scope: "files" }))).toBe(
      `REWIND_REFUSED The files for checkpoint ${number} were not captured: There is no room.`,
    );
    await session.capture({ checkpoint: number, author: "outside" });
    expect(await session.filesAt(number)).toMatchObject({ state: "complete" });
  });

  it("that is cancelled says so, and leaves the checkpoint pending", async () => {
    const { session } = await beginWithFiles();
    const signal = AbortSignal.abort();
    expect(await refusal(session.checkpoint(undefined, { signal }))).toContain("CANCELLED");
    expect(await session.filesAt(1)).toEqual({ state: "pending" });
  });

  it("tells how far it is", async () => {
    const { session } = await beginWithFiles();
    const told: string[] = [];
    await session.checkpoint(undefined, { onProgress: ({ doing }) => told.push(doing) });
    expect(told).toEqual(["capture"]);
  });

  it("knows when the store has let it go", async () => {
    const { deps, session, files } = await beginWithFiles();
    const number = await session.checkpoint();
    const snapshot = (await lastOf(session, "snapshot"))?.snapshot;
    files.snapshots.clear();
    expect(await session.filesAt(number)).toEqual({ state: "let-go", snapshot });
    expect(await refusal(session.rewind({ to: number, scope: "both" }))).toContain("are no longer kept");
    const view = await viewSession(deps.store, session.id);
    expect(await filesAt(view, undefined, number)).toMatchObject({ state: "complete", snapshot });
  });

  it("tells the store what checkpoints are called", async () => {
    const { session, files } = await beginWithFiles();
    const number = await session.checkpoint("before lunch");
    expect(files.kept[0]?.keptFor).toMatchObject({ checkpoint: number, on: "manual", label: "before lunch" });
    await session.label(number, "after lunch");
    await session.label(number, "");
    expect(files.labels).toEqual([`${session.id} ${number} after lunch`, `${session.id} ${number} `]);
  });
});

describe("a session without files", () => {
  it("captures nothing, writes nothing about it, and rewinds the conversation alone", async () => {
    const session = await begin(openSessionDeps());
    const number = await session.checkpoint();
    expect(session.hasFiles).toBe(false);
    expect(await session.capture({ checkpoint: number, author: "outside" })).toEqual({ state: "no-files" });
    expect(await session.filesAt(number)).toEqual({ state: "pending" });
    expect(session.outline.linesOf("snapshot")).toEqual([]);
    expect(await refusal(session.rewind({ to: number, scope: "both" }))).toBe(
      "REWIND_REFUSED Files are not captured in this session.",
    );
    expect(await refusal(session.previewFiles({ to: number }))).toContain("REWIND_REFUSED");
  });

  it("is one of another folder than the files", async () => {
    const { deps } = await beginWithFiles();
    expect((await begin(deps, { workspace: "/elsewhere" })).hasFiles).toBe(false);
  });
});
