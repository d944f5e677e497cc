import type { SessionView } from "../../../../machine/view.ts";
import type { Row } from "../../../../timeline/row.ts";
import { stepAt } from "../../../commands/executions/program-step.ts";
import { checkpointText } from "../../../show/checkpoint-text.ts";
import type { StationParts } from "../../station-parts.ts";
import { checkpointRow, KnownRows } from "./checkpoint-rows.ts";

/** `#12 find the leak`, or `exec-123, step data_processing`. */
export async function placeText(
  parts: Pick<StationParts, "here">,
  view: SessionView,
  row: Row,
): Promise<string> {
  const step = await stepAt(view, row);
  if (step !== undefined) return parts.here().frame.strings.executions.stepOf(step.execution, step.name);
  const source = { view, place: "elsewhere", files: undefined } as const;
  const { strings } = parts.here().frame;
  const { number, label, text, at, on } = await checkpointRow(source, row, new KnownRows());
  const { after } = strings.terminal.dialogs.checkpoints;
  const known = {
    at,
    ...(label === undefined ? {} : { label }),
    ...(text === undefined ? {} : { prompt: on === "after" ? after(text) : text }),
  };
  return `#${number} ${checkpointText(known, strings)}`;
}
