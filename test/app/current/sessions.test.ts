import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newOwner, realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { type OpenSessionOptions, openSession } from "../../../src/open-session.ts";
import type { EntryId, SessionId } from "../../../src/record/ids.ts";
import { markdownTexts } from "../../../src/show/entry-text.ts";
import { sessionTitle } from "../../../src/show/session-text.ts";
import { en } from "../../../src/strings/en.ts";
import { playground } from "../../cli/support/command-line.ts";
import { tellConversation } from "../../cli/support/conversation.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";
import { ruinLog } from "../support/ruin-log.ts";

/** An app whose session has one exchange. */
async function begun() {
  const place = playground();
  const opened = await talkingApp(place, { text: "One." }, { text: "Two." }, { text: "Three." });
  await opened.app.agent.prompt("find the leak");
  const first = opened.app.agent.session;
  return { ...opened, place, first };
}

describe("the sessions of a app", () => {
  it("are found by their id, how it begins, their title, or a part of it", async () => {
    const { app, first } = await begun();
    await app.sessions.begin();
    await app.agent.prompt("find the leak in the tests");
    const second = app.agent.session;
    const found = async (wanted: string) => (await app.sessions.find(wanted)).map(({ id }) => id).toSorted();
    for (const wanted of [first, first.slice(0, -1), "Find the LEAK "])
      expect(await found(wanted)).toEqual([first]);
    expect(await found("tests")).toEqual([second]);
    expect(await found("leak")).toEqual([first, second].toSorted());
    for (const wanted of ["nothing", " "])
      await expect(app.sessions.find(wanted)).rejects.toMatchObject({
        reason: "session-not-found",
        params: { wanted },
      });
  });

  it("are left and opened, each held by one at a time", async () => {
    const { app, told, place, first } = await begun();
    await app.sessions.begin();
    const second = app.agent.session;
    expect(told.filter(({ type }) => type === "replaced")).toEqual([
      { type: "replaced", how: "begun", from: first },
    ]);
    // Other programs can write to the session that was left.
    expect((await place.worldline(["checkpoint", "--session", first])).code).toBe(0);
    await app.agent.prompt("now a test");
    await app.sessions.open(first);
    expect(app.agent.session).toBe(first);
    expect(told.filter(({ type }) => type === "replaced")).toEqual([
      { type: "replaced", how: "begun", from: first },
      { type: "replaced", how: "opened", from: second },
    ]);
    expect((await app.agent.prompt("go on")).answer).toBe("Three.");
  });

  it("stay where they are when another program holds the one that is wanted, and say which program", async () => {
    const { app, told, place, first } = await begun();
    await app.sessions.begin();
    await app.agent.run("echo here", "user-only");
    const { session } = app.agent;
    const other = await openAppAt(place, { request: { resume: { how: "resume", wanted: first } } });
    told.length = 0;
    const held = {
      code: "SESSION_HELD",
      message: expect.stringContaining(
        `Session ${first} is in use by worldline, an agent (pid ${process.pid} on `,
      ),
      hint: `Close the session in that process, or continue in a copy: worldline -r ${first} --fork`,
    };
    await expect(app.sessions.open(first)).rejects.toMatchObject(held);
    const request = { session: first, number: 1, scope: "conversation" } as const;
    await expect(app.journeys.preview(request)).rejects.toMatchObject(held);
    await expect(app.journeys.rewind(request)).rejects.toMatchObject(held);
    expect([app.agent.session, told]).toEqual([session, []]);
    await other.close();
    await app.sessions.open(first);
    expect(app.agent.session).toBe(first);
  });

  it("are listed with their content; empty ones are not", async () => {
    const { app, place, first } = await begun();
    await app.sessions.begin();
    const rows = await app.sessions.list({ of: "workspace" });
    expect(rows).toEqual([
      {
        id: first,
        title: "find the leak",
        isNamedAsSource: false,
        workspace: place.workspace,
        prompts: 1,
        messages: 2,
        entries: expect.any(Number),
        checkpoints: 2,
        created: expect.any(Number),
        used: expect.any(Number),
        damage: 0,
        place: "elsewhere",
        mode: "agent",
      },
    ]);
    expect(await app.sessions.list({ of: "all", search: "LEAK" })).toEqual(rows);
    expect(await app.sessions.list({ of: "all", search: "one." })).toEqual(rows);
    expect(await app.sessions.list({ of: "all", search: "coding agent" })).toEqual([]);
    await app.sessions.open(first);
    expect((await app.sessions.list({ of: "workspace" }))[0]?.place).toBe("here");
  });

  it("are counted where nothing can be read of them", async () => {
    const { app, place, first } = await begun();
    await app.sessions.begin();
    expect([(await app.sessions.list({ of: "all" })).length, app.sessions.unreadable()]).toEqual([1, 0]);
    ruinLog(place.home, first);
    expect([await app.sessions.list({ of: "all" }), app.sessions.unreadable()]).toEqual([[], 1]);
  });

  it("go by their first command where nothing was asked, and forks by what they come from", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    await app.agent.run("npm  test", "user-only");
    await app.agent.run("echo two", "user-only");
    const source = app.agent.session;
    const fork = await app.sessions.fork();
    const names = async () =>
      (await app.sessions.list({ of: "workspace" }))
        .map((row) => [row.id, sessionTitle(row, en), row.messages])
        .sort();
    expect(await names()).toEqual(
      [
        [source, "! npm test", 2],
        [fork, "fork of ! npm test", 2],
      ].sort(),
    );
    const { stdout } = await place.worldline("sessions list --json");
    expect(JSON.parse(stdout)).toMatchObject({
      sessions: expect.arrayContaining([
        expect.objectContaining({ id: source, title: "! npm test", messages: 2 }),
      ]),
    });
    await app.sessions.retitle("Mine");
    expect(await names()).toEqual(
      [
        [source, "! npm test", 2],
        [fork, "Mine", 2],
      ].sort(),
    );
    expect(await app.sessions.begin()).toBe("kept");
    expect(await app.sessions.begin()).toBe("gone");
  });

  it("are removed if they have no conversation", async () => {
    const { app, first, close } = await begun();
    await app.sessions.begin();
    const empty = app.agent.session;
    await app.sessions.open(first);
    await expect(app.sessions.open(empty)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    expect(app.agent.session).toBe(first);
    expect(await close()).toEqual({ resume: first });
  });

  it("may be in another workspace, whose settings then count", async () => {
    const { app, place, first, environment } = await begun();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const beside = await openAppAt(other, { environment });
    await beside.app.agent.prompt("elsewhere");
    const { session } = beside.app.agent;
    const [row] = await app.sessions.list({ of: "all", search: "elsewhere" });
    expect(row).toMatchObject({
      id: session,
      place: "elsewhere",
      heldBy: { name: expect.stringContaining("worldline") },
    });
    await expect(app.sessions.open(session)).rejects.toMatchObject({
      code: "SESSION_HELD",
      message: expect.stringMatching(
        /is in use by worldline, an agent \(pid \d+ on \S+, since [-\d]+ [:\d]+\)\.$/u,
      ),
      hint: `Close the session in that process, or continue in a copy: worldline -r ${session} --fork`,
    });
    expect(app.agent.session).toBe(first);
    expect((await app.agent.prompt("still here")).error).toBeUndefined();
    await beside.close();
    mkdirSync(join(folder, ".worldline"));
    writeFileSync(join(folder, ".worldline", "settings.json"), '{ "permissions": { "deny": ["Bash"] } }');
    await app.sessions.open(session);
    expect(app.agent.workspace).toBe(other.workspace);
    expect((await app.upkeep.permissions()).deny).toEqual(["Bash"]);
  });

  it("can be forked from the head and from an earlier place; the source stays as it is", async () => {
    const { app, told, first } = await begun();
    await app.agent.prompt("now a test");
    const { entries } = await app.queries.page({ count: 50 });
    const second = entries.find(
      (each) => each.kind === "prompt" && JSON.stringify(each).includes("now a test"),
    );
    const whole = await app.sessions.fork();
    expect(app.agent.session).toBe(whole);
    expect(told.at(-2)).toEqual({ type: "replaced", how: "forked", from: first });
    await app.sessions.open(first);
    const early = await app.sessions.fork(second?.id);
    expect(app.agent.session).toBe(early);
    const prompts = async () =>
      (await app.queries.page({ count: 50 })).entries.filter(({ kind }) => kind === "prompt").length;
    expect(await prompts()).toBe(1);
    await app.sessions.open(whole);
    expect(await prompts()).toBe(2);
  });

  it("take a title, and go to the trash, but not the one that is here", async () => {
    const { app, place, first } = await begun();
    await app.sessions.retitle("The leak");
    await expect(app.sessions.retitle("two\nlines")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    expect((await app.sessions.list({ of: "workspace" }))[0]?.title).toBe("The leak");
    await expect(app.sessions.delete(first)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await app.sessions.begin();
    await app.sessions.delete(first);
    expect(await app.sessions.list({ of: "all" })).toEqual([]);
    expect((await place.worldline(["sessions", "undelete", first])).code).toBe(0);
    await expect(app.sessions.delete("k3f9" as SessionId)).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
  });

  it.each([
    ["markdown", "md"],
    ["json", "json"],
    ["bundle", "bundle"],
  ] as const)("are written to a file, under a name that is free: %s", async (format, ending) => {
    const { app, place, first } = await begun();
    const texts = markdownTexts(en);
    const wanted = [`worldline-${first}.${ending}`, `worldline-${first}-2.${ending}`];
    expect(await app.sessions.export({ texts, format })).toBe(join(place.workspace, wanted[0] ?? ""));
    expect(await app.sessions.export({ texts, format })).toBe(join(place.workspace, wanted[1] ?? ""));
    const file = await app.sessions.export({ texts, format, file: `mine.${ending}` });
    expect(file).toBe(join(place.workspace, `mine.${ending}`));
    expect(existsSync(file)).toBe(true);
    if (format !== "bundle") expect(readFileSync(file, "utf8")).toContain("find the leak");
    await expect(app.sessions.export({ texts, format, file: `mine.${ending}` })).rejects.toMatchObject({
      code: "NEEDS_YES",
      params: { path: file },
    });
    const again = { texts, format, file: `mine.${ending}`, existing: "replace" } as const;
    expect(await app.sessions.export(again)).toBe(file);
  });

  it("are not changed while a turn runs", async () => {
    const { app, first } = await begun();
    const turn = app.agent.prompt("slowly");
    await expect(app.sessions.begin()).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await expect(app.sessions.fork()).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await expect(app.agent.prompt("another")).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await turn;
    expect(app.agent.session).toBe(first);
  });

  it("keep the mode and the model that were chosen", async () => {
    const { app } = await begun();
    app.agent.setMode("plan");
    const { name } = app.model as { name: string };
    await app.sessions.begin();
    expect(app.agent.mode).toBe("plan");
    expect(app.agent.model).toBe(name);
  });
});

describe("a session that came from elsewhere", () => {
  it("says what it claims, and can be opened once the user has confirmed it", async () => {
    const from = playground();
    const session = (await tellConversation({ home: from.home, workspace: from.workspace })) as SessionId;
    const place = playground();
    const bundle = join(place.root, "theirs.bundle");
    await from.worldline(["sessions", "export", session, "-o", bundle]);
    await place.worldline(["sessions", "import", bundle]);
    const { app } = await openAppAt(place);
    await expect(app.sessions.open(session)).rejects.toMatchObject({ code: "SESSION_UNCONFIRMED" });
    expect(await app.sessions.claims(session)).toMatchObject({
      session,
      store: "files",
      claimed: from.workspace,
      workspace: place.workspace,
    });
    await app.sessions.confirm(session);
    await app.sessions.open(session);
    expect([app.agent.session, app.agent.workspace]).toEqual([session, place.workspace]);
  });
});

describe("a fork", () => {
  it("needs a saved session, and a checkpoint at or before the place", async () => {
    const unsaved = await openAppAt(playground(), { request: { keepSession: "no" } });
    await expect(unsaved.app.sessions.fork()).rejects.toMatchObject({ reason: "session-not-kept" });
    const { app } = await openAppAt(playground());
    await app.agent.run("true", "user-only");
    const [first] = (await app.queries.page({ count: 50 })).entries;
    for (const at of [first?.id, "000000000000"] as EntryId[]) {
      await expect(app.sessions.fork(at)).rejects.toMatchObject({
        reason: "no-checkpoint-before",
        params: { entry: at },
      });
    }
  });
});

describe("a session with a lock that cannot be read", () => {
  it("is listed as held, by nobody knows whom", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = await tellConversation({ home, workspace });
    writeFileSync(join(home, "sessions", session, "lock"), "torn");
    const { app } = await openAppAt(place);
    expect(await app.sessions.list({ of: "workspace" })).toMatchObject([
      { id: session, place: "elsewhere", heldBy: "unreadable" },
    ]);
  });
});

describe("a session that a killed program has left locked", () => {
  it("is listed as free", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = await tellConversation({ home, workspace });
    const killed = { ...newOwner(realProcesses(home), systemClock, "killed"), pid: 4_194_303, started: "x" };
    writeFileSync(join(home, "sessions", session, "lock"), JSON.stringify(killed));
    const { app } = await openAppAt(place);
    const [row] = await app.sessions.list({ of: "workspace" });
    expect(row).toMatchObject({ id: session, place: "elsewhere" });
    expect(row).not.toHaveProperty("heldBy");
  });
});

