import type { FileRewinder, HostPlace } from "../../../ports/file-rewinder.ts";
import { WorldlineError } from "../../../record/error.ts";
import { hostLineOf } from "../../../timeline/host-line.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import type { SessionView } from "../../view.ts";

/** The prompt behind a checkpoint, as the other agent knows it; refused where it never heard one there. */
export async function hostPlaceOf(
  view: SessionView,
  to: number,
  { host, name }: FileRewinder,
): Promise<HostPlace> {
  const row = requireCheckpoint(view.outline, to);
  const line = hostLineOf(view.outline, row);
  const [entry] = line === undefined ? [] : await view.entries([line.seq]);
  if (
    entry?.kind === "host" &&
    entry.host === host &&
    entry.message !== undefined &&
    entry.forgotten === undefined
  ) {
    return { hostSession: entry.hostSession, message: entry.message };
  }
  const is = row.kind === "step" ? "step" : "not-its-prompt";
  throw new WorldlineError("host-has-no-checkpoint", { host: name, checkpoint: to, is });
}
