import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { storeChecks } from "../../../src/app/doctor/store-checks.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { MissingEntries } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { migrations } from "../../../src/stores/sql/schema.ts";
import { pageDamage } from "../../../src/stores/sqlite/sqlite-database.ts";
import { hinderedStore, Story } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

const PAGE = 16_384;

const ok = (code: string, ...given: readonly unknown[]) => ({
  about: "store",
  status: "ok",
  finding: { code, given },
});
const space = ok("space", expect.any(Number));
const answers = ok("databaseAnswers", migrations.at(-1)?.version);

/** A database file in which a session was stored. */
async function withDatabase() {
  const place = playground();
  const path = join(place.root, "sessions.db");
  const { context } = recordingContext(place, { common: { store: { kind: "sqlite", path } } });
  const store = openStore(context);
  onTestFinished(async () => store.close());
  await store.create(new Story().begin());
  const used = ok("database", `sqlite:${path}`);
  return { ...place, path, context, store, used };
}

describe("the check of the store", () => {
  it("names the files, or the database that does not exist yet", async () => {
    const place = playground();
    const { context } = recordingContext(place);
    expect(await storeChecks(context, openStore(context), "check")).toEqual({
      checks: [{ about: "home", status: "ok", finding: { code: "store", given: ["files", place.home] } }],
      answers: "yes",
    });
    const path = join(place.root, "sessions.db");
    const { context: other } = recordingContext(place, { common: { store: { kind: "sqlite", path } } });
    const store = openStore(other);
    onTestFinished(async () => store.close());
    expect(await storeChecks(other, store, "check")).toEqual({
      checks: [ok("database", `sqlite:${path}`), answers, space],
      answers: "yes",
    });
  });

  it("reads the pages of a database, and warns if others can read them too", async () => {
    const { context, store, path, used } = await withDatabase();
    expect(await storeChecks(context, store, "check")).toEqual({
      checks: [used, answers, space, ok("databaseWhole")],
      answers: "yes",
    });
    for (const [mode, shown] of [
      [0o601, "0601"],
      [0o4610, "4610"],
    ] as const) {
      chmodSync(path, mode);
      expect(await storeChecks(context, store, "check")).toEqual({
        checks: [
          used,
          answers,
          space,
          {
            about: "store",
            status: "warning",
            finding: { code: "databaseOpen", given: [path, shown] },
            hint: { code: "closeDatabase", given: [`${path}*`] },
          },
          ok("databaseWhole"),
        ],
        answers: "yes",
      });
    }
  });

  it("reports damaged pages", async () => {
    const { context, store, path, root } = await withDatabase();
    await store.close();
    const damaged = join(root, "damaged.db");
    const bytes = readFileSync(path);
    // The number of unused bytes within a page, which SQLite counts again.
    for (const page of [3, 4]) bytes[page * PAGE + 7] = 5;
    writeFileSync(damaged, bytes, { mode: 0o600 });
    const damage = await pageDamage(damaged, systemClock);
    expect(damage).toHaveLength(2);
    const { checks } = await storeChecks(
      { ...context, common: { ...context.common, store: { kind: "sqlite", path: damaged } } },
      store,
      "check",
    );
    expect(checks.at(-1)).toEqual({
      about: "store",
      status: "error",
      finding: { code: "databaseDamaged", given: [damaged, damage.join("; ")] },
      hint: { code: "databaseDamagedHint", given: [damaged] },
    });
  });

  it("reports a store that does not answer, and hides no other error", async () => {
    const { context } = await withDatabase();
    const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });
    const failing = (error: unknown) =>
      hinderedStore(openMemoryStore(), (call) => {
        if (call === "list") throw error;
      });
    const address = { kind: "postgres", url: "postgres://user:secret@host/db", name: "postgres://host/db" };
    const elsewhere = { ...context, common: { ...context.common, store: address as never } };
    expect(await storeChecks(elsewhere, failing(problem), "check")).toEqual({
      checks: [
        ok("database", "postgres://host/db"),
        { about: "store", status: "error", finding: { code: "problem", problem } },
      ],
      answers: "no",
    });
    const unknown = Object.assign(openMemoryStore(), { missing: () => Promise.reject(problem) });
    expect((await storeChecks(context, unknown, "check")).checks.slice(3)).toEqual([
      { about: "store", status: "error", finding: { code: "problem", problem } },
      ok("databaseWhole"),
    ]);
    const bug = new TypeError("broken");
    await expect(storeChecks(elsewhere, failing(bug), "check")).rejects.toBe(bug);
  });

  it("says nothing of missing entries if the store cannot find them", async () => {
    const { context, used } = await withDatabase();
    expect((await storeChecks(context, openMemoryStore(), "fix")).checks).toEqual([
      used,
      answers,
      space,
      ok("databaseWhole"),
    ]);
  });

  it("finds entries that are missing, whose loss a repair accepts", async () => {
    const { context, path, used } = await withDatabase();
    const missing: MissingEntries[] = [
      { session: "one" as SessionId, from: 3, entries: 2, acknowledgedAt: "2026-01-02T00:00:00.000Z" },
      { session: "two" as SessionId, from: 1, entries: 5, acknowledgedAt: "2026-01-03T00:00:00.000Z" },
      { session: "three" as SessionId, from: 1, entries: 1, acknowledgedAt: "2026-01-01T00:00:00.000Z" },
    ] as never;
    let accepted = 0;
    const store = Object.assign(openMemoryStore(), {
      missing: async () => (accepted > 0 ? [] : missing),
      acceptMissing: async () => {
        accepted += 1;
      },
    });
    const around = (check: object) => ({
      checks: [used, answers, space, check, ok("databaseWhole")],
      answers: "yes",
    });
    expect(await storeChecks(context, store, "check")).toEqual(
      around({
        about: "store",
        status: "error",
        finding: { code: "entriesMissing", given: [8, 3, "2026-01-03T00:00:00.000Z", "one, two, three"] },
        hint: { code: "entriesMissingHint", given: [path] },
        fixable: true,
      }),
    );
    expect(await storeChecks(context, store, "fix")).toEqual(
      around({ about: "store", status: "fixed", finding: { code: "lossAccepted", given: [8, 3] } }),
    );
    expect(accepted).toBe(1);
    expect((await storeChecks(context, store, "fix")).checks).toEqual([
      used,
      answers,
      space,
      ok("databaseWhole"),
    ]);
  });
});
