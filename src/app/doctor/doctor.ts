import { resolveSession } from "../../machine/queries/sessions.ts";
import type { AppContext } from "../context.ts";
import { openStore } from "../sessions/store.ts";
import { type Check, type DoctorContext, orError } from "./check.ts";
import { snapshotChecks } from "./file-checks.ts";
import { homeChecks } from "./home-checks.ts";
import { sessionChecks } from "./session-checks.ts";
import { claudeChecks, settingsChecks, versionChecks } from "./settings-checks.ts";
import { storeChecks } from "./store-checks.ts";
import { trashChecks } from "./trash-checks.ts";

export interface DoctorOptions extends Pick<DoctorContext, "mode" | "onSession"> {
  /** Worldline's version. */
  readonly version: string;
}

/**
 * Checks the home folder, the settings and everything that is stored. With "fix", repairs the problems that can be
 * repaired.
 */
export async function runDoctor(
  context: AppContext,
  { version, mode, onSession }: DoctorOptions,
): Promise<readonly Check[]> {
  const store = openStore(context);
  const { session } = context.common;
  const stored = await storeChecks(context, store, mode);
  const isAnswering = stored.answers === "yes";
  const wanted = session === undefined || !isAnswering ? undefined : [await resolveSession(store, session)];
  const settings = await settingsChecks(context);
  const days = settings.values?.["trash.days"];
  return [
    ...versionChecks(version),
    ...(settings.values === undefined ? [] : await claudeChecks(settings.values)),
    ...stored.checks,
    ...(await homeChecks(context, mode)),
    ...settings.checks,
    ...(await orError("settings", async () => keyChecks(context))),
    ...(isAnswering ? await storedChecks({ context, store, mode, wanted, onSession }, days) : []),
  ];
}

/** Checks the sessions in the store, and the files that are stored for them. */
async function storedChecks(doctor: DoctorContext, days: number | undefined): Promise<readonly Check[]> {
  const { context, store, mode } = doctor;
  return [
    ...(await orError("sessions", async () => sessionChecks(doctor))),
    ...(await snapshotChecks(context, mode)),
    ...(await orError("trash", async () => trashChecks({ context, store, mode, days }))),
  ];
}

/** Reports the key file only if there is a problem with it, because most users do not have one. */
async function keyChecks({ home }: AppContext): Promise<readonly Check[]> {
  const { checkKeys } = await import("../../agent/models/access.ts");
  checkKeys(home);
  return [];
}
