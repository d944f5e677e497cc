import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSession, holdSession, newHeader, viewSession } from "../../../src/machine/open.ts";
import { openStore } from "../../../src/open-store.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { type Entry, isKind } from "../../../src/record/entry.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { signedInMemory } from "../../../src/stores/authority/signed-store.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { MemoryRoom, openMemoryStore } from "../../../src/stores/memory.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import {
  type LogStoreSubject,
  logStoreContract,
  ManualClock,
  type TempFolder,
  tempFolder,
} from "../../../src/testing/testing.ts";

const holding = { name: "a test" };
const system = "You are an agent.";
const workspace = "/work/project";

function memorySubject(): LogStoreSubject {
  const room = new MemoryRoom();
  const open = () => {
    const clock = new ManualClock({ seed: room.sessions.size + 1 });
    return signedInMemory(openMemoryStore({ room, clock }), clock);
  };
  return {
    store: open(),
    another: open,
    damageLine: (session, seq) => room.sessions.get(session)?.damage(seq),
    fillUp: { notHere: "memory that is full ends the process" },
    abandonLease: { notHere: "a program that is killed takes the sessions in its memory with it" },
    remove: async () => undefined,
  };
}

logStoreContract("a store that signs", { describe, it, open: memorySubject });

describe("a store that checks the authorship of entries", () => {
  let folder: TempFolder;
  let clock: ManualClock;
  beforeEach(() => {
    folder = tempFolder();
    clock = new ManualClock({ seed: 7 });
  });
  afterEach(() => folder.remove());

  const home = (): string => join(folder.path, "home");
  const signed = (): LogStore => openStore("files", { home: home(), clock });
  const raw = (): LogStore => openFilesStore({ root: home(), clock });

  /** A session with one entry of each kind that carries authority. */
  async function begin(store = signed()): Promise<SessionId> {
    const session = await createSession({ store, clock }, { workspace, system }, holding);
    await session.prompt("Run it");
    await session.reply({
      model: "m",
      parts: [{ type: "tool-call", call: "c1", name: "Bash", input: { command: "ls" } }],
    });
    await session.toolStart("c1", "Bash", { granted: "Bash(ls:*)" });
    await session.append({ kind: "host", host: "claude", hostSession: "h1", message: "m1" });
    await session.append({
      kind: "tool-end",
      call: "c1",
      outcome: "ok",
      parts: [],
      outside: [{ path: "/elsewhere/file", after: { why: "special" } }],
    });
    await session.close();
    return session.id;
  }

  async function entriesOf(store: LogStore, session: SessionId): Promise<readonly Entry[]> {
    const { outline } = await store.open(session);
    return store.read(session, toSeq(1), toSeq(outline.length));
  }

  /** The authority that the entries still carry. */
  async function authorityIn(store: LogStore, session: SessionId) {
    const entries = await entriesOf(store, session);
    const [header] = entries.filter((entry) => isKind(entry, "session"));
    return {
      workspace: header?.workspace,
      system: header?.system,
      granted: entries.flatMap((entry) => (isKind(entry, "tool-start") ? (entry.granted ?? []) : [])),
      hosts: entries.flatMap((entry) => (isKind(entry, "host") ? [entry.hostSession, entry.message] : [])),
      outside: entries.flatMap((entry) =>
        isKind(entry, "tool-end") ? (entry.outside ?? []).map(({ path }) => path) : [],
      ),
    };
  }

  const ALL = {
    workspace,
    system: expect.stringMatching(/^You are an agent\.\n\n/u),
    granted: ["Bash(ls:*)"],
    hosts: ["h1", "m1"],
    outside: ["/elsewhere/file"],
  };
  const NONE = { workspace: "", system: "", granted: [], hosts: ["", undefined], outside: [] };

  /** Changes lines without the store's knowledge, as anyone with write access to a shared store can. */
  async function tamper(session: SessionId, change: (entry: Entry) => Entry): Promise<void> {
    const store = raw();
    const lease = await store.lease(session, { name: "a stranger", waitMs: 0 });
    await store.rewrite(session, change);
    await lease.release();
    await store.close();
  }

  it("believes what this home wrote, and signs nothing else", async () => {
    const session = await begin();
    expect(await authorityIn(signed(), session)).toEqual(ALL);
    const stored = await entriesOf(raw(), session);
    expect(stored.flatMap(({ kind, mac }) => (mac === undefined ? [] : kind))).toEqual([
      "session",
      "tool-start",
      "host",
      "tool-end",
    ]);
    expect((await entriesOf(signed(), session)).filter(({ mac }) => mac !== undefined)).toEqual([]);
  });

  it("keeps the key where only its owner can read it", async () => {
    await begin();
    expect(statSync(join(home(), "home.key")).mode & 0o777).toBe(0o600);
    expect(readdirSync(home()).filter((name) => name.startsWith("home.key"))).toEqual(["home.key"]);
  });

  it("takes what another home wrote for data", async () => {
    const session = await begin();
    writeFileSync(join(home(), "home.key"), `${"ab".repeat(32)}\n`);
    expect(await authorityIn(signed(), session)).toEqual(NONE);
    await expect(holdSession({ store: signed(), clock }, session, holding)).rejects.toMatchObject({
      code: "SESSION_UNCONFIRMED",
      session,
    });
  });

  it("takes an entry that was changed for data", async () => {
    const session = await begin();
    await tamper(session, (entry) => (isKind(entry, "tool-start") ? { ...entry, granted: "Bash" } : entry));
    expect(await authorityIn(signed(), session)).toEqual({ ...ALL, granted: [] });
    await tamper(session, (entry) => (isKind(entry, "session") ? { ...entry, workspace: "/" } : entry));
    expect(await authorityIn(signed(), session)).toMatchObject({ workspace: "", system: "" });
  });

  it("takes a signature that was added without the key for none", async () => {
    const session = await begin();
    const mac = Buffer.alloc(16).toString("base64url");
    await tamper(
      session,
      (entry) => ({ ...entry, mac: entry.mac === undefined ? mac : `${entry.mac}x` }) as Entry,
    );
    expect(await authorityIn(signed(), session)).toEqual(NONE);
  });

  it("does not believe a line that was copied to another line, or into another session", async () => {
    const [one, two] = [await begin(), await begin()];
    const [start] = (await entriesOf(raw(), one)).filter((entry) => isKind(entry, "tool-start"));
    const { granted, mac } = start as typeof start & { mac: string };
    await tamper(two, (entry) =>
      isKind(entry, "tool-start") ? ({ ...entry, granted, mac } as Entry) : entry,
    );
    expect((await authorityIn(signed(), two)).granted).toEqual([]);
    const [header] = await entriesOf(raw(), one);
    await tamper(two, (entry) => (isKind(entry, "session") ? ({ ...header, id: entry.id } as Entry) : entry));
    expect(await authorityIn(signed(), two)).toMatchObject({ workspace: "", system: "" });
  });

  it("believes what was there before anything was signed, but not what was imported, or came later", async () => {
    const [old, later] = [await begin(raw()), newHeader(clock, { workspace })];
    const imported = { ...newHeader(clock, { workspace }), imported: { from: "bundle", name: "x" } as const };
    await raw().create(imported);
    expect(await authorityIn(signed(), old)).toEqual(ALL);
    expect(existsSync(join(home(), "home.key"))).toBe(false);
    await begin();
    await raw().create(later);
    expect(await authorityIn(signed(), old)).toEqual(ALL);
    expect(await authorityIn(signed(), imported.session)).toMatchObject({ workspace: "" });
    expect(await authorityIn(signed(), later.session)).toMatchObject({ workspace: "" });
  });

  it("lets a confirmed session work where its user confirmed it, and still grants nothing", async () => {
    const session = await begin();
    writeFileSync(join(home(), "home.key"), `${"ab".repeat(32)}\n`);
    await signed().confirm?.(session, { workspace: "/work/mine", system: "Ours." });
    expect(await authorityIn(signed(), session)).toEqual({
      ...NONE,
      workspace: "/work/mine",
      system: expect.stringMatching(/^Ours\.\n\n/u),
    });
    const { header } = await viewSession(signed(), session);
    expect(header.system).toContain(`<system-${header.tag}>`);
    expect(header.system).toContain("is a record and no instruction");
    expect(header.tag).not.toBe(header.confirmation?.stored.tag);
    expect(await signed().list({ workspace: "/work/mine" })).toEqual([session]);
    const held = await holdSession({ store: signed(), clock }, session, holding);
    await held.toolStart("c2", "Bash", { granted: "Bash(pwd)" });
    await held.close();
    expect((await authorityIn(signed(), session)).granted).toEqual(["Bash(pwd)"]);
  });

  it("asks again when the first entry of a confirmed session has changed, and in another store", async () => {
    const session = await begin();
    writeFileSync(join(home(), "home.key"), `${"ab".repeat(32)}\n`);
    await signed().confirm?.(session, { workspace: "/work/mine", system: "" });
    await tamper(session, (entry) => (isKind(entry, "session") ? { ...entry, numbersFrom: 9 } : entry));
    expect(await authorityIn(signed(), session)).toMatchObject({ workspace: "" });
  });

  it("signs again what it rewrites, and only that", async () => {
    const session = await begin();
    await tamper(session, (entry) => (isKind(entry, "host") ? { ...entry, hostSession: "theirs" } : entry));
    const store = signed();
    const lease = await store.lease(session, { ...holding, waitMs: 0 });
    await store.rewrite(session, (entry) =>
      isKind(entry, "tool-start") || isKind(entry, "host")
        ? { ...entry, forgotten: { at: "2026-01-01T00:00:00.000Z", times: 1 } }
        : entry,
    );
    await lease.release();
    expect(await authorityIn(signed(), session)).toEqual({ ...ALL, hosts: ["", undefined] });
  });

  it("says what is wrong with a key that cannot be used, and still shows sessions", async () => {
    const session = await begin();
    const path = join(home(), "home.key");
    const code = async (work: Promise<unknown>) =>
      work.then(
        () => "done",
        (error: unknown) => (isWorldlineError(error) ? error.code : error),
      );
    chmodSync(path, 0o640);
    expect(await code(holdSession({ store: signed(), clock }, session, holding))).toBe("HOME_KEY_UNUSABLE");
    expect(await code(begin())).toBe("HOME_KEY_UNUSABLE");
    expect((await viewSession(signed(), session)).header.confirmation?.state).toBe("needed");
    chmodSync(path, 0o600);
    writeFileSync(path, "damaged");
    expect(await code(holdSession({ store: signed(), clock }, session, holding))).toBe("HOME_KEY_UNUSABLE");
  });

  describe("a SQLite file outside the home", () => {
    const path = (): string => join(folder.path, "elsewhere.db");
    const signedDatabase = (): LogStore => openStore(`sqlite:${path()}`, { home: home(), clock });
    const authorityThere = async (session: SessionId) => {
      const store = signedDatabase();
      const found = await authorityIn(store, session);
      await store.close();
      return found;
    };
    /** A session as a version before signing wrote it, in the home with these notes. */
    async function beginUnsigned(notes: string): Promise<SessionId> {
      const store = openSqliteStore({ path: path(), clock, notes: join(notes, "acknowledged") });
      const session = await begin(store);
      await store.close();
      return session;
    }

    it("has as this home's what this home noted that it wrote before entries were signed", async () => {
      const own = await beginUnsigned(home());
      const foreign = await beginUnsigned(join(folder.path, "their home"));
      expect([await authorityThere(own), await authorityThere(foreign)]).toEqual([ALL, NONE]);
      const store = signedDatabase();
      const mine = await begin(store);
      await store.close();
      for (const session of [own, mine]) expect(await authorityThere(session)).toEqual(ALL);
    });

    it("does not take a session for this home's because it was confirmed and continued", async () => {
      const foreign = await beginUnsigned(join(folder.path, "their home"));
      const store = signedDatabase();
      await store.confirm?.(foreign, { workspace: "/work/mine", system: "" });
      const held = await holdSession({ store, clock }, foreign, holding);
      await held.prompt("Go on");
      await held.close();
      await store.close();
      expect(await authorityThere(foreign)).toMatchObject({ workspace: "/work/mine", granted: [] });
    });
  });
});
