import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import {
  deleteSessions,
  dropFilesOf,
  emptyTrash,
  expiredTrash,
  foreseeDeletion,
  keptUntil,
  listTrash,
  planDeletion,
  tidyTrash,
  trashSession,
  undeleteSessions,
} from "../../../src/app/sessions/trash.ts";
import { openSession } from "../../../src/open-session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { snapshotPlaces } from "../../../src/snapshots/context.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { type Hindrance, hinderedStore, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { recordingContext } from "../support/recording-context.ts";
import { ruinLog } from "../support/ruin-log.ts";
import { writeSession } from "../support/write-session.ts";

type Given = Parameters<typeof recordingContext>[1];

const DAY_MS = 24 * 60 * 60 * 1000;

/** A home with these sessions. */
async function place(texts: readonly string[], given: Given = {}) {
  const shop = workshop();
  const recorded = recordingContext(shop, given);
  const ids: SessionId[] = [];
  for (const text of texts) ids.push(await writeSession(shop, { text }));
  const store = openStore(recorded.context);
  const trashed = async () => (await store.listTrash()).map(({ session }) => session);
  return { ...shop, ...recorded, store, ids: ids as [SessionId, SessionId, SessionId], trashed };
}

/** A store in memory with sessions whose calls can be made to fail. */
async function inMemory(count: number, hindrance: Hindrance) {
  const store = openMemoryStore();
  const ids = Array.from({ length: count }, (_, each) => sessionNumber(each + 1));
  for (const id of ids) await store.create(new Story(id).begin());
  const recorded = recordingContext(playground(), { store: hinderedStore(store, hindrance) });
  return { ...recorded, store, ids };
}

const named = (id: SessionId, title: string) => ({ id, named: { id, title, mode: "agent" } });
const owner = {
  pid: 1,
  started: "x",
  boot: "another",
  host: hostname(),
  name: "an agent",
  since: "2026-01-01T00:00:00.000Z",
  token: "0".repeat(32),
};

describe("the trash", () => {
  it("keeps a session for exactly so many days", async () => {
    const store = openMemoryStore();
    const session = sessionNumber(1);
    await store.create(new Story(session).begin());
    await store.trash(session, 1_000);
    expect(keptUntil(1_000, 2)).toBe(1_000 + 2 * DAY_MS);
    const last = { days: 2, now: 1_000 + 2 * DAY_MS };
    expect(await expiredTrash(store, last)).toEqual([]);
    expect(await tidyTrash(store, last)).toEqual([]);
    const late = { days: 2, now: 1_001 + 2 * DAY_MS };
    expect(await expiredTrash(store, late)).toEqual([{ session, at: 1_000 }]);
    expect(await tidyTrash(store, late)).toEqual([session]);
  });

  it("is listed with the number of days, which an empty trash does not need", async () => {
    const { context, ids, store } = await place(["one"], { common: { settings: { "trash.days": "7" } } });
    expect(await listTrash(context)).toEqual({ trashed: [], days: 0 });
    await store.trash(ids[0], 5);
    expect(await listTrash(context)).toEqual({ trashed: [{ session: ids[0], at: 5 }], days: 7 });
    const broken = recordingContext(playground(), { common: { settings: { "trash.days": "many" } } });
    expect(await listTrash(broken.context)).toEqual({ trashed: [], days: 0 });
  });

  it("is emptied of exactly what was listed", async () => {
    const { context, ids, store, trashed } = await place(["one", "two", "three"]);
    await store.trash(ids[0], 5);
    await store.trash(ids[1], 9);
    const list = await listTrash(context);
    await store.trash(ids[2], 10);
    expect(new Set(await emptyTrash(context, list))).toEqual(new Set([ids[0], ids[1]]));
    expect(await trashed()).toEqual([ids[2]]);
    expect(await emptyTrash(context, { trashed: [] })).toEqual([]);
    expect(await trashed()).toEqual([ids[2]]);
  });
});

describe("a planned deletion", () => {
  it("names each session once, even one that cannot be read", async () => {
    const { context, ids, home } = await place(["one", "two"]);
    ruinLog(home, ids[1]);
    const before = Date.now();
    const plan = await planDeletion(context, [ids[0], "one", ids[1], ids[0].slice(0, 9)]);
    expect(plan).toEqual({
      sessions: [named(ids[0], "one"), { id: ids[1], named: undefined }],
      days: 30,
      at: expect.any(Number),
    });
    expect(plan.at - before).toBeLessThan(10_000);
    expect(plan.at).toBeGreaterThanOrEqual(before);
  });

  it("hides no error that is not Worldline's", async () => {
    const bug = new TypeError("broken");
    const { context, ids } = await inMemory(1, (call) => {
      if (call === "open") throw bug;
    });
    await expect(planDeletion(context, ids)).rejects.toBe(bug);
  });

  it("foresees which sessions are in use, and which ones in the trash have expired", async () => {
    const { context, ids, home, workspace, store } = await place(["one", "two", "three", "four", "five"]);
    const [one, two, three, four = one, five = one] = ids as readonly SessionId[] as [
      SessionId,
      SessionId,
      SessionId,
      ...SessionId[],
    ];
    const held = await openSession({ home, workspace, resume: one, name: "an agent" });
    onTestFinished(async () => held.close());
    const lock = (id: SessionId, content: string) =>
      writeFileSync(join(home, "sessions", id, "lock"), content);
    lock(two, JSON.stringify(owner));
    lock(three, JSON.stringify({ ...owner, host: "elsewhere" }));
    const plan = { ...(await planDeletion(context, [one, two, three, five])), at: 100 * DAY_MS };
    await store.trash(four, 70 * DAY_MS - 1);
    const elsewhere = { id: three, owner: { ...owner, host: "elsewhere" } };
    const living = { id: one, owner: expect.objectContaining({ name: "an agent" }) };
    expect(await foreseeDeletion(context, plan)).toEqual({ held: [living, elsewhere], expired: [four] });
    const taking = { ...context, common: { ...context.common, takeOver: "yes" } } as const;
    expect(await foreseeDeletion(taking, plan)).toEqual({ held: [living], expired: [four] });
    lock(three, "half a lo");
    expect(await foreseeDeletion(context, { ...plan, at: 99 * DAY_MS })).toEqual({
      held: [living, { id: three, owner: undefined }],
      expired: [],
    });
  });
});

describe("a deletion", () => {
  it("moves sessions to the trash, and removes the ones that have expired", async () => {
    const { context, ids, store, notices } = await place(["one", "two", "three"]);
    const plan = await planDeletion(context, [ids[0], ids[1]]);
    await store.trash(ids[2], plan.at - 31 * DAY_MS);
    expect(await deleteSessions(context, plan)).toEqual([ids[2]]);
    expect(await store.list()).toEqual([]);
    expect((await store.listTrash()).map(({ session, at }) => [session, at]).sort()).toEqual(
      [
        [ids[0], plan.at],
        [ids[1], plan.at],
      ].sort(),
    );
    expect(notices).toEqual([]);
    await undeleteSessions(context, [ids[0]]);
    const lease = await store.lease(ids[0], { name: "test", waitMs: 0 });
    await lease.release();
  });

  it("deletes none of the sessions if one is in use", async () => {
    const { context, ids, home, workspace, store, notices } = await place(["one", "two"]);
    const plan = await planDeletion(context, ids);
    const held = await openSession({ home, workspace, resume: ids[1], name: "an agent" });
    await expect(deleteSessions(context, plan)).rejects.toMatchObject({
      code: "SESSION_HELD",
      message: expect.stringContaining("an agent"),
    });
    expect(new Set(await store.list())).toEqual(new Set(ids));
    await held.close();
    writeFileSync(join(home, "sessions", ids[1], "lock"), JSON.stringify({ ...owner, host: "elsewhere" }));
    await expect(deleteSessions(context, plan)).rejects.toMatchObject({ code: "SESSION_HELD" });
    const taking = { ...context, common: { ...context.common, takeOver: "yes" } } as const;
    expect(await deleteSessions(taking, plan)).toEqual([]);
    expect(await store.list()).toEqual([]);
    expect(notices).toEqual([]);
  });

  it("reports what it deleted before it failed", async () => {
    const problem = new WorldlineError("stated", { code: "STORE_UNWRITABLE", message: "It is full." });
    let calls = 0;
    const { context, notices, store, ids } = await inMemory(2, (call) => {
      if (call === "trash") calls += 1;
      if (call === "trash" && calls === 2) throw problem;
    });
    const plan = await planDeletion(context, ids);
    await expect(deleteSessions(context, plan)).rejects.toBe(problem);
    expect(notices).toEqual([{ code: "deleted-before", sessions: [ids[0]] }]);
    expect([await store.list(), await store.holder(ids[1] as SessionId)]).toEqual([[ids[1]], undefined]);
    calls = 1;
    await expect(deleteSessions(context, await planDeletion(context, [`${ids[1]}`]))).rejects.toBe(problem);
    expect(notices).toHaveLength(1);
  });

  it("has succeeded even if the trash could not be tidied, but hides no other error", async () => {
    const problem = new WorldlineError("stated", { code: "STORE_UNWRITABLE", message: "It is full." });
    let error: Error = problem;
    const { context, notices, store, ids } = await inMemory(2, (call) => {
      if (call === "emptyTrash") throw error;
    });
    expect(await deleteSessions(context, await planDeletion(context, [`${ids[0]}`]))).toEqual([]);
    expect(await store.list()).toEqual([ids[1]]);
    expect(notices).toEqual([{ code: "trash-not-tidied", problem }]);
    error = new TypeError("broken");
    await expect(deleteSessions(context, await planDeletion(context, [`${ids[1]}`]))).rejects.toBe(error);
  });

  it("asks for the reserve of a full disk, and releases the session afterwards", async () => {
    const requests: unknown[] = [];
    let released = 0;
    const { context, store, ids } = await inMemory(3, () => undefined);
    const { lease } = store;
    store.lease = async (id, request) => {
      requests.push(request);
      const made = await lease(id, request);
      const release = async () => {
        released += 1;
        await made.release();
      };
      return { ...made, release };
    };
    const request = (name: string) => ({ name, waitMs: 0, takeOver: "no", room: "reserve" });
    const [one, two, three] = ids as [SessionId, SessionId, SessionId];
    await deleteSessions(context, await planDeletion(context, [one]));
    await trashSession(context, two);
    await trashSession(context, three, "worldline");
    expect(requests).toEqual(
      ["worldline sessions delete", "worldline, a session list", "worldline"].map(request),
    );
    expect(released).toBe(3);
  });

  it("of one session, as in a list, can be undone", async () => {
    const { context, ids, store, home, workspace } = await place(["one"]);
    const before = Date.now();
    await trashSession(context, ids[0]);
    const [{ session, at } = { session: "", at: 0 }] = await store.listTrash();
    expect({ session, isNow: at >= before && at < before + 10_000 }).toEqual({
      session: ids[0],
      isNow: true,
    });
    expect(await undeleteSessions(context, [ids[0]])).toEqual([named(ids[0], "one")]);
    const held = await openSession({ home, workspace, resume: ids[0], name: "an agent" });
    await expect(trashSession(context, ids[0])).rejects.toMatchObject({ code: "SESSION_HELD" });
    await held.close();
    await trashSession(context, ids[0]);
    expect(await store.list()).toEqual([]);
  });
});

describe("a restored session", () => {
  it("is named by its id or the beginning of it, and restored once", async () => {
    const { context, ids, store } = await place(["one", "two"]);
    for (const id of ids) await store.trash(id, 1);
    const restored = await undeleteSessions(context, [` ${ids[0].toUpperCase()} `, ids[0].slice(0, 9)]);
    expect(restored).toEqual([named(ids[0], "one")]);
    expect(await store.list()).toEqual([ids[0]]);
  });

  it("must be in the trash, and its id must be free and unambiguous", async () => {
    const { context, store, ids, home } = await place(["one", "two"]);
    for (const number of [1, 2]) {
      const session = sessionNumber(number);
      await store.create(new Story(session).begin());
      await store.trash(session, 1);
    }
    const refusal = async (...wanted: readonly string[]) =>
      undeleteSessions(context, wanted).catch((error: unknown) => error);
    const unknown = (given: string, is: "unknown" | "not-deleted") =>
      new WorldlineError("session-not-in-trash", { given, is });
    expect(await refusal("nowhere")).toEqual(unknown("nowhere", "unknown"));
    expect(await refusal(" ")).toEqual(unknown(" ", "unknown"));
    expect(await refusal(ids[0])).toEqual(unknown(ids[0], "not-deleted"));
    expect(await refusal(ids[1].slice(0, 9))).toEqual(unknown(ids[1].slice(0, 9), "not-deleted"));
    const matches = [sessionNumber(1), sessionNumber(2)];
    expect(await refusal("s00")).toMatchObject({
      reason: "deleted-session-ambiguous",
      params: { given: "s00", matches: 2, some: expect.arrayContaining(matches) },
    });
    await store.create(new Story(sessionNumber(1)).begin());
    expect(await refusal(sessionNumber(2), sessionNumber(1))).toEqual(
      new WorldlineError("session-there-already", { session: sessionNumber(1) }),
    );
    expect(new Set(await store.list())).toEqual(new Set([ids[0], ids[1], sessionNumber(1)]));
    expect(existsSync(join(home, "sessions", sessionNumber(2)))).toBe(false);
  });

  it("is ambiguous with at most eight of the sessions that match", async () => {
    const { context, store } = await place([]);
    const all = Array.from({ length: 10 }, (_, each) => sessionNumber(each + 1));
    for (const session of all) {
      await store.create(new Story(session).begin());
      await store.trash(session, 1);
    }
    const refused = await undeleteSessions(context, ["s0"]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ params: { matches: 10, some: { length: 8 } } });
  });
});

