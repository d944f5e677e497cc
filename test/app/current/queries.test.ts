import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiffRequest } from "../../../src/app/queries/query-types.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { patchOf } from "../../../src/show/patch.ts";
import { en } from "../../../src/strings/en.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn, usage } from "../journeys/open-workshop.ts";

describe("a page of the conversation", () => {
  it("is the end of the branch, or what comes before an entry, oldest first", async () => {
    const { looking, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    const all = (await session().history()).map(({ id }) => id);
    const end = await looking.page({ count: 4 });
    expect(end.entries.map(({ id }) => id)).toEqual(all.slice(-4));
    expect(end.more).toBe("yes");
    const before = await looking.page({ before: end.entries[0]?.id as EntryId, count: 100 });
    expect([...before.entries, ...end.entries].map(({ id }) => id)).toEqual(all);
    expect(before.more).toBe("no");
    await expect(looking.page({ before: "nowhere" as EntryId, count: 1 })).rejects.toMatchObject({
      code: "ENTRY_UNKNOWN",
    });
  });
});

describe("the tree", () => {
  it("has what people asked and ran, the places they named, and journeys, as data", async () => {
    const { looking, journeys, session, put } = await openWorkshop();
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    await turn(session(), "now\nwrite a test", () => put("b.txt", "1\n"));
    await session().label(1, "start");
    await journeys.rewind({ session: session().id, number: 4, scope: "both" });
    await journeys.save(undefined);
    const rows = await looking.tree();
    const start = { label: "start", number: 1, branch: "here", isHead: false };
    expect(
      rows.map(({ what, number, label, branch, isHead }) => ({ what, number, label, branch, isHead })),
    ).toEqual([
      { what: { kind: "beginning" }, number: undefined, label: undefined, branch: "here", isHead: false },
      { what: { kind: "prompt", text: "find the leak" }, ...start },
      {
        what: { kind: "prompt", text: "now write a test" },
        ...{ number: 4, label: undefined, branch: "left", isHead: false },
      },
      {
        what: { kind: "end", by: "rewind", to: 4, entries: 11 },
        ...{ number: 6, label: undefined, branch: "left", isHead: false },
      },
      {
        what: { kind: "rewind", to: 4, scope: "both" },
        ...{ number: undefined, label: undefined, branch: "here", isHead: false },
      },
      { what: { kind: "checkpoint" }, number: 7, label: undefined, branch: "here", isHead: true },
    ]);
    expect(rows[2]).toMatchObject({ hang: "last", rails: [] });
    const [journey] = await session().journeys();
    expect(rows.map(({ go }) => go)).toEqual([
      { by: "rewind", to: 1 },
      { by: "rewind", to: 1 },
      { by: "rewind", to: 4 },
      { by: "redo", journey: journey?.entry.id },
      { by: "rewind", to: 7 },
      { by: "rewind", to: 7 },
    ]);
  });

  it("leads to the end of another branch: the conversation and the files as they were when it was left", async () => {
    const { looking, journeys, session, put, files } = await openWorkshop();
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    const context = await session().context();
    // A manual edit after the last checkpoint, so no checkpoint holds it.
    put("a.txt", "2\n");
    const { id } = session();
    await journeys.rewind({ session: id, number: 1, scope: "conversation" });
    await turn(session(), "write a test", () => put("b.txt", "1\n"));
    const end = (await looking.tree()).find(({ what }) => what.kind === "end");
    if (end?.go?.by !== "redo") throw new Error("the end has no way to it");
    const { journey } = end.go;
    expect(await journeys.redoScopes(journey)).toEqual({ scopes: ["both", "conversation", "files"] });
    expect(await journeys.previewRedo({ journey, scope: "both" })).toMatchObject({
      newer: { kind: "rewind", to: 1 },
      files: { steps: [{ path: "b.txt", what: "deleted" }] },
    });
    await journeys.redo({ journey, scope: "both" });
    expect(files()).toEqual({ "a.txt": "2\n" });
    expect((await session().context()).messages.slice(0, context.messages.length)).toEqual(context.messages);
  });

  it("has commands, without the checkpoints made after them", async () => {
    const { looking, session, put } = await openWorkshop();
    const number = await session().checkpoint();
    await session().toolStart("shell-x", "Shell", { input: { command: "make  clean" } });
    put("a.txt", "1\n");
    await session().toolEnd("shell-x", "ok", "");
    await session().checkpoint(undefined, { author: "timeline" });
    const rows = (await looking.tree()).map(({ what, isHead, ...row }) => [what, row.number, isHead]);
    expect(rows).toEqual([
      [{ kind: "beginning" }, undefined, false],
      [{ kind: "command", text: "! make clean" }, number, true],
    ]);
    const [, command] = await looking.tree();
    const shown = await looking.place(command?.entry as EntryId);
    expect(shown.map(({ kind }) => kind)).toEqual(["checkpoint", "snapshot", "tool-start", "tool-end"]);
    await session().rewind({ to: number, scope: "conversation" });
    const [, left] = await looking.tree();
    expect(left).toMatchObject({ entry: command?.entry, number, branch: "left" });
    expect(await looking.place(command?.entry as EntryId)).toEqual(shown);
  });

  it("has one end for a stretch of which only steps were left", async () => {
    const { looking, session, put } = await openWorkshop();
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    await session().rewind({ to: 2, scope: "conversation" });
    const rows = await looking.tree();
    expect(rows.map(({ what, number, branch }) => [what.kind, number, branch])).toEqual([
      ["beginning", undefined, "here"],
      ["prompt", 1, "here"],
      ["end", 3, "left"],
      ["rewind", undefined, "here"],
    ]);
    const way = await looking.place(rows[2]?.entry as EntryId);
    expect(way.map(({ kind }) => kind)).toEqual([
      ...["snapshot", "reply", "tool-start", "tool-end", "step", "snapshot", "reply"],
    ]);
  });
});

describe("a place of the tree", () => {
  it("is the turn of a prompt, also on a branch that was left, and the step of anything else", async () => {
    const { looking, journeys, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await turn(session(), "two", () => put("a.txt", "2\n"));
    await journeys.rewind({ session: session().id, number: 4, scope: "both" });
    const kindsAt = async (id: EntryId | undefined) =>
      (await looking.place(id as EntryId)).map(({ kind }) => kind);
    const [one, two] = session().outline.ofKind("prompt");
    const wholeTurn = [
      ...["checkpoint", "prompt", "snapshot", "step", "snapshot", "reply", "tool-start", "tool-end"],
      ...["step", "snapshot", "reply"],
    ];
    expect(await kindsAt(one?.id)).toEqual(wholeTurn);
    expect(await kindsAt(two?.id)).toEqual(wholeTurn);
    const [step] = session().outline.ofKind("step");
    expect(await kindsAt(step?.id)).toEqual(["step", "snapshot", "reply", "tool-start", "tool-end"]);
    expect(await kindsAt(session().outline.ofKind("tool-end")[0]?.id)).toEqual(await kindsAt(step?.id));
    expect(await kindsAt(session().outline.ofKind("rewind")[0]?.id)).toEqual([
      "rewind",
      "restored",
      "notice",
    ]);
    expect(await kindsAt(session().header.id)).toEqual(["session"]);
    await expect(looking.place("nowhere" as EntryId)).rejects.toMatchObject({ code: "ENTRY_UNKNOWN" });
  });
});

describe("what fills the window", () => {
  it("adds up to what is used, before and after the provider has counted", async () => {
    const { looking, session } = await openWorkshop();
    await session().prompt("a prompt of some words");
    await session().step();
    const parts = async () => {
      const fill = await looking.context();
      const sum = fill.parts.reduce((total, { tokens }) => total + tokens, 0);
      expect(fill).toMatchObject({ window: 200_000, used: sum });
      expect(fill.used).toBe(session().tokenCount);
      return fill.parts.map(({ what }) => what);
    };
    expect(await parts()).toEqual(["system", "prompts", "notes"]);
    const counted = { ...usage, input: 9_000 };
    await session().reply({ model: "scripted/one", parts: [textPart("An answer.")], usage: counted });
    await session().toolEnd("c1", "ok", "some result");
    expect(await parts()).toEqual(["system", "tools", "prompts", "replies", "results", "notes"]);
    await session().prompt("next");
    await session().reply({ model: "scripted/one", parts: [textPart("Again.")] });
    await session().compact({ summary: "All of it, in short.", keep: 1 });
    expect(await parts()).toEqual(["system", "tools", "summary", "prompts", "replies"]);
  });
});

describe("files that may be mentioned", () => {
  it("are those of the workspace that are not ignored, without git too", async () => {
    const { looking, put, workspace } = await openWorkshop();
    put(".gitignore", "dist\n");
    put("dist/out.js", "x");
    put("src/main.ts", "x");
    put(".hidden", "x");
    put("with space.txt", "x");
    mkdirSync(join(workspace, ".git"));
    writeFileSync(join(workspace, ".git", "HEAD"), "x");
    expect(await looking.files()).toEqual([".gitignore", ".hidden", "src/main.ts", "with space.txt"]);
  });
});

describe("a diff", () => {
  it("begins before the last prompt, and without one at the newest checkpoint", async () => {
    const { looking, session, put } = await openWorkshop();
    expect(await looking.turnStart()).toBeUndefined();
    await session().checkpoint("start");
    await session().checkpoint();
    expect(await looking.turnStart()).toBe(2);
    await turn(session(), "write", () => put("a.txt", "1\n"));
    await session().checkpoint("later");
    expect(await looking.turnStart()).toBe(3);
  });

  it("is between a checkpoint and now, or another one", async () => {
    const { looking, session, put } = await openWorkshop();
    put("a.txt", "one\n");
    await turn(session(), "two", () => put("a.txt", "two\n"));
    const patch = async (request: DiffRequest): Promise<string> => {
      const { changes, files } = await looking.diff(request);
      let text = "";
      for await (const piece of patchOf(changes, files, en)) text += piece;
      return text;
    };
    const between = await patch({ from: 1, to: 3 });
    expect(between).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n");
    expect(await patch({ from: 3 })).toBe("");
    put("a.txt", "three\n");
    expect(await patch({ from: 3 })).toContain("-two\n+three\n");
    expect(await patch({ from: 1, to: 3 })).toBe(between);
  });

  it("is refused for checkpoints that do not exist, or have no files", async () => {
    const { looking, session } = await openWorkshop();
    await session().prompt("one");
    await expect(looking.diff({ from: 9 })).rejects.toMatchObject({ code: "CHECKPOINT_UNKNOWN" });
    await expect(looking.diff({ from: 1 })).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
  });

  it("is refused where files are switched off", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const { looking, session } = await openWorkshop(place);
    await session().prompt("one");
    await expect(looking.diff({ from: 1 })).rejects.toMatchObject({
      message: "Checkpoint feature not enabled",
    });
  });
});

describe("what a turn changed, what a backtrack left, what is to do", () => {
  it("is reported again from the log", async () => {
    const { looking, session, put } = await openWorkshop();
    await turn(session(), "write", () => put("a.txt", "1\n"));
    const [prompt] = session().outline.ofKind("prompt");
    expect(await looking.filesOfTurn(prompt?.id as EntryId)).toEqual({
      files: [{ path: "a.txt", change: "created", added: 1, removed: 0 }],
      more: 0,
    });
    expect(await looking.leftBehind(prompt?.id as EntryId)).toBeUndefined();
    expect(await looking.compactedTo("000000000000" as EntryId)).toBeUndefined();
    await session().todos([{ text: "test it", status: "open" }]);
    expect(await looking.todos()).toEqual([{ text: "test it", status: "open" }]);
  });
});

describe("the recap", () => {
  it("is not there where nothing was asked", async () => {
    expect(await (await openWorkshop()).looking.recap()).toBeUndefined();
  });

  it("says what was done, and nothing of a cut if the turn ended", async () => {
    const { looking, session } = await openWorkshop();
    await turn(session(), "fix the leak", () => undefined);
    const told = await looking.recap();
    expect(told).toEqual({
      session: session().id,
      recap: expect.objectContaining({ prompt: "fix the leak" }),
    });
  });

  it("says at which step a turn was cut, what was open, and where its files can go back to", async () => {
    const { looking, session } = await openWorkshop();
    await session().prompt("fix the leak");
    const step = await session().step();
    await session().capture({ checkpoint: step, author: "timeline" });
    const input = { command: "npm test" };
    await session().reply({
      model: "scripted/one",
      parts: [{ type: "tool-call", call: "c1", name: "Bash", input }],
    });
    await session().toolStart("c1", "Bash", { input });
    expect((await looking.recap())?.cut).toMatchObject({
      step,
      openCalls: [{ name: "Bash", about: "npm test" }],
      before: step,
    });
  });

  it("offers no files where the step's were not captured", async () => {
    const { looking, session } = await openWorkshop();
    await session().prompt("fix the leak");
    const cut = async () => (await looking.recap())?.cut;
    expect([(await cut())?.step, (await cut())?.before]).toEqual([0, undefined]);
    const step = await session().step();
    expect([(await cut())?.step, (await cut())?.before]).toEqual([step, undefined]);
  });
});
