import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { newestCheckpoints, publishCheckpoints } from "../../machine/checkpoint-list.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/system-error.ts";

/** Whether `checkpoints/metadata.json` lists what the log has; undefined where it does. Only for sessions in files. */
export async function publishedFault(
  home: string,
  view: SessionView,
): Promise<"missing" | "unreadable" | "stale" | undefined> {
  if (view.outline.linesOf("checkpoint").length === 0) return undefined;
  const path = join(home, "sessions", view.id, "checkpoints", "metadata.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => systemCode(error) ?? "EIO");
  // A copy or an import gets its list when it is opened for the first time.
  const { forkedFrom, imported } = view.header;
  if (text === "ENOENT") return forkedFrom === undefined && imported === undefined ? "missing" : undefined;
  const listed = parsePublished(text);
  if (listed === undefined) return "unreadable";
  const inLog = (await newestCheckpoints(view, Math.max(1, listed.length))).reverse();
  return JSON.stringify(inLog.map(comparable)) === JSON.stringify(listed.map(comparable))
    ? undefined
    : "stale";
}

/**
 * Brings the lists of sessions up to date that no living program holds, as after a kill. It is a copy of the log: one that
 * cannot be written costs the caller nothing, and `doctor` reports it.
 */
export async function refreshPublished(
  context: AppContext,
  store: LogStore,
  views: readonly SessionView[],
): Promise<void> {
  if (store.place.kind !== "files") return;
  for (const view of views) {
    if ((await publishedFault(context.home, view)) === undefined) continue;
    const holder = await store.holder(view.id);
    if (holder !== undefined && holder.life !== "dead") continue;
    const { values } = await context.settings();
    await publishCheckpoints(view, store, values.checkpointKeepCount);
  }
}

interface Listed {
  readonly id: string;
  readonly description: string;
}

/** A time in place of a description depends on the time zone of the program that wrote it. */
function comparable({ id, description }: Listed): Listed {
  return { id, description: /^Checkpoint at \d\d:\d\d:\d\d$/u.test(description) ? "" : description };
}

function parsePublished(text: string): readonly Listed[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const checkpoints = isJsonObject(document) ? document["checkpoints"] : undefined;
    if (!Array.isArray(checkpoints)) return undefined;
    return checkpoints.map((each: unknown) => {
      const { id, description } = isJsonObject(each) ? each : {};
      return { id: String(id), description: String(description) };
    });
  } catch {
    return undefined;
  }
}
