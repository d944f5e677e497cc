import type { SessionView } from "../machine/view.ts";
import { type EntryOf, isKind } from "../record/entry.ts";
import { checkpointId } from "./checkpoint-id.ts";
import type { StepCheckpoint } from "./execution.ts";
import { type StepRecord, StepRecords } from "./step-records.ts";
import { giveBack } from "./values/values.ts";

/** Reads the values of an attempt. What its last line does not say, an earlier one does. */
export async function readStep(
  view: SessionView,
  records: StepRecords,
  record: StepRecord,
): Promise<StepCheckpoint> {
  const { index, attempt, name, status } = record;
  const lines = (await view.entries(record.lines)).filter((entry) => isKind(entry, "saved"));
  const saved: Partial<EntryOf<"saved">> = Object.assign({}, ...lines);
  const execution = executionIdOf(view);
  return {
    id: checkpointId(execution, index, attempt),
    execution,
    name,
    index,
    attempt,
    status,
    ...(saved.decided === undefined ? {} : { decided: saved.decided }),
    error: giveBack(saved.error),
    state: giveBack(saved.state),
    context: giveBack(saved.context),
    variables: giveBack(saved.variables),
    metadata: giveBack(saved.metadata),
    output: giveBack(saved.output),
    ...(saved.unstored === undefined || saved.decided !== undefined ? {} : { unstored: saved.unstored }),
    time: new Date(saved.at ?? view.header.at),
    checkpoint: records.checkpointOf(record),
    branch: records.isHere(record) ? "here" : "left",
  };
}

/** All steps of a session, as whoever only looks at it sees them: by index, then attempt. */
export async function stepsOf(view: SessionView): Promise<readonly StepCheckpoint[]> {
  const records = await StepRecords.read(view);
  const steps: StepCheckpoint[] = [];
  for (const record of records.all()) steps.push(await readStep(view, records, record));
  return steps;
}

/** A fork of an execution is none that a program could open: it is known by its session. */
export function executionIdOf({ header }: SessionView): string {
  return header.execution?.id ?? header.session;
}
