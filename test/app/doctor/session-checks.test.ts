import { getEventListeners } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sessionChecks } from "../../../src/app/doctor/session-checks.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { openSession } from "../../../src/open-session.ts";
import { remark, WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { hinderedStore } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { ruinLog } from "../support/ruin-log.ts";

type Mode = "check" | "fix";

/** A session with one prompt and a list of its checkpoints. */
async function told({ takeOver = "no" as "yes" | "no" } = {}) {
  const place = playground();
  const session = await openSession({ home: place.home, workspace: place.workspace });
  await session.prompt("one");
  await session.reply({ model: "scripted", parts: [] });
  await session.close();
  const { context } = recordingContext(place, { common: { takeOver } });
  const check = async (mode: Mode, wanted?: readonly SessionId[]) =>
    sessionChecks({ context, store: openStore(context), mode, wanted, onSession: () => undefined });
  const folder = join(place.home, "sessions", session.id);
  return { ...place, context, session: session.id, folder, check };
}

const fine = { about: "sessions", status: "ok", finding: { code: "sessionsFine", given: [1] } };
const named = (code: string) => ({ code, given: [] });
const remarks = (...given: readonly unknown[]) => ({ code: "remarks", remarks: given });

describe("the check of a session", () => {
  it("includes notes, which are no problem", async () => {
    const { session, home, workspace, check } = await told();
    const held = await openSession({ home, workspace, resume: session });
    await held.prompt("two");
    await held.toolStart("c1", "Bash");
    await held.close();
    const note = {
      about: "sessions",
      status: "note",
      of: { session, place: {} },
      finding: remarks(remark("health-unfinished", { calls: ["Bash"] })),
      hint: remarks(remark("health-unfinished-hint", { session })),
    };
    expect(await check("check")).toEqual([fine, note]);
    expect(await check("fix")).toEqual([fine, note]);
  });

  it("finds a torn line", async () => {
    const { session, folder, check } = await told();
    appendFileSync(join(folder, "log.jsonl"), "torn");
    const of = { session, place: { file: "log.jsonl", line: expect.any(Number) } };
    expect(await check("check")).toEqual([
      {
        about: "sessions",
        status: "warning",
        of,
        finding: remarks(remark("damage-torn-tail")),
        hint: remarks(remark("health-torn-tail-hint")),
        fixable: true,
      },
    ]);
  });

  it("moves a torn line aside with a repair", async () => {
    const { session, folder, check } = await told();
    appendFileSync(join(folder, "log.jsonl"), "torn");
    expect(await check("fix")).toEqual([
      {
        about: "sessions",
        status: "fixed",
        of: { session, place: { file: "log.jsonl", line: expect.any(Number) } },
        finding: remarks(remark("health-set-aside", { file: "log.jsonl.torn-1", bytes: 4 })),
      },
    ]);
    expect(await check("check")).toEqual([fine]);
  });

  it("says why a repair failed", async () => {
    const { session, home, workspace, folder, check } = await told();
    const held = await openSession({ home, workspace, resume: session, name: "an agent" });
    onTestFinished(async () => held.close().catch(() => undefined));
    appendFileSync(join(folder, "log.jsonl"), "torn");
    const [torn] = await check("fix");
    expect(torn).toMatchObject({
      status: "warning",
      hint: remarks(expect.objectContaining({ why: expect.stringContaining("an agent") })),
    });
  });

  it("reports a session that cannot be read, and goes on with the next one", async () => {
    const { session, home, context, check } = await told();
    ruinLog(home, session);
    expect(await check("fix")).toEqual([
      {
        about: "sessions",
        status: "error",
        finding: { code: "problem", problem: expect.objectContaining({ reason: "read-failed" }) },
      },
    ]);
    const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It fails." });
    const store = hinderedStore(openStore(context), (call) => {
      if (call === "holder") throw problem;
    });
    const seen: unknown[] = [];
    const checks = await sessionChecks({
      context,
      store,
      mode: "check",
      wanted: [session, session],
      onSession: (progress) => seen.push(progress),
    });
    const failed = { about: "sessions", status: "error", finding: { code: "problem", problem } };
    expect(checks).toEqual([failed, failed]);
    expect(seen).toEqual([{ done: 1, of: 2 }, { done: 2, of: 2 }, "done"]);
  });
});

const owner = {
  pid: 1,
  started: "x",
  boot: "another",
  host: hostname(),
  name: "an agent",
  since: "",
  token: "0".repeat(32),
};

describe("the check of a session's lock", () => {
  const about = (session: string) => ({ about: "sessions", of: { session, place: {} } });

  it("finds the lock of a dead program, which a repair removes", async () => {
    const { session, folder, check } = await told();
    writeFileSync(join(folder, "lock"), JSON.stringify(owner));
    expect(await check("check")).toEqual([
      fine,
      {
        ...about(session),
        status: "note",
        finding: { code: "lock", lock: "lockOfDead", owner },
        hint: named("lockOfDeadHint"),
        fixable: true,
      },
    ]);
    expect(await check("fix")).toEqual([
      { ...about(session), status: "fixed", finding: { code: "lock", lock: "lockRemoved", owner } },
    ]);
    expect(await check("check")).toEqual([fine]);
  });

  it("finds the lock of another machine, which a repair removes only if told to take it over", async () => {
    const elsewhere = { ...owner, host: "elsewhere" };
    const { session, folder, check } = await told();
    writeFileSync(join(folder, "lock"), JSON.stringify(elsewhere));
    const found = {
      ...about(session),
      status: "warning",
      finding: { code: "lock", lock: "lockElsewhere", owner: elsewhere },
      hint: named("lockElsewhereHint"),
    };
    expect(await check("check")).toEqual([found]);
    expect(await check("fix")).toEqual([found]);
    const other = await told({ takeOver: "yes" });
    writeFileSync(join(other.folder, "lock"), JSON.stringify(elsewhere));
    expect(await other.check("check")).toEqual([{ ...found, ...about(other.session), fixable: true }]);
    expect(await other.check("fix")).toEqual([
      {
        ...about(other.session),
        status: "fixed",
        finding: { code: "lock", lock: "lockTakenOver", owner: elsewhere },
      },
    ]);
    expect(await other.check("check")).toEqual([fine]);
  });

  it("finds a lock that cannot be read, which a repair removes", async () => {
    const { session, folder, check } = await told();
    writeFileSync(join(folder, "lock"), "half a lo");
    expect(await check("check")).toEqual([
      {
        ...about(session),
        status: "warning",
        finding: named("lockUnreadable"),
        hint: named("lockUnreadableHint"),
        fixable: true,
      },
    ]);
    expect(await check("fix")).toEqual([
      { ...about(session), status: "fixed", finding: named("lockUnreadableRemoved") },
    ]);
  });

  it("says why a lock could not be removed", async () => {
    const { session, folder, check } = await told();
    mkdirSync(join(folder, "lock"));
    expect(await check("fix")).toEqual([
      {
        ...about(session),
        status: "warning",
        finding: named("lockUnreadable"),
        hint: { code: "problem", problem: expect.any(WorldlineError) },
      },
    ]);
  });

  it("leaves the lock of a running program alone", async () => {
    const { session, home, workspace, check } = await told({ takeOver: "yes" });
    const held = await openSession({ home, workspace, resume: session, name: "an agent" });
    onTestFinished(async () => held.close());
    const found = {
      ...about(session),
      status: "note",
      finding: { code: "lock", lock: "inUse", owner: expect.objectContaining({ name: "an agent" }) },
    };
    expect(await check("fix")).toEqual([fine, found]);
  });

  it("hides no error that is not Worldline's", async () => {
    const { context, folder } = await told();
    writeFileSync(join(folder, "lock"), JSON.stringify(owner));
    const bug = new TypeError("broken");
    const store = hinderedStore(openStore(context), (call) => {
      if (call === "lease") throw bug;
    });
    const exam = { context, store, mode: "fix", wanted: undefined, onSession: () => undefined } as const;
    await expect(sessionChecks(exam)).rejects.toBe(bug);
  });
});

describe("a Ctrl-C", () => {
  it.each([
    ["check", 0],
    ["fix", 1],
  ] as const)("during a %s of a session has %i listeners that delay it", async (mode, listeners) => {
    const place = await told();
    const { signal } = new AbortController();
    const { context } = recordingContext(place, { cancelled: signal });
    const seen: number[] = [];
    const store = hinderedStore(openStore(context), (call) => {
      if (call === "holder") seen.push(getEventListeners(signal, "abort").length);
    });
    await sessionChecks({ context, store, mode, wanted: undefined, onSession: () => undefined });
    expect(seen).toEqual([listeners]);
  });
});

describe("the check of a session's list of checkpoints", () => {
  const about = (session: string) => ({
    about: "sessions",
    of: { session, place: { file: "checkpoints/metadata.json" } },
  });
  const metadata = (folder: string) => join(folder, "checkpoints", "metadata.json");

  it.each([
    ["missing", undefined],
    ["unreadable", "{"],
    ["stale", '{"checkpoints":[]}'],
  ])("finds that it is %s, and a repair writes it again", async (why, text) => {
    const { session, folder, check } = await told();
    const whole = readFileSync(metadata(folder), "utf8");
    rmSync(metadata(folder));
    if (text !== undefined) writeFileSync(metadata(folder), text);
    // A dead program will not write it.
    writeFileSync(join(folder, "lock"), JSON.stringify(owner));
    const found = { ...about(session), status: "warning", finding: { code: "metadata", why } };
    expect((await check("check")).slice(1)).toEqual([
      { ...found, hint: named("metadataHint"), fixable: true },
    ]);
    expect((await check("fix")).slice(1)).toEqual([
      { ...about(session), status: "fixed", finding: named("metadataWritten") },
    ]);
    expect(readFileSync(metadata(folder), "utf8")).toBe(whole);
  });

  it("says why it could not be written", async () => {
    const { session, folder, check } = await told();
    rmSync(join(folder, "checkpoints"), { recursive: true });
    writeFileSync(join(folder, "checkpoints"), "");
    expect(await check("fix")).toEqual([
      {
        ...about(session),
        status: "warning",
        finding: { code: "problem", problem: expect.any(WorldlineError) },
      },
    ]);
  });

  it("waits a moment for a program that is about to write it, and then leaves it alone", async () => {
    const { session, home, workspace, folder, check } = await told();
    const whole = readFileSync(metadata(folder), "utf8");
    const held = await openSession({ home, workspace, resume: session, name: "an agent" });
    onTestFinished(async () => held.close());
    await held.published();
    writeFileSync(metadata(folder), "{");
    const warnings = async () => (await check("fix")).filter(({ status }) => status === "warning");
    expect(await warnings()).toEqual([
      {
        ...about(session),
        status: "warning",
        finding: { code: "metadata", why: "unreadable" },
        hint: named("metadataHeldHint"),
      },
    ]);
    const checking = check("fix");
    setTimeout(() => writeFileSync(metadata(folder), whole), 50);
    expect(await checking).toEqual([
      fine,
      expect.objectContaining({ finding: expect.objectContaining({ lock: "inUse" }) }),
    ]);
  });

  it("applies only to sessions in files", async () => {
    const place = playground();
    const address = { kind: "sqlite", path: join(place.root, "sessions.db") } as const;
    const { home, workspace } = place;
    const session = await openSession({ home, workspace, store: `sqlite:${address.path}` });
    await session.prompt("one");
    await session.reply({ model: "scripted", parts: [] });
    await session.close();
    const { context } = recordingContext(place, { common: { store: address } });
    const store = openStore(context);
    onTestFinished(async () => store.close());
    const exam = { context, store, mode: "fix", wanted: undefined, onSession: () => undefined } as const;
    expect(await sessionChecks(exam)).toEqual([fine]);
  });
});
