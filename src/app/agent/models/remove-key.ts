import { dropKey } from "../../../agent/models/access.ts";
import { realDisk } from "../../../disk/disk.ts";
import { systemClock } from "../../../disk/system-clock.ts";

/** Takes a key out of the file; the others in it stay. */
export function removeKey(home: string, variable: string): "removed" | "not-kept" {
  const dropped = dropKey({ disk: realDisk, clock: systemClock }, { home, variable });
  return dropped === "dropped" ? "removed" : "not-kept";
}
