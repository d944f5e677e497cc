import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { typedHistory } from "../../../src/app/places/home.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSession } from "../../../src/open-session.ts";
import { snapshotPlaces } from "../../../src/snapshots/context.ts";
import { acquireShared } from "../../../src/snapshots/keeping/shared-lease.ts";
import { SecretSearch } from "../../support/secrets/search-bytes.ts";
import { secretsIn } from "../../support/secrets/search-home.ts";
import { workshop } from "../support/workshop.ts";

const SECRET = "sk-live-0123456789/abcdef";

/**
 * Puts the secret into two sessions (one of them in the trash), the typed history, a label, a stored output,
 * and a snapshot.
 */
async function leaked() {
  const shop = workshop();
  const { home, workspace } = shop;
  shop.put("key.txt", `${SECRET}\n`);
  await shop.worldline(["checkpoint", `label ${SECRET}`]);
  shop.remove("key.txt");
  const one = await openSession({ home, workspace, resume: "new" });
  await one.prompt(`one ${SECRET}`);
  await one.close();
  const trashed = await openSession({ home, workspace, resume: "new" });
  await trashed.prompt(`trashed ${SECRET}`);
  await trashed.close();
  await shop.worldline(["sessions", "delete", trashed.id]);
  await typedHistory(home, workspace).add(`typed ${SECRET}`);
  mkdirSync(join(home, "outputs", "k3f9x2m7q1"), { recursive: true });
  writeFileSync(join(home, "outputs", "k3f9x2m7q1", "c1.txt"), SECRET);
  return { ...shop, session: one.id };
}

type Leaked = Awaited<ReturnType<typeof leaked>>;

/** Runs `forget` and checks that it did not change a single byte. */
async function unchanged(shop: Leaked, forget: () => ReturnType<Leaked["worldline"]>) {
  const before = shop.everything();
  const said = await forget();
  expect(shop.everything()).toEqual(before);
  return said;
}

describe("a forget that does not take place", () => {
  it("changes nothing, whatever kept it: no agreement, a dry run, a program that holds a session or the snapshots", async () => {
    const shop = await leaked();
    const { home, workspace, worldline } = shop;
    const yes = ["forget", SECRET, "--yes"];
    expect(await unchanged(shop, () => worldline(["forget", SECRET]))).toMatchObject({ code: 42 });
    const no = await unchanged(shop, () => worldline(["forget", SECRET], { typed: "no\n" }));
    expect(no).toMatchObject({ code: 130 });
    for (const place of ["1 label", "1 line in the input history", "1 long command output", "1 file version"])
      expect(no.stderr).toContain(place);
    expect(await unchanged(shop, () => worldline(["forget", SECRET, "--dry-run"]))).toMatchObject({
      code: 0,
    });
    const held = await openSession({ home, workspace, resume: shop.session });
    expect(await unchanged(shop, () => worldline(yes))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Nothing was forgotten."),
    });
    await held.close();
    const deps = { disk: realDisk, clock: systemClock, processes: realProcesses(home) };
    const lease = await acquireShared(deps, snapshotPlaces(home).leases, { name: "a capture", waitMs: 0 });
    const busy = await unchanged(shop, () => worldline([...yes, "--setting", "lock.waitMs=1"]));
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining("a capture") });
    await lease.release();
    expect(await worldline(yes)).toMatchObject({ code: 0 });
    expect(secretsIn(home, SECRET)).toEqual([]);
  });

  it("changes nothing where the text is part of what holds a session together", async () => {
    const shop = await leaked();
    const { home, workspace } = shop;
    const session = await openSession({ home, workspace, resume: shop.session });
    await session.prompt("in my workspace");
    await session.close();
    await typedHistory(home, workspace).add("in my workspace");
    const said = await unchanged(shop, () => shop.worldline(["forget", "--text", "workspace", "--yes"]));
    expect(said).toMatchObject({ code: 42, stderr: expect.stringContaining("Nothing was changed.") });
  });
});

