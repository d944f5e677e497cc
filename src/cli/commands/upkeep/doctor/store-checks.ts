import type { LogStore } from "../../../../ports/log-store.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import { migrations } from "../../../../stores/sql/schema.ts";
import { shownAddress } from "../../../../stores/store-address.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, failed, type Mode } from "./check.ts";
import { sqliteChecks } from "./sqlite-checks.ts";

export interface StoreVerdict {
  readonly checks: readonly Check[];
  /** "no": whatever else would be asked of it, it would not answer either. */
  readonly answers: "yes" | "no";
}

/** Which store is used, and whether it answers. */
export async function storeChecks(frame: Frame, store: LogStore, mode: Mode): Promise<StoreVerdict> {
  const { common, home, strings } = frame;
  const { doctor } = strings;
  if (common.store.kind === "files") {
    const message = doctor.store(common.store.kind, home);
    return { checks: [{ about: "home", status: "ok", message }], answers: "yes" };
  }
  const name = shownAddress(common.store);
  const used: Check = { about: "store", status: "ok", message: doctor.database(name) };
  const file =
    common.store.kind === "sqlite" ? await sqliteChecks({ frame, store, mode }, common.store.path) : [];
  try {
    await store.list({ limit: 1 });
    // Whoever opens a database brings its tables up to date first.
    const version = Math.max(...migrations.map((migration) => migration.version));
    const answered: Check = { about: "store", status: "ok", message: doctor.databaseAnswers(version) };
    return { checks: [used, answered, ...file], answers: "yes" };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { checks: [used, failed("store", error), ...file], answers: "no" };
  }
}
