import type { SessionView } from "../../../../machine/view.ts";
import type { Row } from "../../../../timeline/row.ts";
import { checkpointText } from "../../../show/checkpoint-text.ts";
import type { StationParts } from "../../station-parts.ts";
import { checkpointRow, KnownRows } from "./checkpoint-rows.ts";

/** `#12 find the leak`. */
export async function placeText(
  parts: Pick<StationParts, "here">,
  view: SessionView,
  row: Row,
): Promise<string> {
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
