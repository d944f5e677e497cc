import type { Patience } from "../../machine/files/requests.ts";
import type { OnProgress } from "./journey-types.ts";

/** What the machine tells of its progress, in the screen's words. */
export function patienceOf(progress: OnProgress | undefined): Pick<Patience, "onProgress"> {
  if (progress === undefined) return {};
  return {
    onProgress: (each) =>
      each.doing === "restore"
        ? progress(each)
        : progress({ doing: "capture", done: each.files, of: each.ofFiles }),
  };
}
