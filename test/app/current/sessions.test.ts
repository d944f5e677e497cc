import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../../src/record/ids.ts";
import { sessionTitle } from "../../../src/show/session-text.ts";
import { en } from "../../../src/strings/en.ts";
import { playground } from "../../cli/support/command-line.ts";
import { stationAt, talkingStation } from "../support/open-app-at.ts";
import { ruinLog } from "../support/ruin-log.ts";

/** An app whose session has one exchange. */
async function begun() {
  const place = playground();
  const opened = await talkingStation(place, { text: "One." }, { text: "Two." }, { text: "Three." });
  await opened.station.agent.prompt("find the leak");
  const first = opened.station.agent.session;
  return { ...opened, place, first };
}

describe("the sessions of a station", () => {
  it("are left and opened, each held by one at a time", async () => {
    const { station, told, place, first } = await begun();
    await station.sessions.begin();
    const second = station.agent.session;
    expect(told.filter(({ type }) => type === "replaced")).toEqual([
      { type: "replaced", how: "begun", from: first },
    ]);
    // Other programs can write to the session that was left.
    expect((await place.worldline(["checkpoint", "--session", first])).code).toBe(0);
    await station.agent.prompt("now a test");
    await station.sessions.open(first);
    expect(station.agent.session).toBe(first);
    expect(told.filter(({ type }) => type === "replaced")).toEqual([
      { type: "replaced", how: "begun", from: first },
      { type: "replaced", how: "opened", from: second },
    ]);
    expect((await station.agent.prompt("go on")).answer).toBe("Three.");
  });

  it("stay where they are when another program holds the one that is wanted, and say which program", async () => {
    const { station, told, place, first } = await begun();
    await station.sessions.begin();
    await station.agent.run("echo here", "user-only");
    const { session } = station.agent;
    const other = await stationAt(place, { request: { resume: { how: "resume", wanted: first } } });
    told.length = 0;
    const held = {
      code: "SESSION_HELD",
      message: expect.stringContaining(
        `Session ${first} is in use by worldline, an agent (pid ${process.pid} on `,
      ),
      hint: `Close it there, or continue in a copy: worldline -r ${first} --fork`,
    };
    await expect(station.sessions.open(first)).rejects.toMatchObject(held);
    const request = { session: first, number: 1, scope: "conversation" } as const;
    await expect(station.journeys.preview(request)).rejects.toMatchObject(held);
    await expect(station.journeys.rewind(request)).rejects.toMatchObject(held);
    expect([station.agent.session, told]).toEqual([session, []]);
    await other.close();
    await station.sessions.open(first);
    expect(station.agent.session).toBe(first);
  });

  it("are listed with their content; empty ones are not", async () => {
    const { station, place, first } = await begun();
    await station.sessions.begin();
    const rows = await station.sessions.list({ of: "workspace" });
    expect(rows).toEqual([
      {
        session: first,
        title: "find the leak",
        isNamedAsSource: false,
        workspace: place.workspace,
        messages: 2,
        at: expect.any(Number),
        place: "elsewhere",
        mode: "agent",
      },
    ]);
    expect(await station.sessions.list({ of: "all", search: "LEAK" })).toEqual(rows);
    expect(await station.sessions.list({ of: "all", search: "one." })).toEqual(rows);
    expect(await station.sessions.list({ of: "all", search: "coding agent" })).toEqual([]);
    await station.sessions.open(first);
    expect((await station.sessions.list({ of: "workspace" }))[0]?.place).toBe("here");
  });

  it("are counted where nothing can be read of them", async () => {
    const { station, place, first } = await begun();
    await station.sessions.begin();
    expect([(await station.sessions.list({ of: "all" })).length, station.sessions.unreadable()]).toEqual([
      1, 0,
    ]);
    ruinLog(place.home, first);
    expect([await station.sessions.list({ of: "all" }), station.sessions.unreadable()]).toEqual([[], 1]);
  });

  it("go by their first command where nothing was asked, and forks by what they come from", async () => {
    const place = playground();
    const { station } = await stationAt(place);
    await station.agent.run("npm  test", "user-only");
    await station.agent.run("echo two", "user-only");
    const source = station.agent.session;
    const fork = await station.sessions.fork();
    const names = async () =>
      (await station.sessions.list({ of: "workspace" }))
        .map((row) => [row.session, sessionTitle(row, en), row.messages])
        .sort();
    expect(await names()).toEqual(
      [
        [source, "! npm test", 2],
        [fork, "fork of ! npm test", 2],
      ].sort(),
    );
    await station.sessions.retitle("Mine");
    expect(await names()).toEqual(
      [
        [source, "! npm test", 2],
        [fork, "Mine", 2],
      ].sort(),
    );
    expect(await station.sessions.begin()).toBe("kept");
    expect(await station.sessions.begin()).toBe("gone");
  });

  it("are removed if they have no conversation", async () => {
    const { station, first, close } = await begun();
    await station.sessions.begin();
    const empty = station.agent.session;
    await station.sessions.open(first);
    await expect(station.sessions.open(empty)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    expect(station.agent.session).toBe(first);
    expect(await close()).toEqual({ resume: first });
  });

  it("may be in another workspace, whose settings then count", async () => {
    const { station, place, first, environment } = await begun();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const beside = await stationAt(other, { environment });
    await beside.station.agent.prompt("elsewhere");
    const { session } = beside.station.agent;
    const [row] = await station.sessions.list({ of: "all", search: "elsewhere" });
    expect(row).toMatchObject({
      session,
      place: "elsewhere",
      heldBy: { name: expect.stringContaining("worldline") },
    });
    await expect(station.sessions.open(session)).rejects.toMatchObject({
      code: "SESSION_HELD",
      message: expect.stringMatching(
        /is in use by worldline, an agent \(pid \d+ on \S+, since [-\d]+ [:\d]+\)\.$/u,
      ),
      hint: `Close it there, or continue in a copy: worldline -r ${session} --fork`,
    });
    expect(station.agent.session).toBe(first);
    expect((await station.agent.prompt("still here")).error).toBeUndefined();
    await beside.close();
    mkdirSync(join(folder, ".worldline"));
    writeFileSync(join(folder, ".worldline", "settings.json"), '{ "permissions": { "deny": ["Bash"] } }');
    await station.sessions.open(session);
    expect(station.agent.workspace).toBe(other.workspace);
    expect((await station.upkeep.permissions()).deny).toEqual(["Bash"]);
  });

  it("can be forked from the head and from an earlier place; the source stays as it is", async () => {
    const { station, told, first } = await begun();
    await station.agent.prompt("now a test");
    const { entries } = await station.queries.page({ count: 50 });
    const second = entries.find(
      (each) => each.kind === "prompt" && JSON.stringify(each).includes("now a test"),
    );
    const whole = await station.sessions.fork();
    expect(station.agent.session).toBe(whole);
    expect(told.at(-2)).toEqual({ type: "replaced", how: "forked", from: first });
    await station.sessions.open(first);
    const early = await station.sessions.fork(second?.id);
    expect(station.agent.session).toBe(early);
    const prompts = async () =>
      (await station.queries.page({ count: 50 })).entries.filter(({ kind }) => kind === "prompt").length;
    expect(await prompts()).toBe(1);
    await station.sessions.open(whole);
    expect(await prompts()).toBe(2);
  });

  it("take a title, and go to the trash, but not the one that is here", async () => {
    const { station, place, first } = await begun();
    await station.sessions.retitle("The leak");
    await expect(station.sessions.retitle("two\nlines")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    expect((await station.sessions.list({ of: "workspace" }))[0]?.title).toBe("The leak");
    await expect(station.sessions.delete(first)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await station.sessions.begin();
    await station.sessions.delete(first);
    expect(await station.sessions.list({ of: "all" })).toEqual([]);
    expect((await place.worldline(["sessions", "undelete", first])).code).toBe(0);
    await expect(station.sessions.delete("k3f9" as SessionId)).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
  });

  it.each([
    ["markdown", "md"],
    ["json", "json"],
    ["bundle", "bundle"],
  ] as const)("are written to a file, under a name that is free: %s", async (format, ending) => {
    const { station, place, first } = await begun();
    const wanted = [`worldline-${first}.${ending}`, `worldline-${first}-2.${ending}`];
    expect(await station.sessions.export({ format })).toBe(join(place.workspace, wanted[0] ?? ""));
    expect(await station.sessions.export({ format })).toBe(join(place.workspace, wanted[1] ?? ""));
    const file = await station.sessions.export({ format, file: `mine.${ending}` });
    expect(file).toBe(join(place.workspace, `mine.${ending}`));
    expect(existsSync(file)).toBe(true);
    if (format !== "bundle") expect(readFileSync(file, "utf8")).toContain("find the leak");
    await expect(station.sessions.export({ format, file: `mine.${ending}` })).rejects.toMatchObject({
      code: "NEEDS_YES",
    });
    const again = { format, file: `mine.${ending}`, existing: "replace" } as const;
    expect(await station.sessions.export(again)).toBe(file);
  });

  it("are not changed while a turn runs", async () => {
    const { station, first } = await begun();
    const turn = station.agent.prompt("slowly");
    await expect(station.sessions.begin()).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await expect(station.sessions.fork()).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await expect(station.agent.prompt("another")).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await turn;
    expect(station.agent.session).toBe(first);
  });

  it("keep the mode and the model that were chosen", async () => {
    const { station } = await begun();
    station.agent.setMode("plan");
    const { name } = station.model as { name: string };
    await station.sessions.begin();
    expect(station.agent.mode).toBe("plan");
    expect(station.agent.model).toBe(name);
  });
});
