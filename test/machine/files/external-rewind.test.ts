import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/machine/session.ts";
import type { FileRewinder } from "../../../src/ports/file-rewinder.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { outcomesIn } from "../../../src/travel/logged-files.ts";
import { afterCrash, begin, openSessionDeps, refusal } from "../deps.ts";
import { Killed } from "../memory-workspace.ts";
import { beginAtHome, put, writes } from "./outside/outside-world.ts";
import { hostPrompt, TestRewinder, toolThat } from "./rewinder.ts";
import { beginWithFiles, lastOf, stepThat, type World } from "./workspace.ts";

const UNTRACKED =
  "not in the agent's own file checkpoints, which omit changes made by commands and sub-agents";

interface Told extends World {
  readonly to: number;
  readonly rewinder: TestRewinder;
}

/**
 * A prompt whose tool call wrote `a` and `b`, which the other agent's checkpoints cover, and `shell`, which they
 * do not.
 */
async function told(): Promise<Told> {
  const world = await beginWithFiles();
  const { session, files } = world;
  files.write("a", "one");
  const to = await hostPrompt(session, "write", "u1");
  await toolThat(session, "c1", () => {
    files.write("a", "two");
    files.write("b", "new");
    files.write("shell", "made by a command");
  });
  const rewinder = new TestRewinder(files, { u1: { a: "one", b: undefined } });
  return { ...world, to, rewinder };
}

describe("the preview of a rewind through another agent's checkpoints", () => {
  it("names what the other agent would change, what stays, and its limits", async () => {
    const { session, files, to, rewinder } = await told();
    const preview = await session.previewFiles({ to, rewinder });
    expect(preview).toMatchObject({
      steps: [
        { path: "a", before: files.file("two"), after: files.file("one") },
        { path: "b", before: files.file("new"), after: undefined },
      ],
      kept: [{ path: "shell", why: "untracked" }],
      conflicts: [],
      deletions: 1,
      through: { name: "other agent", limits: ["commands", "overwrites"], undo: "captured" },
    });
    expect(rewinder.asked).toEqual(["preview s1 u1"]);
    expect(files.told).toEqual({ a: "two", b: "new", shell: "made by a command" });
  });

  it("does not claim to know what becomes of a path without a snapshot of ours", async () => {
    const { session, files } = await beginWithFiles();
    const { checkpoint: to } = await session.prompt("write", host("u1"));
    files.write("a", "two");
    const rewinder = new TestRewinder(files, { u1: { a: "one" } });
    const { steps, kept, target } = await session.previewFiles({ to, rewinder });
    expect({ steps, kept, target }).toEqual({
      steps: [{ path: "a", before: files.file("two"), after: { kind: "left-out", why: "unreadable" } }],
      kept: [],
      target: undefined,
    });
  });
});

