import { describe, expect, it } from "vitest";
import { WorldlineError } from "../../../src/record/error.ts";
import { outcomesIn } from "../../../src/travel/logged-files.ts";
import { kinds, refusal, reopen, says } from "../deps.ts";
import { allKinds, beginWithFiles, lastOf, promptWith, stepThat } from "./workspace.ts";

describe("rewinding files", () => {
  it("takes them back, says what became of each, and redo brings everything back", async () => {
    const { deps, session, files } = await beginWithFiles();
    files.write("a", "one");
    files.write("old/b", "kept");
    const to = await promptWith(session, "go");
    await stepThat(session, () => {
      files.write("a", "two");
      files.write("new/c", "made");
      files.remove("old");
    });
    const before = files.told;
    const { journey, files: outcome, prompt } = await session.rewind({ to, scope: "both" });
    expect(files.told).toEqual({ a: "one", "old/b": "kept" });
    expect(outcome).toMatchObject({ restored: 1, created: 1, removed: 1, kept: 0, failed: 0 });
    expect(prompt).toBeDefined();
    const restored = await lastOf(session, "restored");
    expect(restored).toMatchObject({ journey, restored: 1, created: 1, removed: 1 });
    expect(outcomesIn(restored?.paths ?? "").map(({ path }) => path)).toEqual([
      "a",
      "new",
      "new/c",
      "old",
      "old/b",
    ]);
    expect(await lastOf(session, "rewind")).toMatchObject({
      to,
      scope: "both",
      leftAuthor: "timeline",
      choice: "keep",
    });

    const again = await reopen(deps, session);
    const redone = await again.redo();
    expect(files.told).toEqual(before);
    expect(redone).toMatchObject({
      undone: journey,
      scope: "both",
      files: { restored: 1, created: 1, removed: 1 },
    });
  });

  it("leaves the conversation where it is when only files are wanted", async () => {
    const { session, files } = await beginWithFiles();
    files.write("a", "one");
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("a", "two"));
    const before = (await says(session)).length;
    await session.rewind({ to, scope: "files" });
    expect(files.told).toEqual({ a: "one" });
    expect((await says(session)).length).toBe(before + 1);
    expect((await says(session)).at(-1)).toContain('- "a"');
    expect((await kinds(session)).slice(-3)).toEqual(["rewind", "restored", "notice"]);
  });

  it("tells the model that git has moved, on the way back and on the way forth", async () => {
    const { session, files } = await beginWithFiles();
    files.gitHead = "main 1";
    files.write("a", "one");
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("a", "two"));
    const told = async () => (await lastOf(session, "notice"))?.text.split("\n").at(-1);
    await session.rewind({ to, scope: "files" });
    expect(await told()).toBe('- "a"');
    await session.redo();
    files.gitHead = "topic 2";
    for (const scope of ["files", "conversation"] as const) {
      await session.rewind({ to, scope });
      expect(await told()).toBe(
        'Git had "main 1" checked out at this point, and has "topic 2" checked out now. The git checkout was not changed.',
      );
    }
    files.gitHead = undefined;
    await session.redo();
    expect(await lastOf(session, "rewind")).toMatchObject({ leftGitHead: "topic 2" });
    expect(await told()).toBe(
      'Git had "topic 2" checked out at this point, and has nothing checked out now. The git checkout was not changed.',
    );
  });

  it("is refused when nothing differs, and changes nothing", async () => {
    const { session, files } = await beginWithFiles();
    files.write("a", "one");
    const number = await session.checkpoint();
    const before = await allKinds(session);
    for (const scope of ["files", "both"] as const) {
      expect(await refusal(session.rewind({ to: number, scope }))).toBe(
        `REWIND_REFUSED The files already match checkpoint ${number}.`,
      );
    }
    expect(await refusal(session.rewind(number))).toContain("The conversation is already at checkpoint");
    expect(await allKinds(session)).toEqual(before);
  });

  it("touches nothing if the session moves on or the log refuses, and says so in the log later", async () => {
    const { deps, session, files } = await beginWithFiles();
    files.write("a", "one");
    const to = await session.checkpoint();
    files.write("a", "two");
    files.onJournal = async () => void (await session.append({ kind: "notice", text: "meanwhile" }));
    expect(await refusal(session.rewind({ to, scope: "files", choice: "take" }))).toContain(
      "The session changed",
    );
    files.onJournal = async () => {
      deps.failing = { times: 8, code: "STORE_FULL" };
    };
    expect(await refusal(session.rewind({ to, scope: "files", choice: "take" }))).toContain("STORE_FULL");
    expect(files.told).toEqual({ a: "two" });
    expect(files.journals).toEqual([]);
    deps.failing.times = 0;
    await session.flush();
    expect((await allKinds(session)).slice(-2)).toEqual(["rewind", "restored"]);
    expect(await lastOf(session, "restored")).toMatchObject({ restored: 0, kept: 1 });
  });

  it("can be limited to some paths, and so is its redo", async () => {
    const { session, files } = await beginWithFiles({ mode: "workspace" });
    files.write("a", "one");
    files.write("d/b", "one");
    const to = await session.checkpoint();
    files.write("a", "two");
    files.write("d/b", "two");
    await session.rewind({ to, scope: "files", only: ["d"] });
    expect(files.told).toEqual({ a: "two", "d/b": "one" });
    expect(await lastOf(session, "rewind")).toMatchObject({ only: ["d"], choice: "take" });
    files.write("a", "three");
    await session.redo();
    expect(files.told).toEqual({ a: "three", "d/b": "two" });
  });

  it("without files tells the model what it will find otherwise than it remembers", async () => {
    const { session, files } = await beginWithFiles();
    files.write("a", "one");
    const to = await promptWith(session, "go");
    await stepThat(session, () => {
      for (let n = 0; n < 60; n += 1) files.write(`f${n}`, "x");
    });
    const { files: outcome } = await session.rewind(to);
    expect(outcome.differ).toHaveLength(60);
    const last = (await says(session)).at(-1);
    expect(last).toContain("The files were not rewound with the conversation.");
    expect(last).toContain("… and 10 more");
    expect(await lastOf(session, "rewind")).toMatchObject({ scope: "conversation", leftAuthor: "timeline" });
  });

  it("says nothing to a model if there is none", async () => {
    const { session, files } = await beginWithFiles({ mode: "workspace" });
    files.write("a", "one");
    const to = await session.checkpoint();
    files.write("a", "two");
    await session.rewind({ to, scope: "files" });
    expect(session.outline.linesOf("notice")).toEqual([]);
  });

  it("continues with the conversation if the workspace cannot be captured", async () => {
    const { session, files } = await beginWithFiles();
    const to = await promptWith(session, "go");
    await session.append({ kind: "notice", text: "more" });
    files.failing = new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    await session.rewind(to);
    expect(await lastOf(session, "rewind")).not.toHaveProperty("left");
  });

  it("keeps what it left only when it is made", async () => {
    const { session, files } = await beginWithFiles({ mode: "workspace" });
    files.write("a", "one");
    const to = await session.checkpoint();
    const lefts = () =>
      files.kept.filter(({ keptFor }) => "journey" in keptFor && keptFor.journey === "left");
    await refusal(session.rewind({ to, scope: "files" }));
    expect(lefts()).toEqual([]);
    files.write("a", "two");
    await session.rewind({ to, scope: "files" });
    expect(lefts().map(({ snapshot }) => snapshot)).toEqual([(await lastOf(session, "rewind"))?.left]);
  });

  it("continues with the conversation alone although what it leaves cannot be kept", async () => {
    const { session, files } = await beginWithFiles();
    const to = await promptWith(session, "go");
    await stepThat(session, () => files.write("a", "two"));
    files.keep = async () => {
      throw new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    };
    await session.rewind({ to, scope: "conversation" });
    const entry = await lastOf(session, "rewind");
    expect([entry?.left, entry?.leftAuthor]).toEqual([undefined, "timeline"]);
  });

  it("is undone, and that again, for no more than the paths that it was limited to, whatever their names", async () => {
    const { session, files } = await beginWithFiles({ mode: "workspace" });
    for (const name of ["caf\xe9", "b"]) files.write(name, "one");
    const to = await session.checkpoint();
    for (const name of ["caf\xe9", "b"]) files.write(name, "two");
    await session.rewind({ to, scope: "files", only: ["caf\xe9"] });
    expect(files.told).toEqual({ b: "two", "caf\xe9": "one" });
    files.write("b", "three");
    const { journey } = await session.redo({ choice: "take" });
    expect(files.told).toEqual({ b: "three", "caf\xe9": "two" });
    files.write("b", "four");
    const { changes } = await session.previewFiles({ journey });
    expect(changes.map(({ path }) => path)).toEqual(["caf\xe9"]);
    await session.redo({ wanted: journey, choice: "take" });
    expect(files.told).toEqual({ b: "four", "caf\xe9": "one" });
    expect((await lastOf(session, "redo"))?.only).toEqual(["/caf\\xe9"]);
  });
});
