import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { confirmSession } from "../../../src/app/sessions/confirm-session.ts";
import {
  holderIn,
  knownWorkspaces,
  openSessionDeps,
  openStore,
  provideSessionDeps,
  sessionHeaders,
  workerIn,
} from "../../../src/app/sessions/store.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import type { Holder, Owner } from "../../../src/ports/lease.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { hinderedStore, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { ruinLog } from "../support/ruin-log.ts";
import { writeForeign, writeSession } from "../support/write-session.ts";

const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });

describe("the dependencies of a session", () => {
  it("follow the settings, and create the home only for a new session", async () => {
    const place = playground();
    const settings = {
      "log.blobBytes": "512",
      "context.window": "32000",
      checkpointKeepCount: "7",
      "log.rotateBytes": "4096",
    };
    const { context } = recordingContext(place, { common: { settings } });
    const { store, ...rest } = await openSessionDeps(context);
    const long = await writeSession(
      { ...place, home: join(place.root, "other") },
      { text: "x".repeat(5_000) },
    );
    const other = recordingContext({ ...place, home: join(place.root, "other") }, { common: { settings } });
    expect(await (await openSessionDeps(other.context)).store.rotationDue(long)).toBe(2);
    rmSync(join(place.root, "other"), { recursive: true });
    expect(rest).toEqual({
      clock: systemClock,
      settings: { blobBytes: 512, window: 32_000, keepCheckpoints: 7 },
    });
    expect(store.place).toEqual({ kind: "files", name: place.home, reach: "machine" });
    expect(place.everything()).toEqual([["/workspace", "(folder)"]]);
    expect(await provideSessionDeps(context)).toMatchObject(rest);
    expect(place.everything()).toContainEqual(["/home", "(folder)"]);
  });

  it("share a database, unless its leases last longer than a reader's", async () => {
    const place = playground();
    const store = { kind: "sqlite", path: join(place.root, "sessions.db") } as const;
    const { context } = recordingContext(place, { common: { store } });
    onTestFinished(async () => context.stores.close());
    const reader = openStore(context);
    expect(openStore(context)).toBe(reader);
    expect((await openSessionDeps(context)).store).toBe(reader);
    const { context: other } = recordingContext(place, {
      common: { store, settings: { "lock.leaseMs": "60000" } },
    });
    const stores = { ...other, stores: context.stores };
    expect((await openSessionDeps(stores)).store).not.toBe(reader);
    expect(openStore(stores)).toBe(reader);
  });

  it("read files anew each time", () => {
    const { context } = recordingContext(playground());
    expect(openStore(context)).not.toBe(openStore(context));
  });
});

const owner: Owner = {
  pid: 1,
  started: "x",
  boot: "another",
  host: hostname(),
  name: "an agent",
  since: "2026-01-01T00:00:00.000Z",
  token: "t",
};

describe("the holder of a session", () => {
  const session = sessionNumber(1);
  const heldBy = (holder: Holder | undefined, reach: "machine" | "shared" = "machine"): LogStore =>
    Object.assign(openMemoryStore(), {
      place: { kind: "postgres", name: "postgres://host/db", reach },
      holder: async () => holder,
    });

  it("is nobody if the session was deleted meanwhile, and no other error is hidden", async () => {
    expect(await holderIn(openMemoryStore(), session)).toBeUndefined();
    expect(await workerIn(openMemoryStore(), session)).toBeUndefined();
    const asleep = hinderedStore(openMemoryStore(), (call) => {
      if (call === "holder") throw problem;
    });
    await expect(holderIn(asleep, session)).rejects.toBe(problem);
  });

  it("works on the session if it is alive, or renews its lease on a shared store", async () => {
    const living: Holder = { owner, life: "living" };
    const elsewhere: Holder = { owner, life: "elsewhere", until: "2026-01-01T00:01:00.000Z" };
    const dead: Holder = { owner, life: "dead" };
    expect([
      await workerIn(heldBy(living), session),
      await workerIn(heldBy(living, "shared"), session),
      await workerIn(heldBy(elsewhere, "shared"), session),
      await workerIn(heldBy(elsewhere), session),
      await workerIn(heldBy(dead, "shared"), session),
      await workerIn(heldBy({ life: "elsewhere" }, "shared"), session),
      await workerIn(heldBy(undefined), session),
    ]).toEqual([living, living, elsewhere, undefined, undefined, undefined, undefined]);
  });
});

