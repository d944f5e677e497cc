import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../disk/system-clock.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { Ref } from "../../../snapshots/keeping/ref.ts";
import type { Retention } from "../../../snapshots/keeping/retention.ts";
import { snapshotPlaces } from "../../../snapshots/places.ts";
import type { CollectedGarbage } from "../../../snapshots/snapshot-upkeep.ts";
import type { Frame } from "../../command/frame.ts";
import { openProgress } from "../../output/progress.ts";
import type { LoadedSettings } from "../../settings/settings.ts";
import { MOST_SHOWN } from "../../show/files/change-text.ts";

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
export async function tidyStore(frame: Frame): Promise<void> {
  const settings = await frame.settings();
  const limit = settings.values["snapshots.maxBytes"];
  const { root, segments } = snapshotPlaces(frame.home);
  const stored = bytesIn(segments);
  const stamp = join(root, "tidied");
  if (stored <= limit || isTooSoon(stamp, { stored, limit })) return;
  try {
    const done = await collect(frame, { retention: retentionOf(settings), maxBytes: limit });
    tell(frame, done, { left: bytesIn(segments), limit });
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    frame.output.warn(frame.strings.store.notTidied(stored, limit, error.message));
  }
  remember(stamp, bytesIn(segments));
}

async function collect(
  frame: Frame,
  request: { readonly retention: Retention; readonly maxBytes: number },
): Promise<CollectedGarbage | undefined> {
  const { openSnapshotUpkeep } = await import("../../../open-files.ts");
  const upkeep = openSnapshotUpkeep({ home: frame.home, name: "worldline", waitMs: WAIT_MS });
  const progress = openProgress(frame);
  const onProgress = (done: number, of: number) => progress.show(frame.strings.store.walking(done, of));
  try {
    return (await upkeep.collect({ ...request, onProgress }, async () => "yes")).done;
  } finally {
    progress.clear();
    upkeep.close();
  }
}

function tell(
  { output, strings: { store } }: Frame,
  done: CollectedGarbage | undefined,
  { left, limit }: { readonly left: number; readonly limit: number },
): void {
  const lines = [...new Set((done?.released ?? []).map((ref) => releasedText(ref, store)))];
  for (const line of lines.slice(0, MOST_SHOWN)) output.warn(line);
  if (lines.length > MOST_SHOWN) output.warn(store.moreReleased(lines.length - MOST_SHOWN));
  if (done !== undefined && done.freedBytes > 0) output.notice(store.tidied(done.freedBytes, limit));
  if (left > limit) output.warn(store.stillOver(left, limit));
}

function releasedText({ keptFor, at }: Ref, store: Frame["strings"]["store"]): string {
  return "checkpoint" in keptFor
    ? store.releasedCheckpoint(keptFor.checkpoint, keptFor.session)
    : store.releasedJourney(at, keptFor.session);
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
