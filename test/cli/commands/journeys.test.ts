import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

const ids = /\b[0-9a-hjkmnp-tv-z]{12}\b/gu;

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  return {
    ...place,
    session,
    log: () => readFileSync(join(home, "sessions", session, "log.jsonl"), "utf8"),
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
    text: async (line: string) => (await worldline(line)).stdout.replaceAll(ids, "<id>"),
  };
}

describe("worldline rewind", () => {
  it("goes back, says what leaves the branch and how to return, and gives the prompt back", async () => {
    const { text } = await told();
    const said = await text("rewind 4 --scope conversation");
    expect(said.replace(/Context: \d+ -> \d+/u, "Context: <n> -> <n>")).toBe(
      [
        "Restored to checkpoint: #4 now write a test",
        "3 entries moved to another branch",
        "Context: <n> -> <n> tokens",
        "Prompt to edit and send again:",
        "  now write",
        "  a test",
        "Undo this: worldline redo",
        "",
      ].join("\n"),
    );
  });

  it("answers with data", async () => {
    const { data, session } = await told();
    expect(await data("restore 4 --scope conversation")).toEqual({
      session,
      to: 4,
      label: null,
      scope: "conversation",
      changed: true,
      journey: expect.any(String),
      left: 3,
      back: 0,
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      prompt: [{ type: "text", text: "now write\na test" }],
      files: null,
      filesStay: null,
      differ: [],
    });
    expect((await data("log")).entries.at(-1)).toMatchObject({
      kind: "rewind",
      to: 4,
      scope: "conversation",
    });
  });

  it("goes to a branch that was left, and brings its entries back", async () => {
    const { data } = await told();
    expect(await data("rewind 3 --scope conversation")).toMatchObject({ left: 6, back: 4, prompt: null });
  });

  it("shows what would happen, and changes nothing", async () => {
    const { text, data, everything } = await told();
    const before = everything();
    expect(await data("rewind 1 --scope conversation --dry-run")).toMatchObject({
      to: 1,
      changed: false,
      journey: null,
      left: 8,
    });
    expect(await text("rewind 1 --scope conversation --dry-run")).toMatch(
      /^Would restore to checkpoint: #1 find the leak\n.*Nothing was changed: this was a dry run\.\n$/su,
    );
    expect(everything()).toEqual(before);
  });

  it.each([
    ["--scope both", "files-not-captured"],
    ["--scope files", "files-not-captured"],
    ["--scope both --setting enableFileCheckpointing=false", "checkpointing-off"],
  ] as const)("does not claim to restore files that it has not (%j)", async (options, why) => {
    const { worldline, log, session } = await told();
    const errors = {
      "files-not-captured": {
        reason: "files-not-captured",
        params: { checkpoint: 1 },
        message: "The files for checkpoint 1 were not captured.",
      },
      "checkpointing-off": {
        reason: "rewind-files-unusable",
        params: {
          session,
          checkpoint: 1,
          mode: "agent",
          problem: { code: "REWIND_REFUSED", reason: "checkpointing-off", params: {} },
        },
        message: "Checkpoint feature not enabled",
      },
    };
    const before = log();
    const said = await worldline(`rewind 1 --json ${options}`);
    expect({ ...said, stderr: "" }).toEqual({ code: 1, stdout: expect.any(String), stderr: "" });
    expect(JSON.parse(said.stdout)).toEqual({
      error: {
        code: "REWIND_REFUSED",
        ...errors[why],
        hint: expect.stringContaining("--scope conversation"),
      },
    });
    expect(log()).toEqual(before);
  });

  it("is refused if there are no files to take along, and says how to rewind only the conversation", async () => {
    const { worldline, session, log } = await told();
    const before = log();
    for (const line of ["rewind 4", "rewind 4 --dry-run"]) {
      expect(await worldline(line)).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(
          [
            "error: The files for checkpoint 4 were not captured.",
            `hint: Nothing was changed. To rewind only the conversation, use worldline rewind ${session}:4 --scope conversation`,
          ].join("\n"),
        ),
      });
    }
    expect(log()).toEqual(before);
  });

  it("moves the conversation where files are switched off, and says that they stay", async () => {
    const { text, data } = await told();
    const off = "--setting enableFileCheckpointing=false";
    expect((await text(`rewind 4 ${off}`)).split("\n")).toContain(
      "Files stay as they are: Checkpoint feature not enabled",
    );
    expect(await data(`rewind 1 ${off}`)).toMatchObject({
      scope: "conversation",
      changed: true,
      filesStay: "Checkpoint feature not enabled",
    });
  });

  it("refuses two answers to the same question", async () => {
    const { worldline } = await told();
    expect(await worldline("rewind 1 --keep --take")).toMatchObject({ code: 2 });
    expect(await worldline("rewind 1 --scope conversation --only a")).toMatchObject({ code: 42 });
  });

  it("lets the user choose from a list with (current) as the default", async () => {
    const { worldline, session } = await told();
    const { code, stdout, stderr } = await worldline("rewind --scope conversation", { typed: "2\n" });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Restored to checkpoint: #1 /u),
    });
    expect(stderr.replaceAll(/(just now|\d s ago) */gu, "").split("\n")).toEqual([
      `Session ${session} "find the leak", the most recent one here.`,
      "Rewind to:",
      "  0  (current)",
      "  1  #4         now write a test",
      "  2  #1         find the leak",
      "Number (0-2, default 0): ",
    ]);
  });

  it.each([
    ["\n", 0],
    ["0\n", 0],
    ["", 0],
    ["\u001b\n", 0],
    ["3\n", 0],
    ["-1\n\n", 0],
    ["one\n3\n-1\n0\n", 0],
    ["one\n3\n-1\n1.5\n1\n", 42],
  ])("does nothing when the user types %j", async (typed, code) => {
    const { worldline, everything, home, session } = await told();
    const before = everything();
    expect(await worldline("rewind --scope conversation", { typed })).toMatchObject({ code });
    // Only the opening of the menu is recorded, outside the sessions.
    const activity = join(home, "activity.jsonl");
    expect(JSON.parse(readFileSync(activity, "utf8"))).toEqual({
      at: expect.any(String),
      did: "rewind-menu-opened",
      in: "command-line",
      session,
    });
    rmSync(activity);
    expect(everything()).toEqual(before);
  });
});

