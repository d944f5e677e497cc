import { isAbsolute } from "node:path";
import { WorldlineError } from "../../../record/error.ts";
import { withHome } from "../../places/named-folder.ts";
import type { Settings } from "../../settings/table.ts";

/** The folder that the settings name for it; undefined where it is to be found beside Worldline. */
export function sdkFolder(values: Pick<Settings, "claude.sdk">): string | undefined {
  const named = values["claude.sdk"];
  if (named === "") return undefined;
  const folder = withHome(named);
  if (isAbsolute(folder)) return folder;
  // From which folder would depend on where one stands, and what is there could be anybody's.
  throw new WorldlineError("sdk-folder-relative", { folder: named });
}
