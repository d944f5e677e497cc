import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { snapshotChecks } from "../../../src/app/doctor/file-checks.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { trashSession } from "../../../src/app/sessions/trash.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { snapshotPlaces, workspacePlaces } from "../../../src/snapshots/context.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { cutOffRestore } from "../support/cut-off-restore.ts";
import { handlesLeftBy } from "../support/open-handles.ts";
import { recordingContext } from "../support/recording-context.ts";

const fine = (sessions = 1) => ({
  about: "files",
  status: "ok",
  finding: { code: "filesFine", given: [sessions, expect.any(Number)] },
});

/** A workspace with a checkpoint of one file. */
async function withFile(given: Parameters<typeof recordingContext>[1] = {}) {
  const shop = workshop();
  const recorded = recordingContext(shop, given);
  shop.put("a.txt", "one\n");
  const { session } = await makeCheckpoint(recorded.context, undefined, "test");
  return { ...shop, ...recorded, session, places: snapshotPlaces(shop.home) };
}

describe("the check of the files", () => {
  it("says that there are none", async () => {
    expect(await snapshotChecks(recordingContext(workshop()).context, "check")).toEqual([
      { about: "files", status: "ok", finding: { code: "noFiles", given: [] } },
    ]);
  });

  it("counts the sessions with files, and what they take up", async () => {
    const { context, places } = await withFile();
    const checks = await snapshotChecks(context, "check");
    expect(checks).toEqual([fine()]);
    const stored = checks.flatMap(({ finding }) => (finding.code === "filesFine" ? [finding.given[1]] : []));
    expect(stored[0]).toBeGreaterThan(0);
    rmSync(places.workspaces, { recursive: true });
    expect(await snapshotChecks(context, "check")).toEqual([fine()]);
    writeFileSync(places.workspaces, "");
    expect(await snapshotChecks(context, "check")).toEqual([
      fine(),
      {
        about: "files",
        status: "error",
        finding: { code: "problem", problem: expect.objectContaining({ reason: "read-failed" }) },
      },
    ]);
    rmSync(places.workspaces);
    rmSync(places.refs, { recursive: true });
    expect(await snapshotChecks(context, "check")).toEqual([fine(0)]);
  });

  it("counts the snapshots that cannot be read", async () => {
    const { context, places } = await withFile();
    rmSync(places.segments, { recursive: true });
    mkdirSync(places.segments);
    expect(await snapshotChecks(context, "check")).toEqual([
      {
        about: "files",
        status: "error",
        finding: { code: "filesDamaged", given: [1] },
        hint: { code: "filesDamagedHint", given: [] },
      },
    ]);
  });

  it("reports a store that cannot be measured", async () => {
    const { context, places } = await withFile();
    rmSync(places.segments, { recursive: true });
    writeFileSync(places.segments, "");
    expect((await snapshotChecks(context, "check"))[0]).toEqual({
      about: "files",
      status: "error",
      finding: { code: "problem", problem: expect.any(WorldlineError) },
    });
  });
});

describe("the check of interrupted restores", () => {
  const interrupted = (workspace: string) => ({
    about: "files",
    status: "warning",
    finding: { code: "restoreCutOff", given: [workspace, 1] },
    hint: { code: "restoreCutOffHint", given: [] },
    fixable: true,
  });

  it("finds one, which a repair finishes or discards", async () => {
    const shop = workshop();
    const { context } = recordingContext(shop);
    const { session } = await cutOffRestore(shop, context);
    expect(await snapshotChecks(context, "check")).toEqual([fine(), interrupted(shop.workspace)]);
    expect(await snapshotChecks(context, "fix")).toEqual([
      fine(),
      { about: "files", status: "fixed", finding: { code: "restore", restore: { session, paths: [] } } },
    ]);
    expect(await snapshotChecks(context, "check")).toEqual([fine()]);
    expect(shop.files()).toEqual({ "a.txt": "two\n" });
  });

  it("keeps no file open", async () => {
    const shop = workshop();
    const { context } = recordingContext(shop);
    await cutOffRestore(shop, context);
    expect(await handlesLeftBy(async () => snapshotChecks(context, "check"))).toBeLessThanOrEqual(0);
  });

  it("skips folders of the store that name no existing workspace", async () => {
    const shop = workshop();
    const { context } = recordingContext(shop);
    const { journal } = await cutOffRestore(shop, context);
    const places = snapshotPlaces(shop.home);
    const gone = workspacePlaces(places, join(shop.root, "gone"));
    mkdirSync(gone.journal, { recursive: true });
    for (const name of readdirSync(journal)) copyFileSync(join(journal, name), join(gone.journal, name));
    writeFileSync(gone.about, JSON.stringify({ folder: join(shop.root, "gone") }));
    for (const [name, about] of [
      ["a", "no JSON"],
      ["b", "{}"],
      ["c", '{ "folder": 1 }'],
      ["d", undefined],
    ] as const) {
      mkdirSync(join(places.workspaces, name));
      if (about !== undefined) writeFileSync(join(places.workspaces, name, "workspace.json"), about);
    }
    expect(await snapshotChecks(context, "check")).toEqual([fine(), interrupted(shop.workspace)]);
    writeFileSync(join(journal, "notes.txt"), "");
    expect(await snapshotChecks(context, "check")).toEqual([fine(), interrupted(shop.workspace)]);
    for (const name of readdirSync(journal)) if (name.endsWith(".json")) rmSync(join(journal, name));
    expect(await snapshotChecks(context, "check")).toEqual([fine()]);
    rmSync(journal, { recursive: true });
    expect(await snapshotChecks(context, "check")).toEqual([fine()]);
  });

  it("reports a damaged journal", async () => {
    const shop = workshop();
    const { context } = recordingContext(shop);
    const { journal } = await cutOffRestore(shop, context);
    for (const name of readdirSync(journal)) writeFileSync(join(journal, name), "{");
    expect((await snapshotChecks(context, "check")).slice(1)).toEqual([
      {
        about: "files",
        status: "error",
        finding: { code: "problem", problem: expect.objectContaining({ reason: "restore-journal-damaged" }) },
      },
    ]);
    expect(await snapshotChecks(context, "check")).toEqual([fine()]);
  });
});

