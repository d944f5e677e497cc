import { keptUntil } from "../../../app/sessions/trash.ts";
import type { Trashed } from "../../../ports/log-store.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { dateOf } from "../../../strings/clock.ts";
import type { Strings } from "../../../strings/strings.ts";

export interface TrashListing {
  readonly days: number;
  readonly now: number;
  readonly strings: Strings;
}

/** A line for each, last deleted first. */
export function trashLines(trashed: readonly Trashed[], { days, now, strings }: TrashListing): string[] {
  const { trashRow } = strings.sessions;
  return table(
    [...trashed]
      .sort((a, b) => b.at - a.at)
      .map(({ session, at }) => {
        const until = keptUntil(at, days);
        return [
          session,
          trashRow.deleted(relativeTime(at, now, strings.time)),
          until < now ? trashRow.due : trashRow.until(dateOf(until)),
        ];
      }),
  );
}
