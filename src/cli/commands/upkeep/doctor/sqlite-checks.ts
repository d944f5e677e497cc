import { stat } from "node:fs/promises";
import { systemClock } from "../../../../disk/system-clock.ts";
import { pageDamage } from "../../../../stores/sqlite/sqlite-database.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, orError, type SessionsExam } from "./check.ts";
import { spaceCheck } from "./home-checks.ts";

const OTHERS = 0o077;

type SqliteExam = Pick<SessionsExam, "frame" | "store" | "mode">;

/** Of a database that is a file: who may read it, what room it has, whether its pages are in order. */
export async function sqliteChecks(
  { frame, store, mode }: SqliteExam,
  path: string,
): Promise<readonly Check[]> {
  const there = await stat(path).catch(() => undefined);
  return [
    { ...(await spaceCheck(frame, path)), about: "store" },
    ...(there === undefined ? [] : modeChecks(frame, path, there.mode)),
    ...(await orError("store", async () => missingChecks({ frame, store, mode }, path))),
    ...(there === undefined ? [] : await orError("store", async () => pageChecks(frame, path))),
  ];
}

function modeChecks({ strings: { doctor } }: Frame, path: string, mode: number): readonly Check[] {
  // Windows has no such modes.
  if (process.platform === "win32" || (mode & OTHERS) === 0) return [];
  const shown = (mode & 0o7777).toString(8).padStart(4, "0");
  return [
    {
      about: "store",
      status: "warning",
      message: doctor.databaseOpen(path, shown),
      hint: doctor.closeDatabase(`${path}*`),
    },
  ];
}

async function pageChecks({ strings: { doctor } }: Frame, path: string): Promise<readonly Check[]> {
  const damage = await pageDamage(path, systemClock);
  if (damage.length === 0) return [{ about: "store", status: "ok", message: doctor.databaseWhole }];
  const message = doctor.databaseDamaged(path, damage.join("; "));
  return [{ about: "store", status: "error", message, hint: doctor.databaseDamagedHint(path) }];
}

/** Whether the database is older than what was written to it. */
async function missingChecks({ frame, store, mode }: SqliteExam, path: string): Promise<readonly Check[]> {
  const { doctor } = frame.strings;
  const missing = (await store.missing?.()) ?? [];
  if (missing.length === 0) return [];
  const entries = missing.reduce((sum, each) => sum + each.entries, 0);
  if (mode === "fix") {
    await store.acceptMissing?.();
    return [{ about: "store", status: "fixed", message: doctor.lossAccepted(entries, missing.length) }];
  }
  const since =
    missing
      .map((each) => each.acknowledgedAt)
      .sort()
      .at(-1) ?? "";
  const which = missing.map((each) => each.session).join(", ");
  const message = doctor.entriesMissing(entries, missing.length, since, which);
  return [{ about: "store", status: "error", message, hint: doctor.entriesMissingHint(path), fixable: true }];
}
