import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JourneyProgress } from "../../../src/app/journeys/journey-types.ts";
import { textPart } from "../../../src/record/parts.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn } from "./open-workshop.ts";

function diffOf(path: string, lines: readonly string[]): unknown {
  return expect.objectContaining({ path, contents: "lines", lines });
}

describe("a preview of a rewind", () => {
  it("names each file with its lines, and what the conversation leaves", async () => {
    const { journeys, session, put, remove, files } = await openWorkshop();
    put("a.txt", "one\ntwo\n");
    put("gone.txt", "x\n");
    const number = await turn(session(), "change things", () => {
      put("a.txt", "one\n2\n3\n");
      put("new.txt", "n\n");
      remove("gone.txt");
    });
    const before = files();
    const seen: JourneyProgress[] = [];
    const preview = await journeys.preview({ session: session().id, number, scope: "both" }, (progress) =>
      seen.push(progress),
    );
    expect(preview).toEqual({
      scope: "both",
      place: expect.objectContaining({ number, text: "change things" }),
      entries: expect.any(Number),
      tokens: expect.any(Number),
      files: {
        steps: [
          { path: "a.txt", what: "changed", kind: "file", added: 1, removed: 2 },
          { path: "gone.txt", what: "created", kind: "file", added: 1, removed: 0 },
          { path: "new.txt", what: "deleted", kind: "file", added: 0, removed: 1 },
        ],
        conflicts: [],
        kept: [],
        during: [
          {
            path: "a.txt",
            commands: "`make it so`",
            diff: diffOf("a.txt", ["@@ -1,2 +1,3 @@", " one", "-two", "+2", "+3"]),
          },
          {
            path: "gone.txt",
            commands: "`make it so`",
            diff: diffOf("gone.txt", ["@@ -1,1 +0,0 @@", "-x"]),
          },
          {
            path: "new.txt",
            commands: "`make it so`",
            diff: diffOf("new.txt", ["@@ -0,0 +1,1 @@", "+n"]),
          },
        ],
        deletions: 1,
        consent: "given",
        tracked: "everything",
      },
    });
    expect(preview.entries).toBeGreaterThan(5);
    expect(preview.tokens).toBeGreaterThan(50);
    expect(seen.length).toBeGreaterThan(0);
    expect(files()).toEqual(before);
    expect(session().outline.linesOf("rewind")).toEqual([]);
  });

  it("asks for consent to many deletions, and tells of a branch of git that moved", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ rewind: { confirmDeletes: 1 } }));
    const { journeys, session, put, workspace } = await openWorkshop(place);
    const git = (branch: string) => {
      mkdirSync(join(workspace, ".git"), { recursive: true });
      writeFileSync(join(workspace, ".git", "HEAD"), `ref: refs/heads/${branch}\n`);
    };
    git("main");
    const number = await turn(session(), "write two", () => {
      put("a.txt", "a\n");
      put("lib/b.txt", "b\n");
    });
    git("other");
    const { files } = await journeys.preview({ session: session().id, number, scope: "files" });
    expect(files).toMatchObject({ deletions: 2, consent: "needed", git: { was: "main", now: "other" } });
  });

  it("of a checkpoint that there is not is refused", async () => {
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    await expect(journeys.preview({ session: session().id, number: 9, scope: "both" })).rejects.toMatchObject(
      { code: "CHECKPOINT_UNKNOWN" },
    );
  });
});

