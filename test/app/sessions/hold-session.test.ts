import { randomBytes } from "node:crypto";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withFiles } from "../../../src/app/files/files.ts";
import {
  heldBy,
  heldElsewhere,
  refuseHeld,
  renameSession,
  withHeld,
} from "../../../src/app/sessions/hold-session.ts";
import { openSessionDeps } from "../../../src/app/sessions/store.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import { openSession } from "../../../src/open-session.ts";
import type { Holder, Owner } from "../../../src/ports/lease.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { snapshotPlaces } from "../../../src/snapshots/context.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { cutOffRestore } from "../support/cut-off-restore.ts";
import { recordingContext } from "../support/recording-context.ts";
import { writeSession } from "../support/write-session.ts";

async function place(given: Parameters<typeof recordingContext>[1] = {}) {
  const shop = workshop();
  const recorded = recordingContext(shop, given);
  const session = await writeSession(shop);
  const deps = await openSessionDeps(recorded.context);
  const hold = { context: recorded.context, deps, session, name: "worldline test" };
  return { ...shop, ...recorded, session, deps, hold, folder: join(shop.home, "sessions", session) };
}

const owner: Owner = {
  pid: 7,
  started: "x",
  boot: "another",
  host: hostname(),
  name: "an agent",
  since: "2026-01-01T10:20:00",
  token: "0".repeat(32),
};

describe("work on a held session", () => {
  it("names the command to others, and always releases the session", async () => {
    const { hold, deps, session, notices } = await place();
    const seen = await withHeld(hold, async (held) => {
      expect(held.id).toBe(session);
      return (await deps.store.holder(session))?.owner?.name;
    });
    expect(seen).toBe("worldline test");
    expect(await deps.store.holder(session)).toBeUndefined();
    const bug = new TypeError("broken");
    await expect(withHeld(hold, () => Promise.reject(bug))).rejects.toBe(bug);
    expect(await deps.store.holder(session)).toBeUndefined();
    expect(notices).toEqual([]);
  });

  it("waits for a running owner as long as the settings say, or the caller", async () => {
    const { hold, home, workspace, session, notices } = await place({
      common: { settings: { "lock.waitMs": "150" } },
    });
    const other = await openSession({ home, workspace, resume: session, name: "an agent" });
    onTestFinished(async () => other.close());
    const waiting = (milliseconds: number) => ({
      code: "waiting",
      owner: expect.objectContaining({ name: "an agent" }),
      milliseconds,
    });
    const work = async () => "done";
    await expect(withHeld(hold, work)).rejects.toMatchObject({ code: "SESSION_HELD" });
    await expect(withHeld({ ...hold, waitMs: 100 }, work)).rejects.toMatchObject({ code: "SESSION_HELD" });
    expect(notices).toEqual([waiting(150), waiting(100)]);
    setTimeout(() => void other.close(), 20);
    expect(await withHeld({ ...hold, waitMs: 5_000 }, work)).toBe("done");
  });

  it("takes a session over from another machine only if the user wants it", async () => {
    const { hold, folder } = await place({ common: { settings: { "lock.waitMs": "0" } } });
    writeFileSync(join(folder, "lock"), JSON.stringify({ ...owner, host: "elsewhere" }));
    await expect(withHeld(hold, async () => "done")).rejects.toMatchObject({ code: "SESSION_HELD" });
    const { context } = hold;
    const taking = { ...context, common: { ...context.common, takeOver: "yes" } } as const;
    expect(await withHeld({ ...hold, context: taking }, async () => "done")).toBe("done");
  });

  it("may rewind the conversation of a session without files", async () => {
    const { hold } = await place();
    const rewound = await withHeld(hold, async (held) => {
      const [first] = await held.checkpoints();
      await held.prompt("two");
      await held.rewind({ to: first?.number ?? 0, scope: "conversation" } as never);
      return held.outline.linesOf("rewind").length;
    });
    expect(rewound).toBe(1);
  });

  it("lets the store be tidied if it has captured files", async () => {
    const limit = 1024 * 1024;
    const { hold, workspace, put, notices } = await place({
      common: { settings: { "snapshots.maxBytes": `${limit}` } },
    });
    put("a.bin", randomBytes(limit + 1));
    const capture = async (work: (held: Session) => Promise<unknown>) =>
      withFiles(hold.context, workspace, async ({ files }) => withHeld({ ...hold, files }, work));
    await capture(async (held) => {
      const checkpoint = await held.checkpoint();
      await held.capture({ checkpoint, author: "outside" });
    });
    const over = { code: "store-still-over", stored: expect.any(Number), limit };
    expect(notices).toEqual([over]);
    rmSync(join(snapshotPlaces(hold.context.home).root, "tidied"));
    await capture(async () => undefined);
    expect(notices).toEqual([over]);
  });

  it("reports torn bytes that were set aside", async () => {
    const { hold, folder, notices } = await place();
    appendFileSync(join(folder, "log.jsonl"), "torn");
    await withHeld(hold, async () => undefined);
    expect(notices).toEqual([{ code: "bytes-set-aside", bytes: 4, file: "log.jsonl.torn-1" }]);
  });

  it("reports that the list of checkpoints could not be written", async () => {
    const { hold, folder, notices } = await place();
    rmSync(join(folder, "checkpoints"), { recursive: true });
    writeFileSync(join(folder, "checkpoints"), "");
    await withHeld(hold, async (held) => held.prompt("two"));
    expect(notices).toEqual([
      { code: "list-unwritten", problem: expect.objectContaining({ name: "WorldlineError" }) },
    ]);
  });

  it("reports a restore that a crash had interrupted, once", async () => {
    const shop = workshop();
    const { context, notices } = recordingContext(shop);
    const { session } = await cutOffRestore(shop, context);
    const deps = await openSessionDeps(context);
    const files = await openWorkspaceFiles({ workspace: shop.workspace, home: shop.home });
    onTestFinished(async () => files.close());
    notices.length = 0;
    const hold = { context, deps, session, name: "worldline test", files };
    await withHeld(hold, async () => undefined);
    expect(notices).toEqual([{ code: "restore-settled", restore: { session, paths: [] } }]);
    await withHeld(hold, async () => undefined);
    expect(notices).toHaveLength(1);
  });

  it("reports that a restore could not be finished", async () => {
    const shop = workshop();
    const { context, notices } = recordingContext(shop);
    const { session, journal } = await cutOffRestore(shop, context);
    const deps = await openSessionDeps(context);
    const files = await openWorkspaceFiles({ workspace: shop.workspace, home: shop.home });
    onTestFinished(async () => files.close());
    rmSync(journal, { recursive: true });
    writeFileSync(journal, "");
    notices.length = 0;
    const hold = { context, deps, session, name: "worldline test", files };
    expect(await withHeld(hold, async () => notices.length)).toBe(1);
    expect(notices).toEqual([
      { code: "restores-unsettled", problem: expect.objectContaining({ name: "WorldlineError" }) },
    ]);
  });
});

