import { visibleId } from "../app/executions/find-execution.ts";
import { shortened } from "./text-width.ts";

/** The widest id that fits into a row of a list. */
const MAX_COLUMNS = 60;

/** The id of an execution for a list or a sentence. */
export function listedId(id: string, ellipsis = "…"): string {
  return shortened(visibleId(id), MAX_COLUMNS, ellipsis);
}
