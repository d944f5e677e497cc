import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../disk/system-clock.ts";
import { isWorldlineError } from "../../record/error.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import type { Retention } from "../../snapshots/keeping/gc.ts";
import type { CollectedGarbage } from "../../snapshots/snapshot-upkeep.ts";
import type { AppContext } from "../context.ts";
import type { LoadedSettings } from "../settings/settings.ts";

/** What the last journeys left can be brought back. */
const KEEP_JOURNEYS = 10;
/** The person waits for the next prompt, and the next command tries again. */
const WAIT_MS = 1_000;
const PAUSE_MS = 10 * 60 * 1_000;
const FAR_OVER = 1.2;

/** There is one store for all workspaces: one of them may have more kept by its own file, but not less for the others. */
export function retentionOf({ values, explained }: LoadedSettings): Retention {
  const setting = explained.find(({ key }) => key === "checkpointKeepCount");
  const yours = setting?.overrode.find(({ source }) => !isOfWorkspace(source));
  const isTheirs = setting !== undefined && isOfWorkspace(setting.source);
  const least = isTheirs && typeof yours?.value === "number" ? yours.value : 0;
  return { keepCount: Math.max(values.checkpointKeepCount, least), keepJourneys: KEEP_JOURNEYS };
}

function isOfWorkspace({ layer }: LoadedSettings["explained"][number]["source"]): boolean {
  return layer === "workspace" || layer === "local";
}

/**
 * Brings the store back under its limit, for a command that made it larger. Says what it let go of; where that cannot be done
 * now, or is not enough, it warns. The command has done its work by then, and does not fail by it.
 */
export async function tidyStore(context: AppContext): Promise<void> {
  const settings = await context.settings();
  const limit = settings.values["snapshots.maxBytes"];
  const { root, segments } = snapshotPlaces(context.home);
  const stored = bytesIn(segments);
  const stamp = join(root, "tidied");
  if (stored <= limit || isTooSoon(stamp, { stored, limit })) return;
  try {
    const done = await collect(context, { retention: retentionOf(settings), maxBytes: limit });
    tell(context, done, { left: bytesIn(segments), limit });
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "store-not-tidied", stored, limit, problem: error });
  }
  remember(stamp, bytesIn(segments));
}

async function collect(
  context: AppContext,
  request: { readonly retention: Retention; readonly maxBytes: number },
): Promise<CollectedGarbage | undefined> {
  const { openSnapshotUpkeep } = await import("../../open-files.ts");
  const upkeep = openSnapshotUpkeep({ home: context.home, name: "worldline", waitMs: WAIT_MS });
  const { listener } = context;
  const onProgress = (done: number, of: number) => listener.progress({ doing: "collect", done, of });
  try {
    return (await upkeep.collect({ ...request, onProgress }, async () => "yes")).done;
  } finally {
    listener.progress("done");
    upkeep.close();
  }
}

function tell(
  { listener }: AppContext,
  done: CollectedGarbage | undefined,
  { left, limit }: { readonly left: number; readonly limit: number },
): void {
  const { released = [], freedBytes = 0 } = done ?? {};
  if (released.length > 0) listener.report({ code: "store-released", refs: released });
  if (freedBytes > 0) listener.report({ code: "store-tidied", freed: freedBytes, limit });
  if (left > limit) listener.report({ code: "store-still-over", stored: left, limit });
}

/** As `stat` says, without opening any of them: this is asked by every command that captures. */
function bytesIn(segments: string): number {
  let bytes = 0;
  for (const name of orNone(() => readdirSync(segments)) ?? []) {
    if (name.endsWith(".seg")) bytes += orNone(() => statSync(join(segments, name)).size) ?? 0;
  }
  return bytes;
}

/**
 * Walking all snapshots takes its time, so it is not done at every command: only every ten minutes, or when there is a
 * fifth more than there may be, or than there was left the last time, when that was more.
 */
function isTooSoon(stamp: string, { stored, limit }: { stored: number; limit: number }): boolean {
  const at = orNone(() => statSync(stamp).mtimeMs);
  if (at === undefined || Math.abs(systemClock.now() - at) >= PAUSE_MS) return false;
  const left = Number(orNone(() => readFileSync(stamp, "utf8")));
  return stored <= FAR_OVER * Math.max(limit, Number.isFinite(left) ? left : 0);
}

/** Only saves time: where it cannot be written, the next command looks again. */
function remember(stamp: string, left: number): void {
  orNone(() => writeFileSync(stamp, `${left}\n`, { mode: 0o600 }));
}

/** Undefined where the disk says no: somebody else may be removing it. */
function orNone<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
