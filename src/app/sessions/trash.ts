import type { LogStore, Trashed } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Until when something that was deleted at `at` can be brought back. */
export function keptUntil(at: number, days: number): number {
  return at + days * DAY_MS;
}

/** What has been in the trash for more than `days`, and is let go by whoever tidies up next. */
export async function expiredTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly Trashed[]> {
  return (await store.listTrash()).filter(({ at }) => keptUntil(at, days) < now);
}

/** Lets exactly these go, for good: what was deleted after they were looked up stays. */
export async function removeForGood(
  store: LogStore,
  trashed: readonly Trashed[],
): Promise<readonly SessionId[]> {
  if (trashed.length === 0) return [];
  return store.emptyTrash(Math.max(...trashed.map(({ at }) => at)) + 1);
}

/** Lets go, for good, what has been there for more than `days`, and what killed programs left of others. */
export async function tidyTrash(
  store: LogStore,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly SessionId[]> {
  return store.emptyTrash(now - days * DAY_MS);
}
