import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { crashLeftovers, leakyHome, OUTSIDE, SECRET } from "../../support/secrets/leaky-home.ts";
import { secretsIn, secretsInPostgres, watchRows } from "../../support/secrets/search-home.ts";

const SLOW = { timeout: 120_000 };

const OUTSIDE_SHA = createHash("sha256").update(OUTSIDE).digest("hex");

/**
 * Checks that the secret was there to begin with; otherwise a search that finds nothing would prove nothing.
 */
function expectEverywhere(found: readonly string[], places: readonly RegExp[]): void {
  expect(places.filter((place) => !found.some((each) => place.test(each)))).toEqual([]);
}

/** The kinds of entries that contain the secret. */
function kindsWith(home: string): readonly string[] {
  const sessions = readdirSync(join(home, "sessions"));
  const logs = sessions.map((session) => readFileSync(join(home, "sessions", session, "log.jsonl"), "utf8"));
  const lines = logs.flatMap((log) => log.split("\n")).filter((line) => line.includes("sk-live-4242"));
  return [...new Set(lines.map((line) => /"kind":"([a-z-]+)"/u.exec(line)?.[1] ?? "torn"))].sort();
}

const BESIDE_SESSIONS = [
  /^history\/[0-9a-f]+\.jsonl: /u,
  /^history\/\.\S+: .*ASCII JSON/u,
  /^snapshots\/refs\/\w+\.jsonl: /u,
  /^snapshots\/refs\/\w+\.jsonl\.new: /u,
  /^snapshots\/segments\/.*packed object > plain/u,
  /^snapshots\/segments\/.*ASCII JSON/u,
  /^snapshots\/segments\/.*base64 at/u,
];

describe("a secret that is everywhere", () => {
  it("is nowhere in the home after it was forgotten, with sessions in files", SLOW, async () => {
    const place = await leakyHome(() => "files");
    crashLeftovers(place, place.session);
    expectEverywhere(secretsIn(place.home, SECRET), [
      ...BESIDE_SESSIONS,
      /^sessions\/\w+\/log\.jsonl: /u,
      /^sessions\/\w+\/log\.jsonl: .*base64 > plain/u,
      /^sessions\/\w+\/blobs\/.*: plain/u,
      /^sessions\/\w+\/blobs\/.*base64 > plain/u,
      new RegExp(`^sessions/\\w+/blobs/${OUTSIDE_SHA.slice(0, 2)}/${OUTSIDE_SHA}: plain`, "u"),
      /^sessions\/\w+\/outputs\/.*: plain/u,
      /^sessions\/\w+\/checkpoints\/metadata\.json: /u,
      /^sessions\/\w+\/log\.jsonl\.torn-1: beginning/u,
      /^trash\/\S+\/log\.jsonl: /u,
    ]);
    expect(kindsWith(place.home)).toEqual(
      "backtrack compaction error host interval label notice prompt reply saved session title todos tool-end tool-start torn".split(
        " ",
      ),
    );
    const dry = await place.must(["forget", "-", "--dry-run"], { piped: SECRET });
    const said = await place.worldline(["forget", "-", "--yes", "--json"], { piped: SECRET });
    expect({ code: said.code, left: secretsIn(place.home, SECRET) }).toEqual({ code: 0, left: [] });
    const report = JSON.parse(said.stdout);
    expect(report).toMatchObject({
      sessions: dry.sessions,
      inTrash: [{ session: place.trashed, entries: 1, times: 1 }],
      files: { contents: 7, erased: 7, labels: dry.files.labels, left: [] },
      inHome: { typed: 2, outputs: 0, others: [], unreadable: [], databases: [] },
      left: [],
      unseen: [],
    });
    expect(dry).toMatchObject({ inTrash: [place.trashed], inHome: report.inHome, changed: false });
    expect(said.stdout + said.stderr).not.toContain("sk-live");
  });

  it("is nowhere in the home after it was forgotten, with sessions in SQLite", SLOW, async () => {
    const place = await leakyHome((root) => `sqlite:${join(root, "home", "sessions.db")}`);
    crashLeftovers(place, place.session);
    expectEverywhere(secretsIn(place.home, SECRET), [
      ...BESIDE_SESSIONS,
      /^outputs\/.*: plain/u,
      /^sessions\.db: .*worldline_lines: deflated row > JSON/u,
      /^sessions\.db: .*worldline_blobs: plain/u,
      /^sessions\.db: .*worldline_published: JSON/u,
    ]);
    const pieces = watchRows(join(place.home, "sessions.db"), SECRET);
    const said = await place.worldline(["forget", "-", "--yes", "--json"], { piped: SECRET });
    expect({ code: said.code, left: secretsIn(place.home, SECRET) }).toEqual({ code: 0, left: [] });
    expect(pieces()).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({
      inTrash: [{ session: place.trashed }],
      files: { erased: 7, left: [] },
      inHome: { typed: 2, outputs: 1, others: [] },
      left: [],
    });
  });
});

describeWithPostgres("a secret that is everywhere, in Postgres too", () => {
  it("is in no row, no table's file and no statistics after it was forgotten", SLOW, async () => {
    const url = await freshPostgres();
    const place = await leakyHome(() => url);
    crashLeftovers(place, place.session);
    // The server eventually does this by itself: it stores samples of the column values.
    await askPostgres(url, "ANALYZE worldline_lines, worldline_blobs, worldline_published");
    expectEverywhere(secretsIn(place.home, SECRET), [...BESIDE_SESSIONS, /^outputs\/.*: plain/u]);
    expectEverywhere(await secretsInPostgres(url, SECRET), [
      /^worldline_lines\.line: .*deflated row > JSON/u,
      /^worldline_blobs\.content: /u,
      /^worldline_published\.checkpoints: /u,
      /^file of worldline_lines: /u,
      /^statistics of worldline_lines\.line: /u,
    ]);
    const said = await place.worldline(["forget", "-", "--yes", "--json"], { piped: SECRET });
    expect({ code: said.code, left: secretsIn(place.home, SECRET) }).toEqual({ code: 0, left: [] });
    await askPostgres(url, "ANALYZE worldline_lines, worldline_blobs, worldline_published");
    expect(await secretsInPostgres(url, SECRET)).toEqual([]);
    expect(await place.must(["sessions", "list"])).toMatchObject({ sessions: expect.any(Array) });
  });
});
