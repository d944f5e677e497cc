import type { SessionView } from "../../machine/view.ts";
import { newestRestorable } from "../executions/program-step.ts";
import type { CheckpointRow } from "../journeys/journey-types.ts";
import { checkpointRow, KnownRows, type RowSource } from "./checkpoint-rows.ts";

/** A program's execution as one row: its newest step that succeeded. Nothing where it has none. */
export async function executionRows(
  view: SessionView,
  files: RowSource["files"],
): Promise<readonly CheckpointRow[]> {
  const newest = await newestRestorable(view);
  if (newest === undefined) return [];
  const row = await checkpointRow({ view, place: "execution", files }, newest.row, new KnownRows());
  const { execution: id, name } = newest.step;
  return [{ ...row, execution: { id, step: name } }];
}
