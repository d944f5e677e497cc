import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

describe("worldline checkpoint", () => {
  it("begins the workspace's own session if there is none, and continues it", async () => {
    const { worldline } = playground();
    const first = await worldline("checkpoint --json");
    const document = JSON.parse(first.stdout);
    expect(document).toEqual({
      session: expect.any(String),
      began: "now",
      number: 1,
      label: null,
      files: {
        state: "complete",
        snapshot: expect.stringMatching(/^[0-9a-f]{64}$/u),
        read: 0,
        changed: null,
        gaps: [],
      },
    });
    expect(await worldline(["checkpoint", "before refactoring"])).toEqual({
      code: 0,
      stdout:
        `Checkpoint #2 "before refactoring" in session ${document.session}\n` +
        "Files captured: no files changed since #1\n",
      stderr: `Session ${document.session} (this workspace's own), the most recent one here.\n`,
    });
    const log = JSON.parse((await worldline("log --json")).stdout);
    expect(log.entries[0]).toMatchObject({ kind: "session", mode: "workspace" });
  });

  it("uses the session last used here, whichever program created it", async () => {
    const { worldline, home, workspace } = playground();
    await worldline("checkpoint");
    const session = await tellConversation({ home, workspace });
    expect(JSON.parse((await worldline("checkpoint --json")).stdout)).toMatchObject({ session, number: 6 });
  });

  it.each(["12", " 12 ", "#12", "-3", "abc:1", "abc:#1", "", "a\nb", "x".repeat(101)])(
    "refuses the label %j before it makes anything",
    async (label) => {
      const { worldline, everything } = playground();
      const before = everything();
      const { code, stderr } = await worldline(["checkpoint", "--", label]);
      expect({ code, stderr }).toEqual({
        code: 42,
        stderr: expect.stringContaining("cannot be used as a label"),
      });
      expect(everything()).toEqual(before);
    },
  );
});

describe("labels that look alike", () => {
  it("are named when one is given, and when one is used", async () => {
    const { worldline } = playground();
    await worldline(["checkpoint", "Before it"]);
    const warning = '"before it" looks like "Before it", the label of another checkpoint';
    const made = await worldline(["checkpoint", "before it"]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining(warning)]);
    const json = JSON.parse((await worldline(["label", "2", "before  it", "--json"])).stdout);
    expect(json.warnings).toEqual([expect.stringContaining('looks like "Before it"')]);
    await worldline(["label", "2", "before it"]);
    const shown = await worldline(["diff", "before it"]);
    expect(shown.stderr).toContain(warning);
    expect((await worldline(["label", "2", "after it"])).stderr).not.toContain("looks like");
  });

  it("are found by exactly what was typed, composed or not", async () => {
    const { worldline } = playground();
    await worldline(["checkpoint", "caf\u00e9"]);
    expect((await worldline(["diff", "cafe\u0301"])).code).toBe(0);
    expect((await worldline(["diff", "CAF\u00c9"])).stderr).toContain("No checkpoint is called");
  });
});

describe("worldline checkpoints", () => {
  it("says so when there are none", async () => {
    const { worldline } = playground();
    expect(await worldline("checkpoints")).toEqual({
      code: 0,
      stdout: "No checkpoints found.\n",
      stderr: "",
    });
    expect(JSON.parse((await worldline("checkpoints --json")).stdout)).toEqual({
      session: null,
      checkpoints: [],
    });
  });

  it("lists them newest first, by label or prompt or time, and says which were left", async () => {
    const { worldline, home, workspace } = playground();
    await tellConversation({ home, workspace });
    await worldline("checkpoint");
    await worldline(["label", "1", "start"]);
    const { stdout } = await worldline("checkpoints --steps");
    const lines = stdout.split("\n").map((line) => line.replace(/ {2}(just now|\d+ s ago)\s+/u, "  "));
    expect(lines).toEqual([
      expect.stringMatching(/^#6 {2}manual {2}captured {2}Checkpoint at \d\d:\d\d:\d\d$/u),
      "#5  step    none      now write a test",
      "#4  prompt  none      now write a test",
      "#3  step    none      find the leak (on another branch)",
      "#2  step    none      find the leak",
      "#1  prompt  none      [start] find the leak",
      "",
    ]);
    const { checkpoints } = JSON.parse((await worldline("checkpoints --json")).stdout);
    expect(checkpoints.map(({ number }: { number: number }) => number)).toEqual([6, 4, 1]);
    expect(checkpoints.at(-1)).toMatchObject({
      on: "prompt",
      branch: "here",
      label: "start",
      prompt: "find the leak",
      files: { state: "none" },
    });
  });

  it("lists those of the other sessions of the workspace as session:number", async () => {
    const { worldline, home, workspace, root } = playground();
    const other = await tellConversation({ home, workspace });
    await tellConversation({ home, workspace: root });
    const here = await openSession({ home, workspace });
    await here.prompt("something else");
    await here.close();
    const { stdout } = await worldline("checkpoints --all");
    const references = stdout.split("\n").map((line) => line.split(" ")[0]);
    expect(references).toEqual(["#1", `${other}:4`, `${other}:1`, ""]);
  });
});

describe("worldline label", () => {
  it("names a checkpoint, renames it and takes the name away", async () => {
    const { worldline, home, workspace } = playground();
    await tellConversation({ home, workspace });
    const said = async (...words: string[]) => (await worldline(["label", ...words])).stdout;
    expect(await said("4", "tests")).toBe('Checkpoint #4 is now labeled "tests".\n');
    expect(await said("4", " tests ")).toBe('Checkpoint #4 is already labeled "tests".\n');
    expect(await said("tests", "more tests")).toBe('Checkpoint #4 is now labeled "more tests".\n');
    expect(await said("more tests", "")).toBe('Checkpoint #4 is no longer labeled "more tests".\n');
    expect(await said("4", "")).toBe("Checkpoint #4 has no label.\n");
    const [first] = JSON.parse((await worldline("checkpoints --json")).stdout).checkpoints;
    expect(first).not.toHaveProperty("label");
  });

  it("finds a label in any session of the workspace, the newest first, and says where", async () => {
    const { worldline, home, workspace } = playground();
    const older = await tellConversation({ home, workspace });
    await worldline(["label", "1", "place"]);
    await worldline(["label", "4", "only here"]);
    const newer = await tellConversation({ home, workspace });
    await worldline(["label", "1", "place"]);
    const at = async (cp: string, ...more: string[]) =>
      JSON.parse((await worldline(["context", "--at", cp, "--json", ...more])).stdout);
    expect(await at("place")).toMatchObject({ session: newer, at: 1 });
    expect(await at("only here")).toMatchObject({ session: older, at: 4 });
    expect(await at("place", "--session", older)).toMatchObject({ session: older, at: 1 });
    const { stderr } = await worldline(["context", "--at", "only here"]);
    expect(stderr).toBe(`Session ${older} "find the leak"\n`);
  });
});
