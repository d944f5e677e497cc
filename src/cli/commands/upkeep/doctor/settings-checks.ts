import { join } from "node:path";
import {
  readSettingsFile,
  readValues,
  type SettingsFile,
  settingsFiles,
} from "../../../../app/settings/files.ts";
import { fromEnvironment, fromFlags } from "../../../../app/settings/layers.ts";
import { loadSettings } from "../../../../app/settings/settings.ts";
import type { Settings } from "../../../../app/settings/table.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import { settingsText } from "../../../../show/notice-text.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, failed, orError } from "./check.ts";

export interface SettingsVerdict {
  readonly checks: readonly Check[];
  /** Those that count; undefined when they cannot be read. */
  readonly values?: Settings;
}

/** Looks at each file by itself: other commands stop at the first that is wrong, this one names them all. */
export async function settingsChecks(frame: Frame): Promise<SettingsVerdict> {
  const { environment } = frame.surroundings;
  const { files, faults } = await filesOf(frame);
  let read = 0;
  for (const file of files) {
    faults.push(
      ...(await orError("settings", async () => {
        const content = await readSettingsFile(file);
        if (content === undefined) return [];
        readValues(content, file.layer);
        read += 1;
        return [];
      })),
    );
  }
  faults.push(...(await orError("settings", async () => none(fromEnvironment(environment)))));
  faults.push(...(await orError("settings", async () => none(fromFlags(frame.common.setting)))));
  return faults.length > 0 ? { checks: faults } : settled(frame, read);
}

async function settled(frame: Frame, read: number): Promise<SettingsVerdict> {
  const { strings } = frame;
  const { values, warnings } = await loadSettings(await frame.settingsRequest());
  const checks = warnings.map(
    (warning): Check => ({ about: "settings", status: "warning", message: settingsText(warning, strings) }),
  );
  const fine: Check = { about: "settings", status: "ok", message: strings.doctor.settingsValid(read) };
  return { checks: checks.length === 0 ? [fine] : checks, values };
}

/** Without a workspace the person's own settings can still be looked at. */
async function filesOf(frame: Frame): Promise<{ files: readonly SettingsFile[]; faults: Check[] }> {
  try {
    return { files: await settingsFiles(frame.home, await frame.workspace()), faults: [] };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const files = [{ layer: "user", path: join(frame.home, "settings.json") }] as const;
    return { files, faults: [failed("settings", error)] };
  }
}

/** It was read to see whether it can be. */
function none(_read: unknown): readonly Check[] {
  return [];
}
