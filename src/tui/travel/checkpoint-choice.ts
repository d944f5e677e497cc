import type { CheckpointRow } from "../../app/journeys/journey-types.ts";
import type { Desk } from "../commands/desk.ts";
import { checkpointList } from "../dialogs/journeys/checkpoint-list.ts";

/** Asks for a checkpoint, with the one that was chosen before chosen again. */
type ChooseCheckpoint = (before: CheckpointRow | undefined) => Promise<CheckpointRow | undefined>;

/**
 * The list of all checkpoints of the workspace, to be asked once or several times: with this session's at once, and the others when
 * they are there. Undefined where there are none at all.
 */
export async function checkpointChoice(
  desk: Desk,
  title: string,
  executions: "listed" | "left-out",
): Promise<ChooseCheckpoint | undefined> {
  const { journeys } = desk.station;
  const rowsElsewhere = async (): Promise<readonly CheckpointRow[]> =>
    (await journeys.rowsElsewhere()).filter(({ place }) => executions === "listed" || place !== "execution");
  const rows = await journeys.rowsHere();
  let others: readonly CheckpointRow[] | undefined = rows.length > 0 ? undefined : await rowsElsewhere();
  if (rows.length === 0 && others?.length === 0) return undefined;
  const look = async (): Promise<readonly CheckpointRow[]> => {
    others = await rowsElsewhere();
    return others;
  };
  return async (before) =>
    desk.ask(
      checkpointList(desk.strings, {
        rows: [...rows, ...(others ?? [])],
        ...(others === undefined ? { elsewhere: look } : {}),
        unreadable: () => journeys.unreadable(),
        changedSince: async (row) => journeys.changedSince(row),
        title,
        ...(before === undefined ? {} : { chosen: before }),
      }),
    );
}