describe("the headers of sessions", () => {
  it("are read for the sessions that the filter selects, and are unknown if they cannot be read", async () => {
    const place = playground();
    const [one, two] = [await writeSession(place), await writeSession(place)];
    const store = openStore(recordingContext(place).context);
    ruinLog(place.home, two);
    const header = expect.objectContaining({ kind: "session", session: one, workspace: place.workspace });
    const both = [
      { id: one, header },
      { id: two, header: undefined },
    ].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(await sessionHeaders(store)).toEqual(both);
    expect(await sessionHeaders(store, { workspace: "/elsewhere", mode: "agent" })).toEqual([
      { id: two, header: undefined },
    ]);
  });

  it("are unknown if the first line is lost, or is not a header", async () => {
    const store = openMemoryStore();
    const story = new Story();
    await store.create(story.begin());
    const { session } = story;
    for (const lines of [[], [story.prompt("one")]]) {
      store.read = async () => lines;
      expect(await sessionHeaders(store)).toEqual([{ id: session, header: undefined }]);
    }
  });

  it("hide no error that is not Worldline's", async () => {
    const store = openMemoryStore();
    await store.create(new Story().begin());
    const bug = new TypeError("broken");
    const broken = hinderedStore(store, (call) => {
      if (call === "read") throw bug;
    });
    await expect(sessionHeaders(broken)).rejects.toBe(bug);
  });
});

describe("the folders that have a session", () => {
  it("are those in which this home's or a confirmed session works", async () => {
    const place = playground();
    const { home, workspace, root } = place;
    const store = { kind: "files" } as const;
    const [claimed, other] = [join(root, "claimed"), join(root, "other")];
    for (const folder of [claimed, other]) mkdirSync(folder);
    expect(await knownWorkspaces({ home, store, folders: [workspace] })).toEqual([]);
    await writeSession(place);
    await writeSession({ home, workspace: other });
    await writeForeign({ home, workspace: claimed }, sessionNumber(1));
    const ruined = await writeSession(place);
    ruinLog(home, ruined);
    const imported = { from: "bundle", name: "theirs" } as const;
    await writeForeign({ home, workspace: "/theirs" }, sessionNumber(2), { imported });
    const confirmed = recordingContext({ home, workspace: root }).context;
    const theirs = openStore(confirmed);
    await confirmSession(confirmed, theirs, await viewSession(theirs, sessionNumber(2)));
    expect(await knownWorkspaces({ home, store, folders: [] })).toEqual([root]);
    const known = async (...folders: string[]) => knownWorkspaces({ home, store, folders });
    expect(new Set(await known(workspace))).toEqual(new Set([root, workspace]));
    expect(new Set(await known(workspace, other))).toEqual(new Set([root, workspace, other]));
    expect(await known(claimed)).not.toContain(claimed);
  });

  it("are the folders that a database finds, or none if it does not answer", async () => {
    const place = playground();
    const { home, workspace, root } = place;
    const path = join(root, "sessions.db");
    const store = { kind: "sqlite", path } as const;
    expect(await knownWorkspaces({ home, store, folders: [workspace] })).toEqual([]);
    await writeSession(place, { store: `sqlite:${path}` });
    expect(await knownWorkspaces({ home, store, folders: [root, workspace] })).toEqual([workspace]);
    expect(await knownWorkspaces({ home, store, folders: [root] })).toEqual([]);
    const folder = { kind: "sqlite", path: root } as const;
    expect(await knownWorkspaces({ home, store: folder, folders: [workspace] })).toEqual([]);
    await expect(knownWorkspaces({ home, store, folders: undefined as never })).rejects.toThrow(TypeError);
    const database = new Libsql(path);
    database.exec("UPDATE worldline_lines SET line = CAST('scribble' AS BLOB) WHERE seq = 1");
    database.close();
    expect(await knownWorkspaces({ home, store, folders: [workspace] })).toEqual([]);
  });

  it("are reported to lack entries if an older copy has replaced the database", async () => {
    const { root, home, workspace } = playground();
    const path = join(root, "sessions.db");
    const options = { home, workspace, store: `sqlite:${path}` };
    const session = await openSession(options);
    await session.prompt("one");
    await session.close();
    copyFileSync(path, join(root, "older.db"));
    const resumed = await openSession({ ...options, resume: session.id });
    await resumed.prompt("two");
    await resumed.prompt("three");
    await resumed.close();
    const other = await openSession(options);
    await other.prompt("four");
    await other.close();
    copyFileSync(join(root, "older.db"), path);
    const { context, notices } = recordingContext(
      { home, workspace },
      { common: { store: { kind: "sqlite", path } } },
    );
    onTestFinished(async () => context.stores.close());
    expect(await openStore(context).list()).toEqual([session.id]);
    expect(notices).toEqual([{ code: "entries-missing", entries: expect.any(Number), sessions: 2 }]);
    const [missing] = notices;
    expect(missing?.code === "entries-missing" && missing.entries).toBeGreaterThan(4);
  });
});