describe("a mistyped row", () => {
  it("is asked again", async () => {
    const { worldline } = await told();
    const { code, stdout, stderr } = await worldline("rewind", { typed: "5\ntwo\n2\n1\n" });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Restored to checkpoint: #1 /u),
    });
    expect(stderr.slice(stderr.indexOf("Number"))).toBe(
      [
        'Number (0-2, default 0): "5" is not on the list: type a number from 0 to 2.',
        'Number (0-2, default 0): "two" is not on the list: type a number from 0 to 2.',
        "Number (0-2, default 0): Files stay as they are: The files for checkpoint 1 were not captured.",
        "Restore what?",
        "  0  nothing: cancel",
        "  1  conversation",
        "Number (0-1, default 0): ",
      ].join("\n"),
    );
  });
});

describe("worldline redo", () => {
  it("goes forward again, and the redo can itself be undone", async () => {
    const { text, data } = await told();
    const before = (await data("context")).messages;
    const { journey } = await data("rewind 1 --scope conversation");
    const redone = await data("redo");
    expect(redone).toMatchObject({ changed: true, undone: journey, left: 1, back: 8 });
    expect((await data("context")).messages).toEqual(before);
    expect(await text(`redo ${redone.journey.slice(0, 8)}`)).toMatch(
      /^Undid the redo <id> of the rewind <id>\n/u,
    );
    expect((await data("context")).messages).toEqual([]);
  });

  it("lists every journey with where its undo leads, and what left there", async () => {
    const { worldline, data, session } = await told();
    await data("rewind 4 --scope conversation");
    await data("redo");
    const { stdout } = await worldline("redo --list");
    expect(stdout.replaceAll(ids, "<id>").replaceAll(/(just now|\d s ago) */gu, "")).toBe(
      [
        "Return to:",
        "<id>  #4 now write a test  left by a redo to #5",
        "<id>  #5 now write a test  left by a rewind to #4     undone",
        "<id>  #3 find the leak     left by a backtrack to #2          it is in pool.ts",
        "",
      ].join("\n"),
    );
    const { journeys } = await data("redo --list");
    expect(journeys.map(({ kind, state }: Record<string, unknown>) => [kind, state])).toEqual([
      ["redo", "open"],
      ["rewind", "undone"],
      ["backtrack", "open"],
    ]);
    expect(journeys[0]).toMatchObject({ returnsTo: { checkpoint: 4 }, landed: 5, next: false });
    expect((await data("redo --list")).session).toBe(session);
  });

  it("of a journey that a fork does not hold is reported as belonging to another session", async () => {
    const { text, data } = await told();
    await data("rewind 4 --scope conversation");
    await data("redo");
    await data("fork");
    expect(await text("log")).toMatch(/redo +of a journey in another session to line /u);
  });

  it("finds nothing after new work, and undoes an older journey by its id alone", async () => {
    const { worldline, data } = await told();
    const refused = await worldline("redo");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "error: Nothing to redo.\nhint: To return to a branch that you left earlier, use worldline redo --list",
    );
    const { journeys } = await data("redo --list");
    const [backtrack] = journeys;
    expect(await worldline(`redo ${backtrack.id}`)).toMatchObject({ code: 42 });
    const asked = await worldline(`redo ${backtrack.id}`, { typed: "n\n" });
    expect(asked.stderr).toContain("Undo the backtrack at #2? This leaves #5 behind.");
    expect((await data("redo --list")).journeys).toEqual(journeys);
    expect(await data(`redo ${backtrack.id} --yes`)).toMatchObject({
      changed: true,
      newer: { checkpoint: 5 },
    });
  });

  it("shows what would happen, and changes nothing", async () => {
    const { text, data, everything } = await told();
    const [backtrack] = (await data("redo --list")).journeys;
    const before = everything();
    expect(await text(`redo ${backtrack.id} --dry-run`)).toMatch(
      /^Would undo the backtrack <id> to #2\nLeaves newer work behind, up to #5 \(still shown by worldline tree\)\n/u,
    );
    expect(everything()).toEqual(before);
  });
});