describe("an empty session", () => {
  it("is kept if it cannot be removed", async () => {
    const place = playground();
    const { app, close } = await openAppAt(place);
    const { session } = app.agent;
    writeFileSync(join(place.home, "trash"), "");
    expect(await close()).toEqual({ resume: session });
  });
});

describe("the list of sessions", () => {
  it("has those that can be opened, in this workspace or in all", async () => {
    const place = playground();
    const { home, workspace, root } = place;
    const folder = join(root, "other");
    mkdirSync(folder);
    const begun = async (options: Partial<OpenSessionOptions>, prompt = "find it") => {
      const session = await openSession({ home, workspace, ...options });
      if (prompt !== "") await session.prompt(prompt);
      await session.close();
      return session.id;
    };
    const here = await begun({});
    const there = await begun({ workspace: folder });
    await begun({}, "");
    await begun({ task: { session: here, call: "c1" } as never });
    const execution = await openExecution("exec-1", { home, workspace });
    await execution.step("load", () => 1);
    await execution.close();
    const { app } = await openAppAt(place);
    const ids = async (of: "workspace" | "all") => (await app.sessions.list({ of })).map(({ id }) => id);
    expect([await ids("workspace"), (await ids("all")).toSorted()]).toEqual([
      [here],
      [here, there].toSorted(),
    ]);
    await app.sessions.open(there);
    expect(app.warnings).toEqual([
      { code: "session-elsewhere", session: there, workspace: realpathSync(folder) },
    ]);
    await app.sessions.openFolder(folder);
    expect(app.agent.session).toBe(there);
    await app.sessions.open(here);
    expect(app.warnings).toEqual([{ code: "session-elsewhere", session: here, workspace }]);
    await app.sessions.begin();
    await app.sessions.open(here);
    expect(app.warnings).toEqual([]);
  });
});

describe("the export of the current session", () => {
  it("is what the command line exports", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = await tellConversation({ home, workspace });
    const { app } = await openAppAt(place, { request: { resume: { how: "resume", wanted: session } } });
    const file = await app.sessions.export({ texts: markdownTexts(en), format: "markdown" });
    const other = join(workspace, "other.md");
    await place.worldline(["sessions", "export", session, "--format", "markdown", "-o", other]);
    expect(readFileSync(file, "utf8")).toBe(readFileSync(other, "utf8"));
  });
});
