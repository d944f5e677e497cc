import { sdkFolder } from "../../../../app/agent/open-claude.ts";
import type { Settings } from "../../../../app/settings/table.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import { version } from "../../../../version.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, failed } from "./check.ts";

/** As package.json's `engines` says. */
const OLDEST_NODE = [20, 19] as const;

export function versionChecks({ strings: { doctor } }: Frame): readonly Check[] {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  const platform = `${process.platform} ${process.arch}`;
  return [
    { about: "versions", status: "ok", message: doctor.versions(version, node, platform) },
    ...(isOld
      ? [
          {
            about: "versions",
            status: "error",
            message: doctor.nodeTooOld(node, OLDEST_NODE.join(".")),
            hint: doctor.updateNode,
          } as const,
        ]
      : []),
  ];
}

/** Of the Claude Agent SDK, where it is wanted, or there. */
export async function claudeChecks(
  { strings }: Frame,
  values: Pick<Settings, "host" | "claude.sdk">,
): Promise<readonly Check[]> {
  const isWanted = values.host === "claude";
  const { findClaudeSdk } = await import("../../../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  const { requireClaudeSdk } = await import("../../../../hosts/claude-agent-sdk/sdk/load-sdk.ts");
  try {
    const where = { folder: sdkFolder(values) };
    if (!isWanted && findClaudeSdk(where) === undefined) return [];
    const { found, version } = requireClaudeSdk(where);
    const message =
      version === "known"
        ? strings.hosts.sdkReady(found.version, found.folder)
        : strings.hosts.sdkUnknown(found.version, found.folder);
    return [{ about: "versions", status: version === "known" ? "ok" : "note", message }];
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const check = failed("versions", error);
    return [isWanted ? check : { ...check, status: "warning" }];
  }
}
