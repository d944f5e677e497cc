import { describe, expect, it } from "vitest";
import { agentWorks, workshop } from "../../support/workshop.ts";

const clocks = / at \d\d:\d\d:\d\d/gu;

/** The workspace's own session: three files at #1, then one changed, one deleted and one created. */
async function changed() {
  const shop = workshop();
  shop.put("a.txt", "one\ntwo\n");
  shop.put("b.txt", "keep\n");
  shop.put("src/c.txt", "three\n");
  await shop.worldline("checkpoint start");
  const before = shop.files();
  shop.put("a.txt", "one\n2\nthree\n");
  shop.remove("b.txt");
  shop.put("new.txt", "new\n");
  return { ...shop, before, after: shop.files() };
}

describe("worldline rewind, of files", () => {
  it("shows what it will do, does it, and redo takes it back", async () => {
    const { worldline, files, before, after } = await changed();
    const said = await worldline("rewind start");
    expect(said.stderr.split("\n").slice(1)).toEqual([
      "Files: 1 to create, 1 to change, 1 to delete",
      "  change  a.txt    +1 -2",
      "  create  b.txt    +1 -0",
      "  delete  new.txt  +0 -1",
      "",
    ]);
    expect({ ...said, stderr: "" }).toEqual({
      code: 0,
      stdout: [
        "Restored to checkpoint: #1 [start]",
        "Files: 1 restored, 1 created, 1 removed, 0 kept, 0 failed",
        "Undo this: worldline redo",
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(files()).toEqual(before);
    const redone = await worldline("redo");
    expect(redone.stdout).toMatch(
      /^Undid the rewind .*\nFiles: 1 restored, 1 created, 1 removed, 0 kept, 0 failed\nUndo this: /u,
    );
    expect(files()).toEqual(after);
  });

  it("answers with data, and leaves nothing out", async () => {
    const { data, files, before } = await changed();
    const { journey, session, files: answer, ...rest } = await data("rewind 1");
    expect({ journey, session }).toEqual({ journey: expect.any(String), session: expect.any(String) });
    expect(rest).toMatchObject({ to: 1, scope: "files", changed: true, left: 0, back: 0, prompt: null });
    expect(answer).toMatchObject({
      steps: [
        { path: "a.txt", what: "changed", kind: "file", lines: { added: 1, removed: 2 } },
        { path: "b.txt", what: "created", kind: "file", lines: { added: 1, removed: 0 } },
        { path: "new.txt", what: "deleted", kind: "file", lines: { added: 0, removed: 1 } },
      ],
      kept: [],
      deletions: 1,
      git: { target: null, present: null },
      outcome: {
        restored: 1,
        created: 1,
        removed: 1,
        kept: 0,
        failed: 0,
        paths: [
          { path: "a.txt", outcome: "restored" },
          { path: "b.txt", outcome: "created" },
          { path: "new.txt", outcome: "removed" },
        ],
      },
    });
    expect(files()).toEqual(before);
  });

  it("changes nothing in a dry run", async () => {
    const { text, files, after, data } = await changed();
    expect(await text("rewind 1 --dry-run")).toBe(
      [
        "Would restore to checkpoint: #1 [start]",
        "Files: 1 to create, 1 to change, 1 to delete",
        "  change  a.txt    +1 -2",
        "  create  b.txt    +1 -0",
        "  delete  new.txt  +0 -1",
        "Nothing was changed: this was a dry run.",
        "",
      ].join("\n"),
    );
    expect(await data("rewind 1 --dry-run")).toMatchObject({ changed: false, journey: null });
    expect(files()).toEqual(after);
    expect((await data("redo --list")).journeys).toEqual([]);
  });

  it("takes only what was named, relative to the current folder", async () => {
    const { worldline, files, before, after, workspace, put } = await changed();
    put("src/c.txt", "changed\n");
    const only = ["rewind", "1", "--only", "../a.txt", "--only", "c.txt"];
    const { code } = await worldline(only, { cwd: `${workspace}/src`, known: [workspace] });
    expect({ code, files: files() }).toEqual({ code: 0, files: { ...after, "a.txt": before["a.txt"] } });
  });

  it.each([
    [["--only", "nowhere.txt"], "neither in the workspace nor in the checkpoint"],
    [["--only", "../elsewhere"], "is outside the workspace"],
    [["--only", ""], "The path is empty"],
  ])("refuses %j", async (words, message) => {
    const { worldline, files, after } = await changed();
    const { code, stderr } = await worldline(["rewind", "1", ...words]);
    expect({ code, stderr }).toEqual({ code: 42, stderr: expect.stringContaining(message) });
    expect(files()).toEqual(after);
  });

  it("asks before it deletes many paths, and without a terminal needs --yes", async () => {
    const { worldline, files, before, after } = await changed();
    const line = "rewind 1 --setting rewind.confirmDeletes=0";
    expect(await worldline(line)).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("Delete 1 path?"),
    });
    expect(await worldline(line, { typed: "n\n" })).toMatchObject({ code: 130 });
    expect(files()).toEqual(after);
    expect(await worldline(`${line} --yes`)).toMatchObject({ code: 0 });
    expect(files()).toEqual(before);
    expect(await worldline("redo --setting rewind.confirmDeletes=0")).toMatchObject({ code: 42 });
    expect(await worldline("redo --setting rewind.confirmDeletes=0", { typed: "y\n" })).toMatchObject({
      code: 0,
    });
    expect(files()).toEqual(after);
  });

  it("lets the user choose what goes back, with staying as the default", async () => {
    const { worldline, files, before, after } = await changed();
    const stayed = await worldline("rewind", { typed: "1\n\n" });
    expect({ code: stayed.code, stdout: stayed.stdout, files: files() }).toEqual({
      code: 0,
      stdout: "Nothing was changed.\n",
      files: after,
    });
    expect(
      stayed.stderr
        .replaceAll(/(just now|\d+ s ago) */gu, "")
        .split("\n")
        .slice(1),
    ).toEqual([
      "Rewind to:",
      "  0  (current)",
      "  1  #1         captured  [start]",
      "Number (0-1, default 0): Restore what?",
      "  0  nothing: cancel",
      "  1  files",
      "Number (0-1, default 0): ",
    ]);
    const { code } = await worldline("rewind", { typed: "1\n1\n" });
    expect({ code, files: files() }).toEqual({ code: 0, files: before });
  });
});

describe("worldline rewind, in an agent's session", () => {
  async function worked() {
    const shop = workshop();
    shop.put("mine.txt", "mine\n");
    shop.put("its.txt", "its\n");
    await agentWorks(shop, () => undefined, "new");
    await shop.worldline("checkpoint start");
    await agentWorks(shop, () => shop.put("its.txt", "changed by the agent\n"));
    await shop.worldline("checkpoint"); // captures the user's own edits in between
    return shop;
  }

  it("takes files and conversation back", async () => {
    const shop = workshop();
    shop.put("its.txt", "its\n");
    await agentWorks(shop, () => undefined, "new");
    await shop.worldline("checkpoint start");
    await agentWorks(shop, () => shop.put("its.txt", "changed by the agent\n"));
    const said = (await shop.text("rewind start")).replaceAll(clocks, "");
    expect(said).toMatch(
      /^Restored to checkpoint: #2 \[start\]\nFiles: 1 restored, 0 kept, 0 failed\n\d+ entr(?:y|ies) moved to another branch\n/u,
    );
    expect(shop.files()).toEqual({ "its.txt": "its\n" });
  });

  it("lets the user choose files, conversation or both", async () => {
    const shop = await worked();
    const { code, stderr } = await shop.worldline("rewind start", { typed: "1\n" });
    expect({ code, asked: stderr.includes("Restore what?") }).toEqual({ code: 0, asked: false });
    const picked = await shop.worldline("rewind", { typed: "1\n\n" });
    expect(picked).toMatchObject({ code: 0, stdout: "Nothing was changed.\n" });
    expect(picked.stderr.split("Restore what?")[1]?.split("\n").slice(1)).toEqual([
      "  0  nothing: cancel",
      "  1  files and conversation",
      "  2  conversation",
      "  3  files",
      "Number (0-3, default 0): ",
    ]);
  });

  it("keeps what was changed outside since, says so, and takes or merges it when asked", async () => {
    const shop = await worked();
    shop.put("mine.txt", "mine, edited\n");
    const said = await shop.worldline("rewind start --scope files");
    expect(said.code).toBe(0);
    expect(said.stdout).toContain("  kept  mine.txt  (changed outside this session)\n");
    expect(shop.files()["mine.txt"]).toBe("mine, edited\n");
    const taken = await shop.worldline("rewind start --scope files --take");
    expect(taken.stderr).toContain(
      "  mine.txt was edited outside this session: overwrite with the checkpoint's version\n",
    );
    expect(shop.files()).toEqual({ "mine.txt": "mine\n", "its.txt": expect.any(String) });
  });

  it("leaves files alone when only the conversation goes back, and says how many differ", async () => {
    const shop = workshop();
    shop.put("a.txt", "one\n");
    await agentWorks(shop, () => undefined, "new");
    await shop.worldline("checkpoint start");
    await agentWorks(shop, () => shop.put("a.txt", "two\n"));
    expect(await shop.text("rewind start --scope conversation")).toContain(
      "Files stay as they are: 1 path differs from #2\n",
    );
    expect(shop.files()).toEqual({ "a.txt": "two\n" });
    await shop.worldline("redo");
    expect(await shop.data("rewind start --scope conversation")).toMatchObject({
      files: null,
      differ: [{ path: "a.txt" }],
    });
  });
});
