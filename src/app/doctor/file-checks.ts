import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { realDisk, withReadError } from "../../disk/disk.ts";
import { namesInOwn } from "../../disk/durable-files.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { settleWorkspace } from "../../machine/open.ts";
import { openSnapshotUpkeep, openWorkspaceFiles } from "../../open-files.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import { snapshotPlaces, workspacePlaces } from "../../snapshots/context.ts";
import { sessionsFolder } from "../../stores/files/places.ts";
import { placeOf, storeKey } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { heard } from "../context.ts";
import { openSessionDeps, openStore } from "../sessions/store.ts";
import { dropFilesOf } from "../sessions/trash.ts";
import { type Check, finding, type Mode, orError } from "./check.ts";

const NAME = "worldline doctor";
const WAIT_MS = 5_000;

/**
 * Checks whether every snapshot in the snapshot store can be read, and whether a crash left anything unfinished. `store
 * verify` also checks the content.
 */
export async function snapshotChecks(context: AppContext, mode: Mode): Promise<readonly Check[]> {
  const { home } = context;
  const { root } = snapshotPlaces(home);
  if (!existsSync(root)) return [{ about: "files", status: "ok", finding: finding("noFiles") }];
  const store = await orError("files", async () => [await storeCheck(context)]);
  const orphans = await orError("files", () => orphanChecks(context, mode));
  return [...store, ...orphans, ...(await orError("files", () => allRestoreChecks(context, mode)))];
}

async function storeCheck({ home, common }: AppContext): Promise<Check> {
  const upkeep = openSnapshotUpkeep({ home, name: NAME, waitMs: WAIT_MS, takeOver: common.takeOver });
  try {
    const { storedBytes, sessions, damaged } = await upkeep.usage();
    if (damaged.length > 0) {
      const found = finding("filesDamaged", damaged.length);
      return { about: "files", status: "error", finding: found, hint: finding("filesDamagedHint") };
    }
    return { about: "files", status: "ok", finding: finding("filesFine", sessions.length, storedBytes) };
  } finally {
    upkeep.close();
  }
}

async function allRestoreChecks(context: AppContext, mode: Mode): Promise<readonly Check[]> {
  const { workspaces } = snapshotPlaces(context.home);
  const checks: Check[] = [];
  for (const name of namesIn(workspaces)) {
    for (const workspace of workspaceOf(join(workspaces, name, "workspace.json")))
      checks.push(...(await orError("files", () => restoreChecks(context, workspace, mode))));
  }
  return checks;
}

/** Checks whether a restore was interrupted in the workspace or is currently running. */
function mayBeCutOff(home: string, workspace: string): boolean {
  const { journal } = workspacePlaces(snapshotPlaces(home), workspace);
  return existsSync(workspace) && namesIn(journal).some((file) => file.endsWith(".json"));
}

function namesIn(folder: string): readonly string[] {
  return withReadError({ what: "snapshots" }, () => namesInOwn(realDisk, folder));
}

/**
 * Returns the path of the workspace, or nothing if the path cannot be read, because the restore cannot be finished
 * without it.
 */
function workspaceOf(about: string): readonly string[] {
  try {
    const { folder } = JSON.parse(readFileSync(about, "utf8")) as { folder?: unknown };
    return typeof folder === "string" ? [folder] : [];
  } catch {
    return [];
  }
}

async function restoreChecks(context: AppContext, workspace: string, mode: Mode): Promise<readonly Check[]> {
  const { home, common } = context;
  if (!mayBeCutOff(home, workspace)) return [];
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
    if (mode === "check") {
      const found = finding("restoreCutOff", workspace, unfinished.length);
      return [
        {
          about: "files",
          status: "warning",
          finding: found,
          hint: finding("restoreCutOffHint"),
          fixable: true,
        },
      ];
    }
    const deps = await openSessionDeps(context);
    const settled = await heard(context, () => settleWorkspace(deps, files));
    return settled.map((each) => ({
      about: "files",
      status: "fixed",
      finding: { code: "restore", restore: each },
    }));
  } finally {
    await files.close();
  }
}

/**
 * A fork or an import stores references to its files before its session exists. Neither a fork nor an import takes this
 * long.
 */
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1000;
const ENDING = ".jsonl";

/** Finds files that are stored for sessions that do not exist, because a fork or an import was interrupted. */
async function orphanChecks(context: AppContext, mode: Mode): Promise<readonly Check[]> {
  const store = openStore(context);
  const orphans = await orphansIn(context, store);
  if (orphans.length === 0) return [];
  if (mode === "check") {
    const found = finding("filesOfNobody", orphans.join(", "));
    return [
      { about: "files", status: "note", finding: found, hint: finding("filesOfNobodyHint"), fixable: true },
    ];
  }
  await dropFilesOf(context, store, orphans);
  const left = new Set(await orphansIn(context, store));
  const dropped = orphans.filter((session) => !left.has(session));
  if (dropped.length === 0) return [];
  return [{ about: "files", status: "fixed", finding: finding("filesOfNobodyDropped", dropped.join(", ")) }];
}

async function orphansIn({ home }: AppContext, store: LogStore): Promise<readonly SessionId[]> {
  const { refs } = snapshotPlaces(home);
  // If the folder that contains all sessions is missing, the folder itself was lost, not the individual sessions.
  const isLost = store.place.kind === "files" && !existsSync(sessionsFolder(store.place.name));
  if (!existsSync(refs) || isLost) return [];
  const oldest = systemClock.now() - MAX_COPY_AGE_MS;
  const ageOf = (session: SessionId): number =>
    statSync(join(refs, `${session}${ENDING}`), { throwIfNoEntry: false })?.mtimeMs ?? oldest;
  const kept = (await sessionsKeptFor(home, store)).filter((session) => ageOf(session) < oldest);
  // The sessions are listed last, so that a session created in the meantime does not count as missing.
  const known = new Set([
    ...(await store.list()),
    ...(await store.listTrash()).map(({ session }) => session),
  ]);
  // An empty database may have replaced the original one by mistake, so nothing is removed.
  if (known.size === 0 && store.place.kind !== "files") return [];
  return kept.filter((session) => !known.has(session));
}

/**
 * Returns only the sessions in the given store, because that store has no information about sessions in other stores.
 */
async function sessionsKeptFor(home: string, store: LogStore): Promise<readonly SessionId[]> {
  const upkeep = openSnapshotUpkeep({ home, name: NAME, waitMs: WAIT_MS });
  try {
    return await upkeep.sessionsIn(storeKey(store.place, home));
  } finally {
    upkeep.close();
  }
}
