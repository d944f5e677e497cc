import { describe, expect, it } from "vitest";
import { entryTree } from "../../../src/app/queries/entry-tree.ts";
import { placeEntries } from "../../../src/app/queries/place-entries.ts";
import { treeRows } from "../../../src/app/queries/tree.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { begin, openSessionDeps, step } from "../../machine/deps.ts";
import { byLine, longSession, runCommand } from "./long-session.ts";

const along = { rails: [], hang: "along", branch: "here", isHead: false };
const left = { rails: [], hang: "last", branch: "left", isHead: false };
const rewind = (to: number) => ({ go: { by: "rewind", to } });
const redo = (journey: number) => ({ go: { by: "redo", journey } });

describe("the tree of prompts", () => {
  it("has prompts, commands, named places, journeys, compactions and the ends of other branches", async () => {
    const session = await longSession();
    const rows = byLine(session, await treeRows(session)) as { at: number }[];
    expect(rows.map(({ at: _at, ...row }) => row)).toEqual([
      { entry: 1, what: { kind: "beginning" }, ...along, ...rewind(1) },
      { entry: 3, what: { kind: "prompt", text: "find the leak" }, number: 1, ...along, ...rewind(1) },
      { entry: 4, what: { kind: "step" }, number: 2, label: "first step", ...along, ...rewind(2) },
      { entry: 12, what: { kind: "prompt", text: "now write a test" }, number: 4, ...left, ...rewind(4) },
      {
        ...{ entry: 14, what: { kind: "end", by: "rewind", to: 4, entries: 3 }, number: 5 },
        ...{ ...left, rails: ["closed"], hang: "along", ...redo(15) },
      },
      { entry: 15, what: { kind: "rewind", to: 4, scope: "conversation" }, ...along, ...rewind(6) },
      {
        entry: 16,
        what: { kind: "checkpoint" },
        number: 6,
        label: "before the command",
        ...along,
        ...rewind(6),
      },
      { entry: 19, what: { kind: "command", text: "! npm test" }, number: 7, ...along, ...rewind(7) },
      { entry: 22, what: { kind: "prompt", text: "fix it" }, number: 8, ...along, ...rewind(8) },
      { entry: 26, what: { kind: "end", by: "backtrack", to: 9, entries: 3 }, ...left, ...redo(27) },
      {
        entry: 27,
        what: { kind: "backtrack", to: 9, note: "Found It is in pool.ts." },
        ...along,
        ...rewind(10),
      },
      {
        entry: 30,
        what: { kind: "compaction", reason: "asked", before: 362, after: 272 },
        ...along,
        ...rewind(11),
      },
      {
        entry: 32,
        what: { kind: "prompt", text: "thanks" },
        number: 11,
        ...along,
        isHead: true,
        ...rewind(11),
      },
    ]);
    expect((await treeRows(session)).flatMap((row) => Object.values(row))).not.toContain(undefined);
    expect(rows.map((row) => row.at)).toEqual(
      session.outline
        .rows()
        .slice(0, 13)
        .map((row) => row.at),
    );
  });

  it("has a second row for the end of a branch with prompts only, below the prompt", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    await session.rewind({ to: 1, scope: "conversation" });
    await session.prompt("two");
    await session.rewind({ to: 1, scope: "conversation" });
    await session.prompt([{ type: "image", mediaType: "image/png", data: "AAAA" }]);
    const rows = (await treeRows(session)).map(({ what, rails, hang, go }) => ({ what, rails, hang, go }));
    expect(byLine(session, rows)).toEqual([
      { what: { kind: "beginning" }, rails: [], hang: "along", ...rewind(1) },
      { what: { kind: "prompt", text: "one" }, rails: [], hang: "fork", ...rewind(1) },
      { what: { kind: "end", by: "rewind", to: 1, entries: 1 }, rails: ["open"], hang: "along", ...redo(4) },
      { what: { kind: "rewind", to: 1, scope: "conversation" }, rails: [], hang: "last", ...rewind(2) },
      { what: { kind: "prompt", text: "two" }, rails: ["closed"], hang: "along", ...rewind(2) },
      {
        what: { kind: "end", by: "rewind", to: 1, entries: 3 },
        rails: ["closed"],
        hang: "along",
        ...redo(7),
      },
      { what: { kind: "rewind", to: 1, scope: "conversation" }, rails: [], hang: "along", ...rewind(3) },
      { what: { kind: "prompt", text: "" }, rails: [], hang: "along", ...rewind(3) },
    ]);
  });

  it("has the end of the only other branch below its prompt, and none where nothing was done", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    await session.prompt("two");
    await session.rewind({ to: 2, scope: "conversation" });
    await session.rewind({ to: 1, scope: "conversation" });
    await session.prompt("three");
    const last = await step(session, "Yes.");
    await session.label(last, "here");
    await session.rewind({ to: 1, scope: "conversation" });
    const rows = (await treeRows(session)).map(({ what, rails, hang, label }) => ({
      what,
      rails,
      hang,
      label,
    }));
    const open = { rails: ["open"], label: undefined };
    const closed = { rails: ["closed"], label: undefined };
    const outside = { rails: [], label: undefined };
    expect(rows).toEqual([
      { what: { kind: "beginning" }, hang: "along", ...outside },
      { what: { kind: "prompt", text: "one" }, hang: "fork", ...outside },
      { what: { kind: "prompt", text: "two" }, hang: "last", ...open },
      {
        what: { kind: "end", by: "rewind", to: 2, entries: 1 },
        ...{ hang: "along", rails: ["open", "closed"], label: undefined },
      },
      { what: { kind: "rewind", to: 2, scope: "conversation" }, hang: "along", ...open },
      { what: { kind: "rewind", to: 1, scope: "conversation" }, hang: "last", ...outside },
      { what: { kind: "prompt", text: "three" }, hang: "along", ...closed },
      { what: { kind: "step" }, hang: "along", rails: ["closed"], label: "here" },
      { what: { kind: "end", by: "rewind", to: 1, entries: 6 }, hang: "along", ...closed },
      { what: { kind: "rewind", to: 1, scope: "conversation" }, hang: "along", ...outside },
    ]);
  });

  it("shows the beginning of a long note, and the scope of a redo", async () => {
    const session = await begin(openSessionDeps(), { backtrack: "on" });
    await session.prompt("one");
    const start = await session.step();
    await session.reply({
      model: "m",
      parts: [{ type: "tool-call", call: "b", name: "Backtrack", input: {} }],
    });
    await session.toolStart("b", "Backtrack");
    await session.requestBacktrack("b", { to: start, note: "🧭".repeat(300), files: "keep" });
    await session.endStep();
    await session.redo({});
    const whats = (await treeRows(session)).map(({ what }) => what);
    expect(whats).toContainEqual({ kind: "backtrack", to: start, note: "🧭".repeat(240) });
    expect(whats.at(-1)).toEqual({ kind: "redo", scope: "conversation" });
  });
});

