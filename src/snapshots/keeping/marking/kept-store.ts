import type { SegmentStore } from "../../segments/segment-store.ts";
import { ObjectTable } from "./object-table.ts";

/** What keeping needs of the segments. */
export type KeptStore = Pick<SegmentStore, "get" | "refresh" | "segments" | "each" | "rewrite">;

/** Everything that is there now, whoever wrote it. */
export function tableOf(store: KeptStore): ObjectTable {
  const table = new ObjectTable();
  store.refresh();
  for (const { id } of store.segments()) {
    store.each(id, ({ hash, storedBytes }) => table.add(hash, storedBytes));
  }
  return table;
}