describe("a rewind through another agent's checkpoints", () => {
  it("takes back what the other agent knows, lists what it does not, and is undone by our snapshots", async () => {
    const { session, files, to, rewinder } = await told();
    const { files: outcome } = await session.rewind({ to, scope: "both", rewinder: rewinder });
    expect(files.told).toEqual({ a: "one", shell: "made by a command" });
    expect(outcome).toEqual({
      paths: [
        { path: "a", outcome: "restored" },
        { path: "b", outcome: "restored", detail: "removed" },
        { path: "shell", outcome: "kept", why: UNTRACKED, reason: "kept-untracked" },
      ],
      ...{ restored: 1, created: 0, removed: 1, merged: 0, kept: 1, notRestorable: 0, failed: 0 },
      differ: [],
      through: { name: "other agent", undo: "captured" },
    });
    expect(await lastOf(session, "rewind")).toMatchObject({ to, scope: "both", through: "claude" });
    expect(await lastOf(session, "restored")).toMatchObject({ restored: 1, removed: 1, kept: 1, failed: 0 });
    expect((await lastOf(session, "notice"))?.text).toContain("The user had the other agent rewind files");
    await session.redo();
    expect(files.told).toEqual({ a: "two", b: "new", shell: "made by a command" });
  });

  it("finds out by looking what was not taken back, although it was not reported", async () => {
    const { session, files, to, rewinder } = await told();
    rewinder.broken.add("a");
    const { files: outcome } = await session.rewind({ to, scope: "files", rewinder: rewinder });
    expect(files.told).toEqual({ a: "two", shell: "made by a command" });
    expect(outcome.paths).toEqual([
      {
        path: "a",
        outcome: "failed",
        why: "its backup is missing, or it could not be written",
        reason: "path-backup-missing",
      },
      { path: "b", outcome: "restored", detail: "removed" },
      { path: "shell", outcome: "kept", why: UNTRACKED, reason: "kept-untracked" },
    ]);
  });

  it("says of a file that came back otherwise than it was that it did", async () => {
    const { session, files, to } = await told();
    const rewinder = new TestRewinder(files, { u1: { a: "later" } });
    const { files: outcome } = await session.rewind({ to, scope: "files", rewinder: rewinder });
    expect(outcome.paths[0]).toEqual({
      path: "a",
      outcome: "restored",
      why: "not as it was at the checkpoint: the agent's own checkpoints have only a later version",
      reason: "path-known-later",
    });
  });

  it("that fails is a journey whose paths failed, with why and what else can be done", async () => {
    const { session, files, to, rewinder } = await told();
    rewinder.broken.add("a").add("b");
    rewinder.failing = { on: "rewind", error: missing() };
    const { files: outcome } = await session.rewind({ to, scope: "files", rewinder: rewinder });
    expect(files.told).toEqual({ a: "two", b: "new", shell: "made by a command" });
    expect(outcome).toMatchObject({ restored: 0, failed: 2, kept: 1 });
    expect(outcome.through?.trouble).toMatchObject({
      code: "SNAPSHOT_MISSING",
      message: "Its backups are gone.",
      hint: `Look for them. Worldline has its own snapshot for checkpoint ${to}. To use it, run: worldline config set snapshots.engine worldline`,
    });
    expect(outcomesIn((await lastOf(session, "restored"))?.paths ?? "")[0]).toEqual({
      path: "a",
      outcome: "failed",
      why: "Its backups are gone.",
      reason: "host-rewind-failed",
      params: expect.objectContaining({ code: "SNAPSHOT_MISSING", checkpoint: 1 }),
    });
  });

  it("looks by itself at what our snapshots leave out", async () => {
    const { session, files, to } = await told();
    files.put("large", { kind: "left-out", why: "ignored" });
    const rewinder = new TestRewinder(files, { u1: { a: "one", "large/x": "one" } });
    rewinder.broken.add("large/x");
    const { files: outcome } = await session.rewind({ to, scope: "files", rewinder: rewinder });
    expect(outcome.paths.filter(({ outcome: each }) => each !== "kept")).toEqual([
      {
        path: "/work/large/x",
        outcome: "failed",
        why: "its backup is missing, or it could not be written",
        reason: "path-backup-missing",
      },
      { path: "a", outcome: "restored" },
    ]);
  });

  it("is refused before anything is written if the other agent cannot do it", async () => {
    const { session, to, rewinder } = await told();
    rewinder.failing = { on: "preview", error: missing() };
    expect(await refusal(session.rewind({ to, scope: "both", rewinder: rewinder }))).toContain(
      "SNAPSHOT_MISSING",
    );
    expect(session.outline.linesOf("rewind")).toEqual([]);
  });

  it.each(["step", "manual", "native"] as const)(
    "is refused for a checkpoint that is a %s one",
    async (kind) => {
      const { session, files, rewinder } = await told();
      const to = await checkpointOf(session, kind, () => files.write("a", "three"));
      const request = { to, scope: "files", rewinder } as const;
      await expect(session.rewind(request)).rejects.toMatchObject({
        code: "REWIND_REFUSED",
        hint: expect.stringContaining("Choose a checkpoint that was created before a prompt"),
      });
      expect(rewinder.asked).toEqual([]);
    },
  );

  it("is refused if files are chosen, which the other agent does not support", async () => {
    const { session, to, rewinder } = await told();
    const request = { to, scope: "files", rewinder, only: ["a"] } as const;
    expect(await refusal(session.rewind(request))).toContain("INPUT_INVALID");
  });

  it("is refused where it knows of nothing, and says what our own snapshots would take back", async () => {
    const { session, files, to } = await told();
    const request = { to, scope: "files", rewinder: new TestRewinder(files, {}) } as const;
    await expect(session.rewind(request)).rejects.toMatchObject({
      code: "REWIND_REFUSED",
      message: `The other agent has no record of a file that differs from checkpoint ${to}.`,
      hint: expect.stringContaining("However, 3 paths differ from the checkpoint."),
    });
  });

  it("leaves the files to our snapshots where only the conversation goes", async () => {
    const { session, to, rewinder } = await told();
    await session.rewind({ to, scope: "conversation", rewinder: rewinder });
    expect([rewinder.asked, (await lastOf(session, "rewind"))?.through]).toEqual([[], undefined]);
  });

  it("works where nothing is captured, and says that it cannot be undone", async () => {
    const { files } = await beginWithFiles();
    const session = await begin(openSessionDeps());
    const { checkpoint: to } = await session.prompt("write", host("u1"));
    const rewinder = new TestRewinder(files, { u1: { a: "one" } });
    expect(await session.previewFiles({ to, rewinder })).toMatchObject({
      through: { undo: "not-captured" },
    });
    const { files: outcome } = await session.rewind({ to, scope: "both", rewinder: rewinder });
    expect([outcome.through?.undo, files.told]).toEqual(["not-captured", { a: "one" }]);
    expect(await refusal(session.redo())).toContain("REWIND_REFUSED");
    await session.redo({ scope: "conversation" });
  });
});

