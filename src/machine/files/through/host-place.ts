import type { FileRewinder, HostPlace } from "../../../ports/file-rewinder.ts";
import { WorldlineError } from "../../../record/error.ts";
import { promptOf } from "../../../timeline/checkpoints.ts";
import type { Outline } from "../../../timeline/outline.ts";
import type { Row } from "../../../timeline/row.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import type { SessionView } from "../../view.ts";

/** The prompt behind a checkpoint, as the other agent knows it; refused where it never heard one there. */
export async function hostPlaceOf(
  view: SessionView,
  to: number,
  { host, name }: FileRewinder,
): Promise<HostPlace> {
  const row = requireCheckpoint(view.outline, to);
  const line = row.kind === "checkpoint" ? hostLineOf(view.outline, row) : undefined;
  const [entry] = line === undefined ? [] : await view.entries([line.seq]);
  if (
    entry?.kind === "host" &&
    entry.host === host &&
    entry.message !== undefined &&
    entry.forgotten === undefined
  ) {
    return { hostSession: entry.hostSession, message: entry.message };
  }
  const what = row.kind === "step" ? "a step" : "no prompt that it was given";
  throw new WorldlineError(
    "REWIND_REFUSED",
    `Checkpoint ${to} is ${what}, and the ${name} has none of those.`,
    {
      hint: "Nothing was changed. Choose a checkpoint that stands before a prompt: worldline checkpoints.",
    },
  );
}

/** Written with the prompt; only a line that begins a file may have come in between. */
function hostLineOf(outline: Outline, checkpoint: Row): Row | undefined {
  const prompt = promptOf(outline, checkpoint);
  if (prompt === undefined) return undefined;
  return [prompt.seq + 1, prompt.seq + 2]
    .map((seq) => outline.at(seq))
    .find((row) => row?.kind === "host" && isBehind(outline, row, prompt));
}

function isBehind(outline: Outline, row: Row, prompt: Row): boolean {
  const above = outline.at(row.parent);
  return above?.seq === prompt.seq || (above?.kind === "rotated" && above.parent === prompt.seq);
}