describe("the files of removed sessions", () => {
  it("are released, but not those of a session that exists again", async () => {
    const shop = workshop();
    const { context, notices } = recordingContext(shop);
    shop.put("a.txt", "one\n");
    const { session } = await makeCheckpoint(context, undefined, "test");
    const refs = join(snapshotPlaces(shop.home).refs, `${session}.jsonl`);
    const store = openStore(context);
    await dropFilesOf(context, store, [session]);
    expect(existsSync(refs)).toBe(true);
    await store.trash(session, 1);
    await dropFilesOf(context, store, []);
    expect(existsSync(refs)).toBe(true);
    expect(await emptyTrash(context, await listTrash(context))).toEqual([session]);
    expect(existsSync(refs)).toBe(false);
    expect(notices).toEqual([{ code: "session-created", session }]);
  });

  it("include the long outputs of a session in a database", async () => {
    const shop = workshop();
    const path = join(shop.root, "sessions.db");
    const { context } = recordingContext(shop, { common: { store: { kind: "sqlite", path } } });
    onTestFinished(async () => context.stores.close());
    const outputs = join(shop.home, "outputs", sessionNumber(1));
    mkdirSync(outputs, { recursive: true });
    await dropFilesOf(context, openStore(context), [sessionNumber(1)]);
    expect(existsSync(outputs)).toBe(false);
    mkdirSync(outputs, { recursive: true });
    const { context: files } = recordingContext(shop);
    await dropFilesOf(files, openStore(files), [sessionNumber(1)]);
    expect(existsSync(outputs)).toBe(true);
  });

  it("stay with a notice if they cannot be released, and no other error is hidden", async () => {
    const { context, store, notices } = await place([]);
    const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });
    const failing = (error: Error) =>
      hinderedStore(store, (call) => {
        if (call === "list") throw error;
      });
    await dropFilesOf(context, failing(problem), [sessionNumber(1)]);
    expect(notices).toEqual([{ code: "files-not-dropped", sessions: [sessionNumber(1)], problem }]);
    const bug = new TypeError("broken");
    await expect(dropFilesOf(context, failing(bug), [sessionNumber(1)])).rejects.toBe(bug);
  });
});
