import type { Entry } from "../../../record/entry.ts";
import type { Happening } from "../block.ts";

/** What a line says of an entry; undefined for those that are not shown. */
export function happeningOf(entry: Entry): Happening | undefined {
  switch (entry.kind) {
    case "rewind":
      return { what: "rewind", to: entry.to, scope: entry.scope };
    case "redo":
      return { what: "redo", scope: entry.scope };
    case "compaction":
      return {
        what: "compaction",
        reason: entry.reason,
        before: entry.tokensBefore,
        after: undefined,
        summary: entry.summary,
      };
    case "interrupt":
      return { what: "interrupt", by: entry.by };
    case "title":
      return { what: "title", title: entry.title };
    default:
      return undefined;
  }
}
