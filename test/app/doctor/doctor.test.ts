import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runDoctor } from "../../../src/app/doctor/doctor.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { openSession } from "../../../src/open-session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

const versions = {
  about: "versions",
  status: "ok",
  finding: {
    code: "versions",
    given: ["1.2.3", process.versions.node, `${process.platform} ${process.arch}`],
  },
};
const space = {
  about: "home",
  status: "ok",
  finding: { code: "space", given: [expect.any(Number)] },
};

async function doctor(given: Parameters<typeof recordingContext>[1] = {}, place = playground()) {
  const { context, notices } = recordingContext(place, given);
  const seen: unknown[] = [];
  const checks = await runDoctor(context, {
    version: "1.2.3",
    mode: "check",
    onSession: (progress) => seen.push(progress),
  });
  return { ...place, checks, notices, seen };
}

/** A home with two sessions in it. */
async function withSessions() {
  const place = playground();
  const ids: SessionId[] = [];
  for (const text of ["one", "two"]) {
    const session = await openSession({ home: place.home, workspace: place.workspace });
    await session.prompt(text);
    await session.reply({ model: "scripted", parts: [] });
    await session.close();
    ids.push(session.id);
  }
  return { place, ids: ids.sort() };
}

describe("the doctor", () => {
  it("finds nothing wrong on a machine on which Worldline has never run", async () => {
    const { home, checks, notices, seen } = await doctor();
    expect(checks).toEqual([
      versions,
      { about: "home", status: "ok", finding: { code: "store", given: ["files", home] } },
      { about: "home", status: "ok", finding: { code: "homeMissing", given: [home] } },
      space,
      { about: "settings", status: "ok", finding: { code: "settingsValid", given: [0] } },
      { about: "sessions", status: "ok", finding: { code: "sessionsFine", given: [0] } },
      { about: "files", status: "ok", finding: { code: "noFiles", given: [] } },
      { about: "trash", status: "ok", finding: { code: "trash", given: [0] } },
    ]);
    expect({ notices, seen }).toEqual({ notices: [], seen: ["done"] });
  });

  it("checks every session, or only the one that is named, and reports its progress", async () => {
    const { place, ids } = await withSessions();
    const all = await doctor({}, place);
    expect(all.checks).toContainEqual({
      about: "sessions",
      status: "ok",
      finding: { code: "sessionsFine", given: [2] },
    });
    expect(all.seen).toEqual([{ done: 1, of: 2 }, { done: 2, of: 2 }, "done"]);
    const one = await doctor({ common: { session: ids[1] } }, place);
    expect(one.checks).toContainEqual({
      about: "sessions",
      status: "ok",
      finding: { code: "sessionsFine", given: [1] },
    });
    expect(one.seen).toEqual([{ done: 1, of: 1 }, "done"]);
  });

  it("skips what a store that does not answer would have to be asked", async () => {
    const place = playground();
    const path = join(place.root, "notes.txt");
    writeFileSync(path, "not a database\n".repeat(100), { mode: 0o600 });
    const problem = new WorldlineError("not-sqlite", { path });
    const broken = { about: "store", status: "error", finding: { code: "problem", problem } };
    const { checks } = await doctor({ common: { store: { kind: "sqlite", path }, session: "one" } }, place);
    expect(checks).toEqual([
      versions,
      { about: "store", status: "ok", finding: { code: "database", given: [`sqlite:${path}`] } },
      broken,
      { ...space, about: "store" },
      broken,
      { about: "home", status: "ok", finding: { code: "homeMissing", given: [place.home] } },
      space,
      { about: "settings", status: "ok", finding: { code: "settingsValid", given: [0] } },
    ]);
  });

  it("applies the settings to the trash and to the Claude Agent SDK", async () => {
    const { place, ids } = await withSessions();
    const { context } = recordingContext(place);
    await openStore(context).trash(ids[0] as SessionId, Date.now() - 10 * 24 * 60 * 60 * 1000);
    place.write("user", '{ "trash": { "days": 7 }, "host": "claude", "claude": { "sdk": "/nowhere" } }');
    const { checks } = await doctor({}, place);
    expect(checks.filter(({ about, status }) => about === "versions" && status !== "ok")).toEqual([
      {
        about: "versions",
        status: "error",
        finding: { code: "problem", problem: expect.objectContaining({ reason: "sdk-absent" }) },
      },
    ]);
    expect(checks.at(-1)).toEqual({
      about: "trash",
      status: "note",
      finding: { code: "trashExpired", given: [ids[0], 7] },
      hint: { code: "trashExpiredHint", given: [] },
      fixable: true,
    });
    place.write("user", '{ "trash": { "days": "few" }, "host": "claude", "claude": { "sdk": "/nowhere" } }');
    const without = await doctor({}, place);
    expect(without.checks.slice(0, 2)).toEqual([
      versions,
      { about: "home", status: "ok", finding: { code: "store", given: ["files", place.home] } },
    ]);
    expect(without.checks.at(-1)?.finding).toEqual({ code: "trashUntouched", given: [] });
  });

  it.each([
    ["sessions", "sessions", "session-list"],
    ["trash", "trash", "trash"],
    ["snapshots/workspaces", "files", "snapshots"],
  ])("reports that %s cannot be read, and runs the other checks", async (folder, about, what) => {
    const { place } = await withSessions();
    const path = join(place.home, folder);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(path, path);
    const { checks } = await doctor({}, place);
    expect(checks.filter(({ status }) => status === "error")).toEqual([
      {
        about,
        status: "error",
        finding: {
          code: "problem",
          problem: expect.objectContaining({
            reason: "read-failed",
            params: expect.objectContaining({ stored: expect.objectContaining({ what }) }),
          }),
        },
      },
    ]);
    expect(new Set(checks.map((check) => check.about))).toEqual(
      new Set(["versions", "home", "settings", "sessions", "files", "trash"]),
    );
  });

  it("reports a key file that cannot be used", async () => {
    const place = playground();
    place.write("user", "{}");
    writeFileSync(join(place.home, "keys.json"), "no JSON", { mode: 0o600 });
    const { checks } = await doctor({}, place);
    expect(checks.filter(({ about }) => about === "settings")).toEqual([
      { about: "settings", status: "ok", finding: { code: "settingsValid", given: [1] } },
      {
        about: "settings",
        status: "error",
        finding: { code: "problem", problem: expect.any(WorldlineError) },
      },
    ]);
  });
});