const DAY_MS = 24 * 60 * 60 * 1000;

describe("the check of files without a session", () => {
  const ORPHAN = "k3f9x2m7q1" as SessionId;
  const OTHER = "k3f9x2m7q2" as SessionId;

  /** A session with files, and the references of two sessions that were never created. */
  async function withOrphans(ageMs: number, given: Parameters<typeof recordingContext>[1] = {}) {
    const shop = await withFile(given);
    const refs = (of: string) => join(shop.places.refs, `${of}.jsonl`);
    const then = (systemClock.now() - ageMs) / 1000;
    for (const each of [ORPHAN, OTHER]) copyFileSync(refs(shop.session), refs(each));
    const age = () => {
      for (const each of [shop.session, ORPHAN, OTHER]) utimesSync(refs(each), then, then);
    };
    age();
    return { ...shop, refs, age };
  }
  const found = {
    about: "files",
    status: "note",
    finding: { code: "filesOfNobody", given: [`${ORPHAN}, ${OTHER}`] },
    hint: { code: "filesOfNobodyHint", given: [] },
    fixable: true,
  };

  it("finds them after a day, and a repair releases them", async () => {
    const { context, refs, session, notices } = await withOrphans(DAY_MS + 60_000);
    expect(await snapshotChecks(context, "check")).toEqual([fine(3), found]);
    expect(await snapshotChecks(context, "fix")).toEqual([
      fine(3),
      {
        about: "files",
        status: "fixed",
        finding: { code: "filesOfNobodyDropped", given: [`${ORPHAN}, ${OTHER}`] },
      },
    ]);
    expect([session, ORPHAN, OTHER].map((each) => existsSync(refs(each)))).toEqual([true, false, false]);
    expect(await snapshotChecks(context, "fix")).toEqual([fine()]);
    expect(notices.map(({ code }) => code)).toEqual(["session-created"]);
  });

  it("leaves them alone for a day, because the session may be in the making", async () => {
    const { context } = await withOrphans(DAY_MS - 60_000);
    expect(await snapshotChecks(context, "fix")).toEqual([fine(3)]);
  });

  it("leaves them alone if they belong to another store, or if all sessions are gone", async () => {
    const { context, home } = await withOrphans(2 * DAY_MS);
    const path = join(home, "sessions.db");
    const elsewhere = { ...context, common: { ...context.common, store: { kind: "sqlite", path } } } as const;
    expect(await snapshotChecks(elsewhere, "fix")).toEqual([fine(3)]);
    await context.stores.close();
    rmSync(join(home, "sessions"), { recursive: true });
    expect(await snapshotChecks(context, "check")).toEqual([fine(3)]);
  });

  it("finds them even if there are no other sessions", async () => {
    const { context, session } = await withOrphans(2 * DAY_MS);
    await trashSession(context, session);
    await openStore(context).emptyTrash(systemClock.now() + 1);
    expect((await snapshotChecks(context, "check")).slice(1)).toEqual([
      { ...found, finding: { code: "filesOfNobody", given: [expect.stringContaining(ORPHAN)] } },
    ]);
  });

  it("does not say that they were released if that failed", async () => {
    const store = openMemoryStore();
    const { context, notices } = await withOrphans(2 * DAY_MS, { store });
    notices.length = 0;
    const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });
    let calls = 0;
    const { list } = store;
    store.list = async () => {
      calls += 1;
      if (calls === 2) throw problem;
      return list();
    };
    expect(await snapshotChecks(context, "fix")).toEqual([fine(3)]);
    expect(notices).toEqual([{ code: "files-not-dropped", sessions: [ORPHAN, OTHER], problem }]);
  });

  it("counts sessions in the trash as sessions", async () => {
    const { context, session, age } = await withOrphans(2 * DAY_MS);
    await trashSession(context, session);
    age();
    expect(await snapshotChecks(context, "check")).toEqual([fine(3), found]);
  });

  it("never takes an empty database for one that has lost its sessions", async () => {
    const { root } = workshop();
    const path = join(root, "sessions.db");
    const store = { kind: "sqlite", path } as const;
    const { context, age } = await withOrphans(2 * DAY_MS, { common: { store } });
    onTestFinished(async () => context.stores.close());
    expect(await snapshotChecks(context, "check")).toEqual([fine(3), found]);
    const sessions = openStore(context);
    for (const session of await sessions.list()) await sessions.trash(session, 1);
    age();
    expect(await snapshotChecks(context, "check")).toEqual([fine(3), found]);
    await sessions.emptyTrash(systemClock.now());
    expect(await snapshotChecks(context, "check")).toEqual([fine(3)]);
  });
});
