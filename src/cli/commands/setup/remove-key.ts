import { readFileSync } from "node:fs";
import { keysPath } from "../../../agent/models/keys.ts";
import { isMissing } from "../../../disk/disk.ts";
import { realDisk } from "../../../disk/real-disk.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { WorldlineError } from "../../../record/error.ts";
import { isJsonObject } from "../../../record/json.ts";

/** Takes a key out of the file; the others in it stay. */
export function removeKey(home: string, variable: string): "removed" | "not-kept" {
  const path = keysPath(home);
  const keys = readKeys(path);
  if (!Object.hasOwn(keys, variable)) return "not-kept";
  const { [variable]: _removed, ...others } = keys;
  const bytes = Buffer.from(`${JSON.stringify(others, null, 2)}\n`);
  replaceFile({ disk: realDisk, clock: systemClock }, { path, bytes, content: "synced" });
  realDisk.syncFolder(home);
  return "removed";
}

function readKeys(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (isMissing(error)) return {};
  }
  // What is in it is not quoted, and the error that may quote it is left out: it holds keys.
  throw new WorldlineError("MODEL_KEY", `The keys in ${path} cannot be read.`, {
    hint: "Mend the file, or remove it.",
  });
}