describe("a rewind", () => {
  it("takes files and conversation back, with the prompt, and is undone by a redo", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    put("a.txt", "one\n");
    const number = await turn(session(), "make it two", () => put("a.txt", "two\n"));
    const seen = new Set<string>();
    const place = { session: session().id, number } as const;
    const made = await journeys.rewind({ ...place, scope: "both" }, ({ doing }) => seen.add(doing));
    expect(made).toEqual({
      journey: expect.any(String),
      scope: "both",
      place: expect.objectContaining({ number, text: "make it two" }),
      prompt: [textPart("make it two")],
      files: {
        ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
        unrestored: [],
      },
      differ: 0,
    });
    expect(files()).toMatchObject({ "a.txt": "one\n" });
    expect(seen).toEqual(new Set(["capture", "restore"]));
    expect(await journeys.scopes(place)).toEqual({ scopes: ["files"] });

    expect(await journeys.redoable()).toEqual([
      {
        journey: made.journey,
        kind: "rewind",
        scope: "both",
        to: number,
        at: expect.any(Number),
        place: expect.objectContaining({ number: number + 2, text: "make it two" }),
        order: "next",
      },
    ]);
    expect(await journeys.previewRedo({})).toMatchObject({
      scope: "both",
      // The place the rewind started from (the last step of the turn), not the place it went to.
      place: expect.objectContaining({ number: number + 2, text: "make it two" }),
      files: { steps: [{ path: "a.txt", what: "changed", added: 1, removed: 1 }] },
    });
    const redone = await journeys.redo({ journey: made.journey });
    expect(redone).toMatchObject({
      scope: "both",
      place: expect.objectContaining({ number: number + 2, text: "make it two" }),
      files: { restored: 1 },
    });
    expect(redone).not.toHaveProperty("prompt");
    expect(files()).toMatchObject({ "a.txt": "two\n" });
    expect(await journeys.redoable()).toMatchObject([{ kind: "redo", to: number + 2, order: "by-name" }]);
    await expect(journeys.redo({})).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
  });

  it("of the conversation alone says how many files differ", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    const number = await turn(session(), "write", () => put("a.txt", "1\n"));
    const made = await journeys.rewind({ session: session().id, number, scope: "conversation" });
    expect(made).toMatchObject({ scope: "conversation", prompt: [textPart("write")], differ: 1 });
    expect(made).not.toHaveProperty("files");
    expect(files()).toMatchObject({ "a.txt": "1\n" });
    expect(await journeys.previewRedo({})).toEqual({
      scope: "conversation",
      place: expect.objectContaining({ number: number + 2, text: "write" }),
      entries: expect.any(Number),
    });
  });

  it("of the files alone brings no prompt back", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    const number = await turn(session(), "write", () => put("a.txt", "1\n"));
    const request = { session: session().id, number, scope: "files" } as const;
    expect(await journeys.preview(request)).toMatchObject({ entries: 0, tokens: 0 });
    expect(await journeys.rewind(request)).not.toHaveProperty("prompt");
    expect(files()).not.toHaveProperty("a.txt");
    await expect(journeys.rewind(request)).rejects.toMatchObject({ code: "REWIND_REFUSED" });
  });

  it("waits for a capture that still runs", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    put("a.txt", "one\n");
    const { checkpoint: number } = await session().prompt("go");
    const capturing = session().capture({ checkpoint: number, author: "outside" });
    expect(await journeys.scopes({ session: session().id, number })).toMatchObject({
      scopes: ["both", "conversation", "files"],
    });
    await capturing;
    put("a.txt", "two\n");
    await journeys.rewind({
      session: session().id,
      number,
      scope: "files",
      choices: new Map([["a.txt", "take"]]),
    });
    expect(files()).toMatchObject({ "a.txt": "one\n" });
  });

  it("is refused for files that were never captured", async () => {
    const { journeys, session, put } = await openWorkshop();
    const { checkpoint: number } = await session().prompt("go");
    put("a.txt", "one\n");
    const place = { session: session().id, number };
    const without = `The files for checkpoint ${number} were not captured.`;
    await session().reply({ model: "scripted/one", parts: [textPart("Yes.")] });
    expect(await journeys.scopes(place)).toEqual({
      scopes: ["conversation"],
      without: expect.objectContaining({ message: without }),
    });
    await expect(journeys.preview({ ...place, scope: "both" })).rejects.toMatchObject({ message: without });
  });
});

describe("what was changed outside since", () => {
  it("is kept, taken or merged, path by path", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    for (const name of ["keep", "take", "merge"]) put(`${name}.txt`, "1\n2\n3\n4\n5\n");
    const number = await turn(session(), "edit all", () => {
      for (const name of ["keep", "take", "merge"]) put(`${name}.txt`, "one\n2\n3\n4\n5\n");
    });
    for (const name of ["keep", "take", "merge"]) put(`${name}.txt`, "one\n2\n3\n4\nfive\n");
    const request = { session: session().id, number, scope: "both" } as const;
    const { files: foreseen } = await journeys.preview(request);
    expect(foreseen?.conflicts).toEqual(
      ["keep.txt", "merge.txt", "take.txt"].map((path) => ({
        path,
        what: "changed",
        kind: "file",
        choice: "keep",
        merge: "clean",
      })),
    );
    expect(foreseen?.kept).toHaveLength(3);
    const choices = new Map([
      ["take.txt", "take"],
      ["merge.txt", "merge"],
    ] as const);
    expect((await journeys.preview({ ...request, choices })).files?.kept).toEqual([
      { path: "keep.txt", fate: "kept", why: { why: "outside" } },
    ]);
    const made = await journeys.rewind({ ...request, choices });
    expect(made.files).toEqual({
      restored: 1,
      created: 0,
      removed: 0,
      merged: 1,
      kept: 1,
      notRestorable: 0,
      failed: 0,
      unrestored: [
        { path: "keep.txt", outcome: "kept", why: "changed outside this session", reason: "kept-outside" },
      ],
    });
    expect(files()).toMatchObject({
      "keep.txt": "one\n2\n3\n4\nfive\n",
      "take.txt": "1\n2\n3\n4\n5\n",
      "merge.txt": "1\n2\n3\n4\nfive\n",
    });
  });

  it("is meant exactly, where two names look the same", async () => {
    const { journeys, session, workspace } = await openWorkshop();
    const odd = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0xff])]);
    const literal = `${workspace}/\\xff`;
    const write = (text: string) => {
      writeFileSync(odd, text);
      writeFileSync(literal, text);
    };
    write("old\n");
    const number = await turn(session(), "edit", () => write("tool\n"));
    write("mine\n");
    const request = { session: session().id, number, scope: "files" } as const;
    const { files } = await journeys.preview(request);
    expect(files?.conflicts.map(({ path }) => path)).toEqual(["\\xff", "\\xff (2)"]);
    await journeys.rewind({ ...request, choices: new Map([["\\xff (2)", "take"]]) });
    expect([readFileSync(literal, "utf8"), readFileSync(odd, "utf8")]).toEqual(["mine\n", "old\n"]);
    rmSync(odd);
  });

  it("is not guessed where the name is that of no conflict", async () => {
    const { journeys, session, put, files } = await openWorkshop();
    const number = await turn(session(), "write", () => put("a.txt", "1\n"));
    const before = files();
    await expect(
      journeys.rewind({
        session: session().id,
        number,
        scope: "both",
        choices: new Map([["elsewhere.txt", "take"]]),
      }),
    ).rejects.toMatchObject({ code: "INPUT_INVALID", hint: expect.stringContaining("Nothing was changed.") });
    expect(files()).toEqual(before);
  });
});

