import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  return {
    ...place,
    session,
    folder: join(home, "sessions", session),
    data: async (line: string | readonly string[]) => {
      const words = typeof line === "string" ? line.split(" ") : line;
      return JSON.parse((await worldline([...words, "--json"])).stdout);
    },
  };
}

/** Overwrites the start of a log line so that it can no longer be parsed. */
function damage(folder: string, line: number): void {
  const log = join(folder, "log.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  lines[line - 1] = `X${lines[line - 1]?.slice(1)}`;
  writeFileSync(log, lines.join("\n"));
  rmSync(join(folder, "index"), { force: true });
}

describe("worldline sessions list", () => {
  it("lists the sessions of this workspace, last used first", async () => {
    const { home, workspace, worldline, session } = await told();
    const second = await openSession({ home, workspace });
    await second.prompt("a second one\nof two lines");
    await second.close();
    const { code, stdout } = await worldline("sessions list");
    expect(code).toBe(0);
    expect(stdout.replaceAll(/(just now|\d+ s ago) +/gu, "<when>  ")).toBe(
      `${second.id}  <when>  1 message   1 checkpoint   a second one of two lines\n` +
        `${session}  <when>  6 messages  5 checkpoints  find the leak\n`,
    );
    expect((await worldline("sessions")).stdout).toMatch(new RegExp(`^${second.id}.*\n${session}.*\n$`, "u"));
  });

  it("names the agent of a session that another one did the last turn of, and so does show", async () => {
    const { home, workspace, worldline, data } = await told();
    const second = await openSession({ home, workspace });
    await second.prompt("mend it", { kind: "host", host: "claude", hostSession: "0f8b", message: "u1" });
    await second.close();
    expect((await worldline("sessions")).stdout.split("\n")[0]).toMatch(/ mend it \(host claude\)$/u);
    expect((await data("sessions list")).sessions[0].host).toBe("claude");
    expect((await worldline(`sessions show ${second.id}`)).stdout).toMatch(/^Host +claude$/mu);
  });

  it("lists a fork as newer than what it was forked from, and says from what", async () => {
    const { worldline, session } = await told();
    const fork = JSON.parse((await worldline("fork --json")).stdout).session;
    const { stdout } = await worldline("sessions");
    expect(stdout).toMatch(
      new RegExp(`^${fork} .*find the leak \\(forked from ${session}\\)\n${session}`, "u"),
    );
  });

  it("answers with data, and shows those of other workspaces when asked", async () => {
    const { root, home, workspace, data, session } = await told();
    const other = join(root, "other");
    mkdirSync(other);
    const elsewhere = await tellConversation({ home, workspace: other });
    const here = await data("sessions list");
    expect(here).toEqual({
      workspace,
      sessions: [
        {
          id: session,
          title: "find the leak",
          workspace,
          mode: "agent",
          prompts: 2,
          messages: 6,
          entries: expect.any(Number),
          checkpoints: 5,
          created: expect.stringMatching(/Z$/u),
          used: expect.stringMatching(/Z$/u),
          damage: 0,
        },
      ],
      broken: [],
      elsewhere: 1,
      inTrash: 0,
    });
    const all = await data("sessions list --all");
    expect(all.workspace).toBeNull();
    expect(all.sessions.map((each: { id: string }) => each.id)).toEqual([elsewhere, session]);
  });

  it("says so if there is none, and where there are some", async () => {
    const { root, worldline } = await told();
    const nowhere = join(root, "nowhere");
    mkdirSync(nowhere);
    expect(await worldline("sessions", { cwd: nowhere })).toEqual({
      code: 0,
      stdout: "No sessions found.\n1 session in other workspaces: worldline sessions list --all\n",
      stderr: "",
    });
    expect((await playground().worldline("sessions")).stdout).toBe("No sessions found.\n");
  });

  it("marks a session that is damaged, and does not lose one whose first line is gone", async () => {
    const { worldline, folder, session } = await told();
    damage(folder, 5);
    expect((await worldline("sessions")).stdout).toContain("[1 damaged place] find the leak");
    damage(folder, 1);
    rmSync(join(folder, "session.json"));
    const { stdout } = await worldline("sessions");
    expect(stdout).toContain(session);
    expect(stdout).toContain("workspace unknown");
  });
});

describe("worldline sessions show", () => {
  it("shows the session last used here, with every count", async () => {
    const { worldline, session, workspace } = await told();
    const { code, stdout, stderr } = await worldline("sessions show");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Session ${session} "find the leak", the most recent one here.\n`,
    });
    expect(stdout).toContain(`Workspace    ${workspace} (agent)\n`);
    expect(stdout).toContain("(2 prompts, 4 replies, 2 tool calls)\n");
    expect(stdout).toContain("Checkpoints  5 (2 prompt, 0 manual, 3 step)\n");
    expect(stdout).toContain("Journeys     1 (0 undone)\n");
    expect(stdout).not.toContain("Held by");
  });

  it("names the holder, what did not finish, and what is damaged, with file and line", async () => {
    const { home, workspace, worldline, data, folder, session } = await told();
    damage(folder, 5);
    const held = await openSession({ home, workspace, resume: session, name: "another agent" });
    await held.step();
    await held.reply({ model: "m", parts: [textPart("I run it.")] });
    await held.toolStart("c9", "Bash");
    const { stdout } = await worldline(`sessions show ${session.slice(0, 6)}`);
    expect(stdout).toMatch(/\nIn use by +another agent \(pid \d+ on .*\), since /u);
    expect(stdout).toMatch(/\nUnfinished +Bash \(c9\) was started but did not finish, so it may or may not/u);
    expect(stdout).toMatch(/\nDamage +log.jsonl line 5 cannot be read: /u);
    const facts = await data(`sessions show ${session}`);
    expect(facts).toMatchObject({
      id: session,
      heldBy: { life: "living", name: "another agent", pid: process.pid },
      unfinished: { calls: [{ call: "c9", name: "Bash" }] },
      damage: [{ file: "log.jsonl", line: 5 }],
      journeys: [{ kind: "backtrack", state: "open" }],
      store: { kind: "files", name: home },
      folder,
    });
    expect(facts.files.map((each: { file: string }) => each.file)).toContain("log.jsonl");
    await held.close();
  });
});

describe("worldline sessions search", () => {
  it("finds text on every branch, with its place", async () => {
    const { worldline, session } = await told();
    const { code, stdout } = await worldline(["sessions", "search", "POOL.ts"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^${session} "find the leak"\n +\\d+ ● backtrack: it is in pool\\.ts\n +\\d+ ● reply: Fixed in pool\\.ts\\.\n$`,
        "u",
      ),
    );
    expect((await worldline("sessions search noise")).stdout).toMatch(
      /○ tool-end \(other branch\): noise noise/u,
    );
  });

  it("stops at the limit and says that there is more", async () => {
    const { worldline, data } = await told();
    expect((await worldline("sessions search e --limit 2")).stdout.split("\n").slice(-2)).toEqual([
      "… more than 2 found; --limit 0 shows all",
      "",
    ]);
    const two = await data("sessions search e --limit 2");
    expect([two.found.length, two.more]).toEqual([2, true]);
    const all = await data("sessions search e --limit 0");
    expect(all.more).toBe(false);
    expect((await data(`sessions search e --limit ${all.found.length}`)).more).toBe(false);
  });

  it("shows a hit in color on a terminal only", async () => {
    const { worldline } = await told();
    const line = ["sessions", "search", "in pool."];
    const terminal = await worldline(line, { reader: "terminal" });
    expect(terminal.stdout).toContain("Fixed \u001b[33min pool.\u001b[39mts.");
    expect((await worldline(line)).stdout).not.toContain("\u001b");
  });

  it("says so if nothing is found, and searches one session or all of them", async () => {
    const { root, worldline, session } = await told();
    expect(await worldline("sessions search zebra")).toEqual({
      code: 0,
      stdout: "Nothing found.\n",
      stderr: "",
    });
    const nowhere = join(root, "nowhere");
    mkdirSync(nowhere);
    expect((await worldline("sessions search leak", { cwd: nowhere })).stdout).toBe("Nothing found.\n");
    expect((await worldline("sessions search leak --all", { cwd: nowhere })).stdout).toContain(session);
    const one = await worldline(`sessions search leak --session ${session}`, { cwd: nowhere });
    expect(one.stdout).toContain(session);
  });
});

describe("worldline sessions rename", () => {
  it("gives a title, and says when it has it already", async () => {
    const { worldline, data, session } = await told();
    const line = ["sessions", "rename", session.slice(0, 7), " The leak "];
    expect(await data(line)).toEqual({ session, title: "The leak", before: null, changed: true });
    expect((await worldline(line)).stdout).toBe(`Session ${session} is already called "The leak".\n`);
    expect((await data("sessions list")).sessions[0].title).toBe("The leak");
    expect(await data(["sessions", "rename", "the leak", "Another"])).toMatchObject({ before: "The leak" });
  });
});