describe("the tree of prompts of an unusual session", () => {
  it("has prompts without a checkpoint, and checkpoints that are separated from their prompt", async () => {
    const session = await begin(openSessionDeps());
    await session.append({ kind: "prompt", parts: [{ type: "text", text: "imported" }] });
    await session.checkpoint();
    await session.append({ kind: "title", title: "A title" });
    await session.append({ kind: "prompt", parts: [{ type: "text", text: "asked" }] });
    const rows = (await treeRows(session)).map(({ what, number }) => ({ what, number }));
    expect(rows).toEqual([
      { what: { kind: "beginning" }, number: undefined },
      { what: { kind: "prompt", text: "imported" }, number: undefined },
      { what: { kind: "prompt", text: "asked" }, number: 1 },
    ]);
    expect(await treeRows(session)).not.toContainEqual(expect.objectContaining({ label: undefined }));
  });
});

describe("the tree of entries", () => {
  const text = (
    { kind }: { kind: string },
    { left: count, steps }: { left: number | undefined; steps: ReadonlyMap<unknown, unknown> },
  ) =>
    [kind, ...(count === undefined ? [] : [`left ${count}`]), ...(steps.size === 0 ? [] : ["steps"])].join(
      " ",
    );

  it("has the main entries, with what journeys left", async () => {
    const session = await longSession();
    const rows = await entryTree(session, { rows: "main", text });
    expect(
      byLine(
        session,
        rows.map(({ row, ...node }) => ({ line: row.seq, ...node })),
      ),
    ).toEqual([
      { line: 1, text: "session", ...along, ...rewind(1) },
      { line: 3, text: "prompt", number: 1, ...along, ...rewind(1) },
      { line: 4, text: "step", number: 2, label: "first step", ...along, ...rewind(2) },
      { line: 12, text: "prompt", number: 4, ...left, ...rewind(4) },
      { line: 14, text: "reply left 3", ...left, rails: ["closed"], hang: "along", ...redo(15), end: 15 },
      { line: 15, text: "rewind", ...along, ...rewind(6) },
      { line: 16, text: "checkpoint", number: 6, label: "before the command", ...along, ...rewind(6) },
      { line: 18, text: "checkpoint", number: 7, ...along, ...rewind(7) },
      { line: 22, text: "prompt", number: 8, ...along, ...rewind(8) },
      { line: 26, text: "tool-end left 3", ...left, ...redo(27), end: 27 },
      { line: 27, text: "backtrack", ...along, ...rewind(10) },
      { line: 30, text: "compaction", ...along, ...rewind(11) },
      { line: 32, text: "prompt", number: 11, ...along, isHead: true, ...rewind(11) },
    ]);
  });

  it("has no count of left entries where a redo has returned to them", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    await step(session, "Yes.");
    await session.rewind({ to: 1, scope: "conversation" });
    await session.redo({});
    const rows = await entryTree(session, { rows: "main", text });
    expect(rows.map((row) => [row.text, row.branch])).toEqual([
      ["session", "here"],
      ["rewind left 1", "left"],
      ["prompt", "here"],
      ["reply", "here"],
      ["redo", "here"],
    ]);
  });

  it("has only the fields that apply to a row", async () => {
    const rows = await entryTree(await longSession(), { rows: "main", text });
    expect(rows.flatMap((row) => Object.values(row))).not.toContain(undefined);
  });

  it("has every entry if asked, each with its own place and without a count", async () => {
    const session = await longSession();
    const rows = await entryTree(session, { rows: "all", text });
    expect(rows.map((row) => row.text)).toEqual(session.outline.rows().map(({ kind }) => kind));
    const [checkpoint, prompt] = [rows[10], rows[11]];
    expect(
      byLine(
        session,
        [checkpoint, prompt].map((node) => ({ ...node, row: node?.row.seq })),
      ),
    ).toEqual([
      { row: 11, text: "checkpoint", number: 4, ...along, ...rewind(4) },
      { row: 12, text: "prompt", ...left, ...rewind(5) },
    ]);
    expect(rows.at(-1)).toMatchObject({ isHead: true, go: { by: "staying" } });
    expect(rows.filter(({ isHead }) => isHead)).toHaveLength(1);
    expect(rows.filter(({ end }) => end !== undefined).map(({ row }) => row.seq)).toEqual([14, 26]);
  });

  it("renders the entries of a long log", async () => {
    const session = await begin(openSessionDeps());
    for (let count = 0; count < 600; count += 1) await session.append({ kind: "notice", text: `${count}` });
    const rows = await entryTree(session, {
      rows: "all",
      text: (entry) => (entry.kind === "notice" ? entry.text : ""),
    });
    expect(rows.slice(1).map((row) => row.text)).toEqual(rows.slice(1).map((_row, count) => `${count}`));
  });
});