describe("where files are switched off", () => {
  it("the conversation goes back alone, and says why", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const { journeys, session } = await openWorkshop(place);
    const number = await turn(session(), "write", () => undefined);
    const row = { session: session().id, number };
    const why = "Checkpoint feature not enabled";
    expect(await journeys.scopes(row)).toEqual({
      scopes: ["conversation"],
      without: expect.objectContaining({ message: why }),
    });
    expect(await journeys.preview({ ...row, scope: "both" })).toMatchObject({
      scope: "conversation",
      filesStay: expect.objectContaining({ message: why }),
    });
    await expect(journeys.rewind({ ...row, scope: "files" })).rejects.toMatchObject({
      message: why,
      hint: expect.stringContaining("enableFileCheckpointing"),
    });
    expect(await journeys.rewind({ ...row, scope: "both" })).toMatchObject({
      scope: "conversation",
      differ: 0,
    });
  });
});

describe("a row of another session", () => {
  it("opens that session, and goes there", async () => {
    const { journeys, session, put, files, reopen } = await openWorkshop();
    put("a.txt", "one\n");
    const first = session().id;
    const number = await turn(session(), "make it two", () => put("a.txt", "two\n"));
    await reopen();
    await turn(session(), "and three", () => put("b.txt", "b\n"));
    const request = { session: first, number, scope: "both" } as const;
    expect(await journeys.scopes(request)).toEqual({ scopes: ["both", "conversation", "files"] });
    const left = session().id;
    const opened = { session: first, title: "make it two" };
    expect(await journeys.preview(request)).toMatchObject({
      opens: opened,
      files: { steps: [{ path: "a.txt" }] },
    });
    expect(session().id).toBe(left);
    const made = await journeys.rewind(request);
    expect(session().id).toBe(first);
    expect(made).toMatchObject({
      place: expect.objectContaining({ number, text: "make it two" }),
      visit: { left, opened },
      prompt: [textPart("make it two")],
    });
    expect(files()).toMatchObject({ "a.txt": "one\n" });
  });

  it("of the workspace's own timeline takes files back, and stays here", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const made = await place.data(["checkpoint", "mine"]);
    const { journeys, session, put, files } = await openWorkshop(place);
    const here = session().id;
    await turn(session(), "make it two", () => put("a.txt", "two\n"));
    const [row] = (await journeys.rows()).filter(({ session: id }) => id === made.session);
    expect(row).toMatchObject({ place: "elsewhere", on: "manual", label: "mine", files: "complete" });
    const request = { session: made.session, number: 1, scope: "files" } as const;
    expect(await journeys.scopes(request)).toEqual({ scopes: ["files"] });
    expect((await journeys.preview(request)).files?.steps).toMatchObject([{ path: "a.txt" }]);
    const rewound = await journeys.rewind(request);
    expect(rewound).toMatchObject({
      scope: "files",
      place: expect.objectContaining({ number: 1, label: "mine" }),
      files: { restored: 1 },
    });
    expect(rewound).not.toHaveProperty("visit");
    expect(session().id).toBe(here);
    expect(files()).toMatchObject({ "a.txt": "one\n" });
  });
});
