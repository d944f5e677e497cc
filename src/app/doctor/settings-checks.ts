import { join } from "node:path";
import { isWorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { sdkFolder } from "../places/home.ts";
import { readSettingsFile, readValues, type SettingsFile, settingsFiles } from "../settings/files.ts";
import { fromEnvironment, fromOptions } from "../settings/layers.ts";
import { loadSettings } from "../settings/settings.ts";
import type { Settings } from "../settings/table.ts";
import { type Check, failed, finding, orError } from "./check.ts";

interface SettingsVerdict {
  readonly checks: readonly Check[];
  /** The settings in effect; undefined if they cannot be read. */
  readonly values?: Settings;
}

/** Checks each file separately. Other commands stop at the first invalid file, but `doctor` reports all of them. */
export async function settingsChecks(context: AppContext): Promise<SettingsVerdict> {
  const { environment } = context.surroundings;
  const { files, faults } = await filesOf(context);
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
  faults.push(...(await orError("settings", async () => none(fromOptions(context.common.settings)))));
  return faults.length > 0 ? { checks: faults } : settled(context, read);
}

async function settled(context: AppContext, read: number): Promise<SettingsVerdict> {
  const { values, warnings } = await loadSettings(await context.settingsRequest());
  const checks = warnings.map(
    (warning): Check => ({ about: "settings", status: "warning", finding: { code: "setting", warning } }),
  );
  const fine: Check = { about: "settings", status: "ok", finding: finding("settingsValid", read) };
  return { checks: checks.length === 0 ? [fine] : checks, values };
}

/** Returns the settings files to check. Without a workspace, the user's own settings can still be checked. */
async function filesOf(context: AppContext): Promise<{ files: readonly SettingsFile[]; faults: Check[] }> {
  try {
    return { files: await settingsFiles(context.home, await context.workspace()), faults: [] };
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const files = [{ layer: "user", path: join(context.home, "settings.json") }] as const;
    return { files, faults: [failed("settings", error)] };
  }
}

/** Discards the result, because the check only tests whether reading succeeds. */
function none(_read: unknown): readonly Check[] {
  return [];
}

/** Oldest supported version of Node, as in `engines` of package.json. */
const OLDEST_NODE = [20, 19] as const;

/** `version`: Worldline's version. `node`: the version of Node. */
export function versionChecks(version: string, node = process.versions.node): readonly Check[] {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  const platform = `${process.platform} ${process.arch}`;
  return [
    { about: "versions", status: "ok", finding: finding("versions", version, node, platform) },
    ...(isOld
      ? [
          {
            about: "versions",
            status: "error",
            finding: finding("nodeTooOld", node, OLDEST_NODE.join(".")),
            hint: finding("updateNode"),
          } as const,
        ]
      : []),
  ];
}

/** Checks the Claude Agent SDK if it is configured or installed. */
export async function claudeChecks(values: Pick<Settings, "host" | "claude.sdk">): Promise<readonly Check[]> {
  const isWanted = values.host === "claude";
  const { findClaudeSdk, requireClaudeSdk } = await import("../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  try {
    const where = { folder: sdkFolder(values["claude.sdk"]) };
    if (!isWanted && findClaudeSdk(where) === undefined) return [];
    const { found, version } = requireClaudeSdk(where);
    const isKnown = version === "known";
    const given = [found.version, found.folder] as const;
    const code = isKnown ? "sdkReady" : "sdkUnknown";
    return [{ about: "versions", status: isKnown ? "ok" : "note", finding: { code, given } }];
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const check = failed("versions", error);
    return [isWanted ? check : { ...check, status: "warning" }];
  }
}