describe("renaming a session", () => {
  it("returns both titles, and writes nothing if they are the same", async () => {
    const { context, session, everything, notices } = await place();
    expect(await renameSession(context, session, " The leak ")).toEqual({
      session,
      title: "The leak",
      before: undefined,
    });
    const written = everything();
    expect(await renameSession(context, "the leak", "The leak")).toEqual({
      session,
      title: "The leak",
      before: "The leak",
    });
    expect(everything()).toEqual(written);
    expect(notices).toEqual([]);
  });

  it("holds the session under the name of the command", async () => {
    const store = openMemoryStore();
    await store.create(new Story(sessionNumber(1)).begin());
    const names: string[] = [];
    const { lease } = store;
    store.lease = async (id, request) => {
      names.push(request.name);
      return lease(id, request);
    };
    await renameSession(recordingContext(workshop(), { store }).context, sessionNumber(1), "The leak");
    expect(names).toEqual(["worldline sessions rename"]);
  });

  it("refuses an invalid title, and a session that contradicts the option", async () => {
    const { context, session, home, workspace } = await place();
    await expect(renameSession(context, session, " ")).rejects.toBeInstanceOf(WorldlineError);
    const other = await writeSession({ home, workspace });
    const named = { ...context, common: { ...context.common, session: other } };
    await expect(renameSession(named, session, "The leak")).rejects.toEqual(
      new WorldlineError("two-sessions-named", { session, other }),
    );
  });
});

describe("a session that another program holds", () => {
  const session = sessionNumber(1);
  const held = { session, name: "an agent", pid: 7, host: hostname(), since: "2026-01-01 10:20:00" };
  const until = "2026-01-02T11:21:00";
  const leased = new WorldlineError("session-leased-until", { ...held, until: "2026-01-02 11:21:00" });
  const cause = new WorldlineError("stated", { code: "SESSION_HELD", message: "It is held." });
  const storeWith = (holder: Holder | undefined, reach: "machine" | "shared" = "machine") =>
    Object.assign(openMemoryStore(), {
      place: { kind: "postgres", name: "postgres://host/db", reach } as const,
      holder: async () => holder,
    });

  it("is described with the local time, and with the end of its lease if it has one", () => {
    expect(heldBy(session, { owner })).toEqual(new WorldlineError("session-held", held));
    expect(heldBy(session, { owner, until }, cause)).toEqual(
      new WorldlineError("session-leased-until", leased.params as never, { cause }),
    );
    expect(heldBy(session, { owner }, cause).cause).toBe(cause);
  });

  it("is explained if the owner is alive or has a lease", async () => {
    const explained = async (holder: Holder | undefined, error: unknown = cause) =>
      heldElsewhere(storeWith(holder), session, error);
    const elsewhere = new WorldlineError("session-held-elsewhere", { session, problem: cause }, { cause });
    expect(await explained({ owner, life: "living" })).toEqual(
      new WorldlineError("session-held", held, { cause }),
    );
    expect(await explained({ owner, life: "elsewhere", until })).toEqual(
      new WorldlineError("session-leased-until", leased.params as never, { cause }),
    );
    expect(await explained({ owner, life: "elsewhere" })).toEqual(elsewhere);
    expect(await explained({ life: "living" })).toEqual(elsewhere);
    expect(await explained(undefined)).toEqual(elsewhere);
    const other = new WorldlineError("output-empty", {});
    expect(await explained({ owner, life: "living" }, other)).toBe(other);
  });

  it("is refused, unless it can be taken over", async () => {
    const living: Holder = { owner, life: "living" };
    const renewed: Holder = { owner, life: "elsewhere", until };
    await expect(refuseHeld(storeWith(living), session, "yes")).rejects.toEqual(
      new WorldlineError("session-held", held),
    );
    await expect(refuseHeld(storeWith(renewed, "shared"), session, "no")).rejects.toEqual(leased);
    await expect(refuseHeld(storeWith(renewed, "shared"), session, "unreadable")).rejects.toEqual(leased);
    await expect(refuseHeld(storeWith(renewed, "shared"), session, "yes")).resolves.toBeUndefined();
    await expect(refuseHeld(storeWith(undefined), session, "no")).resolves.toBeUndefined();
    await expect(refuseHeld(storeWith(undefined), session, "yes")).resolves.toBeUndefined();
  });
});