describe("a rewind through another agent's checkpoints, of files where no snapshot reaches,", () => {
  it("keeps what it leaves, and is undone", async () => {
    const { session, at, told: saved } = await beginAtHome();
    put(at("known"), "one");
    put(at("other"), "theirs");
    const { checkpoint: to } = await session.prompt("go", host("u1"));
    await writes(session, [at("known"), "two"]);
    const through: FileRewinder = {
      ...{ host: "claude", name: "other agent", limits: [] },
      preview: async () => ({ paths: [at("other"), at("known")] }),
      rewind: async () => {
        put(at("known"), "one");
        put(at("other"), "overwritten");
      },
    };
    const { files: outcome } = await session.rewind({ to, scope: "files", rewinder: through });
    expect(outcome).toMatchObject({ restored: 2, failed: 0, through: { undo: "captured" } });
    await session.redo({ choice: "take" });
    expect([saved("known"), saved("other")]).toEqual(["two 644", "theirs 644"]);
  });
});

describe("a rewind through another agent's checkpoints that a crash cut off", () => {
  it("is looked at when the session is opened, once, and can be undone", async () => {
    const { deps, session, files, to, rewinder } = await told();
    rewinder.broken.add("b");
    rewinder.failing = { on: "rewind", error: new Killed() };
    await expect(session.rewind({ to, scope: "both", rewinder: rewinder })).rejects.toThrow(Killed);
    const again = await afterCrash(deps, session.id);
    const journey = (await lastOf(again, "rewind"))?.id;
    const why = "the rewind was interrupted before it reached this path, or did not include the path";
    const paths = [
      { path: "a", outcome: "restored" },
      { path: "b", outcome: "kept", why, reason: "kept-cut-off" },
      { path: "shell", outcome: "kept", why, reason: "kept-cut-off" },
    ];
    expect(again.settled).toEqual({ restores: [{ session: session.id, journey, paths }] });
    const once = await afterCrash(deps, session.id);
    expect(once.settled).toEqual({ restores: [] });
    await once.redo();
    expect(files.told).toEqual({ a: "two", b: "new", shell: "made by a command" });
  });

  it("does not take for its own what others have changed since", async () => {
    const { deps, session, files, to, rewinder } = await told();
    rewinder.failing = { on: "rewind", error: new Killed() };
    await expect(session.rewind({ to, scope: "both", rewinder: rewinder })).rejects.toThrow(Killed);
    files.write("a", "by hand");
    const again = await afterCrash(deps, session.id);
    expect((await lastOf(again, "restored"))?.snapshot).toBeUndefined();
    await again.redo();
    expect(files.told).toMatchObject({ a: "by hand" });
  });
});

function host(message: string): { kind: "host"; host: string; hostSession: string; message: string } {
  return { kind: "host", host: "claude", hostSession: "s1", message };
}

async function checkpointOf(
  session: Session,
  kind: "step" | "manual" | "native",
  work: () => void,
): Promise<number> {
  if (kind === "step") return stepThat(session, work);
  if (kind === "manual") return session.checkpoint();
  return (await session.prompt("for ours")).checkpoint;
}

function missing(): WorldlineError {
  return new WorldlineError("stated", {
    code: "SNAPSHOT_MISSING",
    message: "Its backups are gone.",
    hint: "Look for them.",
  });
}
