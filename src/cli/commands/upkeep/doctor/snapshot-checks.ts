import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { heard } from "../../../../app/context.ts";
import { openGround } from "../../../../app/sessions/store.ts";
import { settleWorkspace } from "../../../../machine/open.ts";
import { openSnapshotUpkeep, openWorkspaceFiles } from "../../../../open-files.ts";
import { settledText } from "../../../../show/notice-text.ts";
import { snapshotPlaces, workspacePlaces } from "../../../../snapshots/context.ts";
import { placeOf } from "../../../../stores/store-address.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, type Mode, orError } from "./check.ts";
import { orphanChecks } from "./orphan-checks.ts";

const NAME = "worldline doctor";
const WAIT_MS = 5_000;

/** The store of files: whether every snapshot can be walked, and what a crash has cut off. Contents are `store verify`'s. */
export async function snapshotChecks(frame: Frame, mode: Mode): Promise<readonly Check[]> {
  const { home, strings } = frame;
  const { root } = snapshotPlaces(home);
  if (!existsSync(root)) return [{ about: "files", status: "ok", message: strings.doctor.noFiles }];
  const store = await orError("files", async () => [await storeCheck(frame)]);
  const restores: Check[] = [];
  for (const workspace of cutOffIn(home)) {
    restores.push(...(await orError("files", () => restoreChecks(frame, workspace, mode))));
  }
  return [...store, ...(await orError("files", () => orphanChecks(frame, mode))), ...restores];
}

async function storeCheck({ home, common, strings: { doctor } }: Frame): Promise<Check> {
  const upkeep = openSnapshotUpkeep({ home, name: NAME, waitMs: WAIT_MS, takeOver: common.takeOver });
  try {
    const { storedBytes, sessions, damaged } = await upkeep.usage();
    if (damaged.length > 0) {
      const message = doctor.filesDamaged(damaged.length);
      return { about: "files", status: "error", message, hint: doctor.filesDamagedHint };
    }
    return { about: "files", status: "ok", message: doctor.filesFine(sessions.length, storedBytes) };
  } finally {
    upkeep.close();
  }
}

/** The workspaces in which a restore was cut off, or is being made right now. */
function cutOffIn(home: string): readonly string[] {
  const places = snapshotPlaces(home);
  if (!existsSync(places.workspaces)) return [];
  return readdirSync(places.workspaces)
    .flatMap((name) => workspaceOf(join(places.workspaces, name, "workspace.json")))
    .filter((workspace) => {
      const { journal } = workspacePlaces(places, workspace);
      return (
        existsSync(workspace) &&
        existsSync(journal) &&
        readdirSync(journal).some((file) => file.endsWith(".json"))
      );
    });
}

/** What does not say which workspace it is has nothing in it that could be finished. */
function workspaceOf(about: string): readonly string[] {
  try {
    const { folder } = JSON.parse(readFileSync(about, "utf8")) as { folder?: unknown };
    return typeof folder === "string" ? [folder] : [];
  } catch {
    return [];
  }
}

async function restoreChecks(frame: Frame, workspace: string, mode: Mode): Promise<readonly Check[]> {
  const { home, strings, common } = frame;
  const { doctor } = strings;
  const sessionsIn = placeOf(common.store, home);
  const { takeOver } = common;
  const files = await openWorkspaceFiles({
    workspace,
    home,
    sessionsIn,
    name: NAME,
    waitMs: WAIT_MS,
    takeOver,
  });
  try {
    const unfinished = await files.unfinished();
    if (unfinished.length === 0) return [];
    if (mode === "look") {
      const message = doctor.restoreCutOff(workspace, unfinished.length);
      return [{ about: "files", status: "warning", message, hint: doctor.restoreCutOffHint, fixable: true }];
    }
    const ground = await openGround(frame);
    const settled = await heard(frame, () => settleWorkspace(ground, files));
    return settled.map((each) => ({ about: "files", status: "fixed", message: settledText(each, strings) }));
  } finally {
    await files.close();
  }
}