describe("a place that cannot be cleaned", () => {
  it("is named, with exit code 1, and all others are clean: a log, settings, a bundle, another database", async () => {
    const shop = await leaked();
    const { home, workspace, worldline } = shop;
    const bundle = join(shop.root, "mine.bundle");
    expect(await worldline(["sessions", "export", shop.session, "-o", bundle])).toMatchObject({ code: 0 });
    renameSync(bundle, join(home, "mine.bundle"));
    shop.write("user", `{\n  // ${SECRET}\n}\n`);
    const other = await openSession({ home, workspace, store: `sqlite:${join(home, "other.db")}` });
    await other.prompt(`elsewhere ${SECRET}`);
    await other.close();
    const unread = await openSession({ home, workspace, resume: "new" });
    await unread.prompt(`unread ${SECRET}`);
    await unread.close();
    const log = join(home, "sessions", unread.id, "log.jsonl");
    renameSync(log, `${log}.away`);
    mkdirSync(log);
    const said = await worldline(["forget", SECRET, "--yes", "--json"]);
    const report = JSON.parse(said.stdout);
    expect(report).toMatchObject({
      unseen: [unread.id],
      inHome: {
        ...{ typed: 1, outputs: 1, unreadable: [] },
        others: [join(home, "mine.bundle"), `${log}.away`, join(home, "settings.json")],
        databases: [join(home, "other.db")],
      },
    });
    expect(said.code).toBe(1);
    const words = report.warnings.join("\n");
    for (const name of ["mine.bundle", "settings.json", "other.db", unread.id]) expect(words).toContain(name);
    expect(shop.read("user")).toContain(SECRET);
    const left = secretsIn(home, SECRET).map((line) => line.split(":", 1)[0]);
    expect(left).toEqual([
      "mine.bundle",
      "other.db",
      `sessions/${unread.id}/checkpoints/metadata.json`,
      `sessions/${unread.id}/log.jsonl.away`,
      "settings.json",
    ]);
  });

  it("is not the memory of what a workspace holds, which is removed", async () => {
    const { home, worldline, put } = workshop();
    put("named-sk-live-4711.txt", "nothing\n");
    await worldline(["checkpoint", "one"]);
    const manifests = () => secretsIn(home, "sk-live-4711").filter((line) => line.includes("/manifest"));
    expect(manifests()).not.toEqual([]);
    const dry = JSON.parse((await worldline(["forget", "sk-live-4711", "--dry-run", "--json"])).stdout);
    expect(dry).toMatchObject({ files: { inNames: 1 }, inHome: { others: [] } });
    expect(await worldline(["forget", "sk-live-4711", "--yes"])).toMatchObject({ code: 1 });
    expect(manifests()).toEqual([]);
  });

  it("is a copy that was saved of the database, wherever that is", async () => {
    const { root, home, workspace, worldline } = workshop();
    const store = `sqlite:${join(root, "sessions.db")}`;
    const session = await openSession({ home, workspace, store });
    await session.prompt(`in a row: ${SECRET}`);
    await session.close();
    const copy = join(root, "sessions.db.saved-1795030032176");
    copyFileSync(join(root, "sessions.db"), copy);
    const said = await worldline(["forget", SECRET, "--yes", "--json", "--store", store]);
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout)).toMatchObject({
      sessions: [{ session: session.id }],
      inHome: { databases: [copy] },
    });
    expect(secretsIn(root, SECRET).map((line) => line.split(":", 1)[0])).toEqual([
      "sessions.db.saved-1795030032176",
    ]);
  });

  it("is a file's name in a snapshot, which is counted, and what the file held is gone", async () => {
    const shop = workshop();
    shop.put("name-0123456789.txt", "held by name-0123456789\n");
    await shop.worldline("checkpoint");
    shop.remove("name-0123456789.txt");
    const said = await shop.worldline(["forget", "--text", "name-0123456789", "--yes", "--json"]);
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout).files).toMatchObject({ contents: 1, erased: 1, inNames: 1 });
    const left = secretsIn(shop.home, "name-0123456789");
    expect(left).toEqual([expect.stringMatching(/^snapshots\/segments\/[^:]*\.seg: /u)]);
    expect(new SecretSearch("held by name-").formsIn(Buffer.from("held by name-"))).toContain("plain");
    expect(secretsIn(shop.home, "held by name-")).toEqual([]);
  });
});