describe("worldline fork", () => {
  it("begins a session with the branch up to a checkpoint, and leaves the source as it is", async () => {
    const { text, data, session, workspace } = await told();
    const source = await data("log");
    const fork = await data("fork --at 4");
    expect(fork).toEqual({
      session: expect.any(String),
      forkedFrom: session,
      at: 4,
      entries: 7,
      workspace,
      files: null,
    });
    expect(await data(`log --session ${session}`)).toEqual(source);
    expect((await data(`context --session ${fork.session}`)).messages).toEqual(
      (await data(`context --at ${session}:4`)).messages,
    );
    expect((await data("log")).session).toBe(fork.session);
    expect(await text(`fork ${session}`)).toMatch(
      /^New session .*\nThe fork contains the whole branch: 10 entries\n/u,
    );
  });

  it("works in the current folder, even if the session's own is gone", async () => {
    const { worldline, root, workspace, session } = await told();
    const here = join(root, "another machine's");
    mkdirSync(here);
    writeFileSync(join(here, "kept.txt"), "as it was");
    rmSync(workspace, { recursive: true });
    const said = await worldline(`fork ${session} --here --json`, { cwd: here });
    expect(JSON.parse(said.stdout)).toMatchObject({ forkedFrom: session, workspace: here, files: null });
    expect(readFileSync(join(here, "kept.txt"), "utf8")).toBe("as it was");
    expect(await worldline(`fork ${session} --here --into x --at 4`, { cwd: here })).toMatchObject({
      code: 2,
    });
  });

  it("refuses two sessions that are not the same", async () => {
    const { worldline, home, workspace, session } = await told();
    const other = await tellConversation({ home, workspace });
    expect(await worldline(`fork ${session} --session ${other}`)).toMatchObject({ code: 42, stdout: "" });
    expect(await worldline(`fork ${session} --at ${other}:1`)).toMatchObject({ code: 42, stdout: "" });
    expect(await worldline(`fork ${session} --session ${session}`)).toMatchObject({ code: 0 });
  });
});
