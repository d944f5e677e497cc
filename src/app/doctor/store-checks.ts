import { stat } from "node:fs/promises";
import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import { migrations } from "../../stores/sql/schema.ts";
import { pageDamage } from "../../stores/sqlite/sqlite-database.ts";
import { shownAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { type Check, type DoctorContext, failed, finding, type Mode, orError } from "./check.ts";
import { spaceCheck } from "./home-checks.ts";

interface StoreVerdict {
  readonly checks: readonly Check[];
  /** "no": the remaining checks of the store are skipped. */
  readonly answers: "yes" | "no";
}

/** Reports which store is used, and whether it responds. */
export async function storeChecks(context: AppContext, store: LogStore, mode: Mode): Promise<StoreVerdict> {
  const { common, home } = context;
  if (common.store.kind === "files") {
    const found = finding("store", common.store.kind, home);
    return { checks: [{ about: "home", status: "ok", finding: found }], answers: "yes" };
  }
  const name = shownAddress(common.store);
  const used: Check = { about: "store", status: "ok", finding: finding("database", name) };
  const file = common.store.kind === "sqlite" ? await sqliteChecks({ store, mode }, common.store.path) : [];
  try {
    await store.list({ limit: 1 });
    // Opening a database migrates its tables to this version.
    const version = Math.max(...migrations.map((migration) => migration.version));
    const answered: Check = { about: "store", status: "ok", finding: finding("databaseAnswers", version) };
    return { checks: [used, answered, ...file], answers: "yes" };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { checks: [used, failed("store", error), ...file], answers: "no" };
  }
}

const OTHERS = 0o077;

type SqliteContext = Pick<DoctorContext, "store" | "mode">;

/** Checks a database file: its permissions, the free disk space, and the integrity of its pages. */
async function sqliteChecks({ store, mode }: SqliteContext, path: string): Promise<readonly Check[]> {
  const there = await stat(path).catch(() => undefined);
  return [
    { ...(await spaceCheck(path)), about: "store" },
    ...(there === undefined ? [] : modeChecks(path, there.mode)),
    ...(await orError("store", async () => missingChecks({ store, mode }, path))),
    ...(there === undefined ? [] : await orError("store", async () => pageChecks(path))),
  ];
}

function modeChecks(path: string, mode: number): readonly Check[] {
  // Windows has no such permission bits.
  if (process.platform === "win32" || (mode & OTHERS) === 0) return [];
  const shown = (mode & 0o7777).toString(8).padStart(4, "0");
  return [
    {
      about: "store",
      status: "warning",
      finding: finding("databaseOpen", path, shown),
      hint: finding("closeDatabase", `${path}*`),
    },
  ];
}

async function pageChecks(path: string): Promise<readonly Check[]> {
  const damage = await pageDamage(path, systemClock);
  if (damage.length === 0) return [{ about: "store", status: "ok", finding: finding("databaseWhole") }];
  const found = finding("databaseDamaged", path, damage.join("; "));
  return [{ about: "store", status: "error", finding: found, hint: finding("databaseDamagedHint", path) }];
}

/** Checks whether the database lacks entries that were written to it, for example because an older copy replaced it. */
async function missingChecks({ store, mode }: SqliteContext, path: string): Promise<readonly Check[]> {
  const missing = (await store.missing?.()) ?? [];
  if (missing.length === 0) return [];
  const entries = missing.reduce((sum, each) => sum + each.entries, 0);
  if (mode === "fix") {
    await store.acceptMissing?.();
    return [{ about: "store", status: "fixed", finding: finding("lossAccepted", entries, missing.length) }];
  }
  const since =
    missing
      .map((each) => each.acknowledgedAt)
      .sort()
      .at(-1) ?? "";
  const which = missing.map((each) => each.session).join(", ");
  const found = finding("entriesMissing", entries, missing.length, since, which);
  return [
    {
      about: "store",
      status: "error",
      finding: found,
      hint: finding("entriesMissingHint", path),
      fixable: true,
    },
  ];
}
