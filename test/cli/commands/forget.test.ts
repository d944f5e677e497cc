import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../support/command-line.ts";

const SECRET = "sk-live-4242/abc.def";

async function leaked() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await openSession({ home, workspace });
  await session.retitle(`the key is ${SECRET}`);
  await session.prompt(`use ${SECRET} for it`);
  await session.reply({
    model: "m",
    parts: [{ type: "tool-call", call: "c1", name: "Read", input: { path: "keys/.env" } }],
  });
  await session.toolStart("c1", "Read");
  await session.toolEnd("c1", "ok", `KEY=${SECRET}`);
  await session.close();
  return {
    ...place,
    session: session.id,
    data: async (words: readonly string[]) => JSON.parse((await worldline([...words, "--json"])).stdout),
    /** Every file in Worldline's home that still contains the secret. */
    holders: () =>
      readdirSync(home, { recursive: true, encoding: "utf8", withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name))
        .filter((path) => readFileSync(path, "utf8").includes(SECRET)),
  };
}

describe("worldline forget", () => {
  it("takes a text from a pipe, forgets it everywhere, and never says it", async () => {
    const { worldline, session, holders } = await leaked();
    expect(holders()).not.toEqual([]);
    const said = await worldline("forget - --yes", { piped: `${SECRET}\n` });
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(
      /^Forgotten in 3 places in 1 session: permanently replaced with \[forgotten\]\.\n/u,
    );
    expect(said.stdout).toContain(`${session}: 3 places in 3 entries\nNot covered: `);
    expect(said.stdout + said.stderr).not.toContain(SECRET);
    expect(holders()).toEqual([]);
    expect((await worldline("sessions")).stdout).toContain("the key is [forgotten]");
  });

  it("shows the plan without changing anything, and without saying what it is about", async () => {
    const { worldline, data, session, everything } = await leaked();
    const before = everything();
    const dry = await worldline(["forget", SECRET, "--dry-run"]);
    expect(dry).toEqual({
      code: 0,
      stdout: `${session}: 3 places in 3 entries\nNothing was changed: this was a dry run.\n`,
      stderr: "",
    });
    expect(await data(["forget", "--text", SECRET, "--dry-run"])).toEqual({
      what: "text",
      sessions: [{ session, entries: 3, times: 3 }],
      inTrash: [],
      unseen: [],
      hostSessions: [],
      keptByHosts: [],
      files: {
        contents: 0,
        snapshots: 0,
        places: [],
        inWorkspace: [],
        inNames: 0,
        labels: 0,
        unreadable: 0,
        unlisted: [],
      },
      inHome: { typed: 0, outputs: 0, others: [], unreadable: [], databases: [] },
      changed: false,
    });
    expect((await worldline(["forget", "never said", "--dry-run"])).stdout).toContain(
      "Not found in any session or in any file in a snapshot.\n",
    );
    expect(everything()).toEqual(before);
  });

  it("asks first, and takes anything but yes for a no", async () => {
    const { worldline, holders, everything } = await leaked();
    const before = everything();
    const no = await worldline(["forget", SECRET], { typed: "\n" });
    expect(no).toMatchObject({ code: 130, stdout: "" });
    expect(no.stderr).toContain("Permanently forget it in 3 places in 1 session? [y/N]");
    expect(no.stderr).not.toContain(SECRET);
    const nobody = await worldline(["forget", SECRET]);
    expect(nobody).toMatchObject({ code: 42, stderr: expect.stringContaining("--yes") });
    expect(nobody.stderr).not.toContain(SECRET);
    expect(everything()).toEqual(before);
    expect(await worldline(["forget", SECRET], { typed: "yes\n" })).toMatchObject({ code: 0 });
    expect(holders()).toEqual([]);
  });

  it("forgets what tools reported about a file", async () => {
    const { worldline, data, session, workspace } = await leaked();
    expect(await data(["forget", "--path", "keys/.env", "--yes"])).toMatchObject({
      what: "path",
      path: join(workspace, "keys/.env"),
      sessions: [{ session, entries: 1, times: 1 }],
      left: [],
      changed: true,
    });
    const { stdout } = await worldline("log --full --kind tool-end");
    expect(stdout).not.toContain(SECRET);
    expect(stdout).toContain("[forgotten]");
    expect((await worldline("log --full --kind prompt")).stdout).toContain(SECRET);
  });

  it("wants to know which is meant when the argument may be a file, there or only named by a tool", async () => {
    const { worldline, workspace, everything } = await leaked();
    writeFileSync(join(workspace, "notes"), "");
    const before = everything();
    for (const argument of ["notes", "keys/.env", join(workspace, "keys/.env")]) {
      expect(await worldline(["forget", argument, "--yes"])).toMatchObject({
        code: 42,
        stderr: expect.stringMatching(
          /^error: This could be a file[\s\S]*--path <file>[\s\S]*--text <text>/u,
        ),
      });
    }
    expect(everything()).toEqual(before);
    expect(await worldline(["forget", "--text", "keys/.env", "--dry-run"])).toMatchObject({ code: 0 });
  });

  it.each([
    ["forget", "-hunter2"],
    ["forget", "--hunter2"],
    ["forget", "--hunter2=hunter2"],
    ["forget", "-yhunter2", "--yes"],
    ["forget", "my", "password", "is", "hunter2"],
    ["forget", "--path"],
    ["forget", "--", "hunter2", "hunter2"],
  ])("does not repeat what it cannot read: %s %s", async (...words) => {
    const { worldline } = await leaked();
    const said = await worldline(words, { environment: { WORLDLINE_DEBUG: "1" } });
    expect(said).toMatchObject({ code: 2, stdout: "" });
    expect(said.stderr).not.toContain("hunter2");
    expect(said.stderr).toContain("hint:");
  });

  it("accepts a text that begins with a dash after `--`", async () => {
    const { worldline } = await leaked();
    const refused = await worldline(["forget", "-live-4242", "--dry-run"]);
    expect(refused.stderr).toBe(
      "error: An argument begins with a dash but is not an option for this command.\n" +
        "hint: If it is text, put -- before it (worldline forget -- <text>), or read it from a pipe: worldline forget -\n",
    );
    const taken = await worldline(["forget", "--dry-run", "--", "-live-4242"]);
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining("3 places in 3 entries") });
  });

  it("also forgets in the trash", async () => {
    const { worldline, holders, session } = await leaked();
    await worldline(`sessions delete ${session}`);
    const asked = await worldline(["forget", SECRET]);
    expect(asked.stderr).toContain("1 session in the trash will be searched too.");
    expect((await worldline(["forget", SECRET, "--yes"])).stdout).toContain(
      `${session}: 3 places in 3 entries (in the trash)`,
    );
    expect(holders()).toEqual([]);
    expect(await worldline(`sessions undelete ${session}`)).toMatchObject({ code: 0 });
  });

  it("says when the store could not be cleaned of it yet, and the same command does that later", async () => {
    const { home, root, workspace, worldline } = playground();
    const path = join(root, "sessions.db");
    const session = await openSession({ home, workspace, store: `sqlite:${path}` });
    await session.prompt(`use ${SECRET} for it`);
    await session.close();
    const inFiles = () =>
      readdirSync(root)
        .filter((name) => name.startsWith("sessions.db"))
        .sort();
    const reader = new Libsql(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT version FROM worldline_schema").all([]);
    const forgetting = ["forget", SECRET, "--yes", "--store", `sqlite:${path}`];
    const said = await worldline([...forgetting, "--json"]);
    const why = `${path} has been in use by another program for 2 seconds.`;
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout)).toMatchObject({
      sessions: [{ session: session.id, entries: 1, times: 1 }],
      left: [],
      notScrubbed: why,
      warnings: [
        expect.stringContaining(`${why} Run this command again when no program is using the store.`),
      ],
      changed: true,
    });
    reader.exec("COMMIT");
    reader.close();
    expect((await worldline(forgetting)).stderr).toContain("The text does not occur in any session");
    for (const name of inFiles()) expect(readFileSync(join(root, name)).includes(SECRET)).toBe(false);
  });

  it("changes nothing while a session that holds it is in use", async () => {
    const { home, workspace, worldline, session, everything } = await leaked();
    const held = await openSession({ home, workspace, resume: session, name: "another agent" });
    const before = everything();
    expect(await worldline(["forget", SECRET, "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/in use by another agent[\s\S]*Nothing was forgotten\./u),
    });
    expect(everything()).toEqual(before);
    await held.close();
  });
});