describe("the entries of a place in the tree", () => {
  it("are its turn, its step, or the other branch that ends there", async () => {
    const session = await longSession();
    const linesAt = async (line: number) => {
      const id = session.outline.at(line)?.id as EntryId;
      return (await placeEntries(session, id)).map(({ seq }) => seq).join(" ");
    };
    const places = Object.fromEntries(
      await Promise.all(session.outline.rows().map(async ({ seq }) => [seq, await linesAt(seq)])),
    );
    expect(places).toEqual({
      1: "1",
      ...{ 2: "2 3 4 5 6 7 8 9 10", 3: "2 3 4 5 6 7 8 9 10" },
      ...{ 4: "4 5 6 7", 5: "4 5 6 7", 6: "4 5 6 7", 7: "4 5 6 7" },
      ...{ 8: "8 9 10", 9: "8 9 10", 10: "8 9 10" },
      ...{ 11: "11 15", 12: "11 12 13 14", 13: "13 14", 14: "12 13 14" },
      15: "15",
      ...{ 16: "16 17", 17: "16 17", 18: "18 19 20", 19: "18 19 20", 20: "18 19 20" },
      ...{ 21: "21 22 23 27 28 29 30", 22: "21 22 23 27 28 29 30", 23: "23 27" },
      ...{ 24: "24", 25: "24 25", 26: "24 25 26", 27: "27" },
      ...{ 28: "28 29 30", 29: "28 29 30", 30: "30", 31: "31 32", 32: "31 32" },
    });
  });

  it("are the last turn of the branch that ends there, the turn on the newest other branch, or a command with its result", async () => {
    {
      // The end of another branch.
      const session = await begin(openSessionDeps());
      await session.prompt("one");
      await session.prompt("two");
      await session.prompt("three");
      await step(session, "Yes.");
      await session.rewind({ to: 2, scope: "conversation" });
      const [reply] = session.outline.ofKind("reply");
      const entries = await placeEntries(session, reply?.id as EntryId);
      expect(entries.map(({ kind }) => kind)).toEqual(["prompt", "step", "reply"]);
      expect(entries[0]).toMatchObject({ parts: [{ text: "three" }] });
    }
    {
      // No checkpoint above.
      const session = await begin(openSessionDeps());
      await session.append({ kind: "notice", text: "Begun." });
      await session.append({ kind: "notice", text: "Still there." });
      await session.checkpoint();
      const [notice] = session.outline.ofKind("notice");
      const entries = await placeEntries(session, notice?.id as EntryId);
      expect(entries.map(({ kind }) => kind)).toEqual(["notice", "notice"]);
    }
    {
      // A prompt with two other branches below it.
      const session = await begin(openSessionDeps());
      await session.prompt("one");
      await step(session, "first try");
      await session.rewind({ to: 2, scope: "conversation" });
      await step(session, "second try");
      await session.rewind({ to: 1, scope: "conversation" });
      const [prompt] = session.outline.ofKind("prompt");
      const entries = await placeEntries(session, prompt?.id as EntryId);
      expect(entries.map(({ kind }) => kind)).toEqual([
        ...["checkpoint", "prompt", "step", "rewind", "step", "reply"],
      ]);
      expect(entries.at(-1)).toMatchObject({ parts: [{ text: "second try" }] });
    }
    {
      // A command on another branch.
      const session = await begin(openSessionDeps());
      await runCommand(session, "npm test");
      await session.label(1, "tests");
      await session.rewind({ to: 1, scope: "conversation" });
      const [start] = session.outline.ofKind("tool-start");
      const entries = await placeEntries(session, start?.id as EntryId);
      expect(entries.map(({ kind }) => kind)).toEqual(["checkpoint", "tool-start", "tool-end", "label"]);
    }
  });

  it("are at most the first 1,000", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("run for hours");
    for (let count = 0; count < 1_000; count += 1) await session.append({ kind: "notice", text: `${count}` });
    const [prompt] = session.outline.ofKind("prompt");
    const entries = await placeEntries(session, prompt?.id as EntryId);
    expect([entries.length, entries.at(-1)]).toEqual([1_000, expect.objectContaining({ text: "997" })]);
  });

  it("are unknown for an entry of another session", async () => {
    const session = await begin(openSessionDeps());
    await expect(placeEntries(session, "nowhere" as EntryId)).rejects.toMatchObject({
      ...{ reason: "no-entry-of-id", params: { entry: "nowhere" } },
    });
  });
});
