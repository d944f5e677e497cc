import type { SessionView } from "../../machine/view.ts";
import type { Row } from "../../timeline/row.ts";
import { stepAt } from "../executions/program-step.ts";
import type { NamedPlace } from "../words.ts";
import { checkpointRow, KnownRows } from "./checkpoint-rows.ts";

/** What users know a place by: its checkpoint, or the step of a program. */
export async function namedPlace(view: SessionView, row: Row): Promise<NamedPlace> {
  const step = await stepAt(view, row);
  if (step !== undefined) return { execution: step.execution, step: step.name };
  const source = { view, place: "elsewhere", files: undefined } as const;
  const { number, label, text, at, on } = await checkpointRow(source, row, new KnownRows());
  return { number, at, label, text, on: on === "after" ? on : undefined };
}
