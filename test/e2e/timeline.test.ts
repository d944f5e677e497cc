import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tellConversation } from "../cli/support/conversation.ts";
import { machine } from "./binary.ts";

const names = "checkpoint checkpoints label rewind redo fork log tree context story".split(" ");

async function told() {
  const place = machine();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  return {
    ...place,
    session,
    data: async (...words: string[]) => JSON.parse((await worldline([...words, "--json"])).stdout),
  };
}

describe("the timeline on the built command line", () => {
  it.each(names)("explains %s, with examples", async (name) => {
    const { code, stdout, stderr } = await machine().worldline([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: worldline ${name}`, "u"));
    expect(stdout).toContain(`Examples:\n  worldline ${name}`);
  });

  it("makes, names and lists checkpoints", async () => {
    const { data, worldline } = await told();
    expect(await data("checkpoint", "tests pass")).toMatchObject({ number: 6, label: "tests pass" });
    expect((await worldline(["label", "1", "start"])).stdout).toBe('Checkpoint #1 is now labeled "start".\n');
    expect((await worldline(["checkpoints"])).stdout).toMatch(
      /^#6 .*\[tests pass\]\n#4 .*\n#1 .*\[start\] find the leak\n$/u,
    );
  });

  it("rewinds, redoes and forks", async () => {
    const { data, worldline, session } = await told();
    const before = await data("context");
    expect((await worldline(["rewind", "1", "--scope", "conversation"])).stdout).toContain(
      "Restored to checkpoint: #1",
    );
    expect((await data("context")).messages).toEqual([]);
    expect((await data("redo", "--list")).journeys).toHaveLength(2);
    expect((await worldline(["redo"])).stdout).toMatch(/^Undid the rewind /u);
    expect(await data("context")).toEqual(before);
    const fork = await data("fork", "--at", "4");
    expect(fork).toMatchObject({ forkedFrom: session, at: 4 });
    expect((await data("log", "--session", fork.session)).entries).toHaveLength(fork.entries);
    expect(await worldline(["rewind", "1", "--scope", "both"])).toMatchObject({ code: 1, stdout: "" });
  });

  it("shows the log, the tree and the context", async () => {
    const { data, worldline, session } = await told();
    expect((await worldline(["log"])).stdout.split("\n")).toHaveLength(18);
    expect(await worldline(["tree"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /\n├─○ tool-end, line 11: 7 entries on another branch \(worldline redo [a-z0-9]{12}\)\n● backtrack to #2/u,
      ),
      stderr: `Session ${session} "find the leak", the most recent one here.\n`,
    });
    const text = (await worldline(["context"])).stdout;
    for (const { parts } of (await data("context")).messages) {
      for (const part of parts) expect(text).toContain(part.text);
    }
  });

  it("finds the workspace from a folder inside it, once it has a session", async () => {
    const { worldline, workspace, session } = await told();
    const inside = join(workspace, "packages", "one");
    mkdirSync(inside, { recursive: true });
    expect(JSON.parse((await worldline(["checkpoints", "--json"], inside)).stdout)).toMatchObject({
      session,
    });
  });

  it("gives eight processes that write at once a place each", async () => {
    const { data } = await told();
    const made = await Promise.all(Array.from({ length: 8 }, () => data("checkpoint")));
    const numbers = made.map(({ number }) => number as number);
    expect(numbers.sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
    const log = await data("log");
    expect(log.damage).toEqual([]);
    expect(log.entries.map(({ seq }: { seq: number }) => seq)).toEqual(
      log.entries.map((_: unknown, index: number) => index + 1),
    );
  });
});

describe("worldline story", () => {
  it("proves every claim on a real timeline and leaves no files", async () => {
    const { worldline, home, temporary, workspace } = machine();
    const { code, stdout, stderr } = await worldline(["story"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("The model, the tools and the user are scripted, so no model is called");
    expect(stdout).toContain("├─○");
    expect(stdout).not.toContain("✘");
    expect(stdout.split("\n").length).toBeLessThan(60);
    expect([readdirSync(temporary), readdirSync(workspace)]).toEqual([[], []]);
    expect(() => readdirSync(home)).toThrow("ENOENT");
  });

  it("gives its claims as data", async () => {
    const { stdout } = await machine().worldline(["story", "--json"]);
    const { scripted, acts, claims } = JSON.parse(stdout);
    expect({ scripted, acts: acts.length }).toEqual({ scripted: true, acts: 10 });
    expect(claims.filter(({ holds }: { holds: boolean }) => !holds)).toEqual([]);
    expect(claims.length).toBeGreaterThan(10);
  });
});
