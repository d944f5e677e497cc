import type { Frame } from "../../../command/frame.ts";
import { version } from "../../../version.ts";
import type { Check } from "./check.ts";

/** As package.json's `engines` says. */
const OLDEST_NODE = [20, 19] as const;

export function versionChecks({ strings: { doctor } }: Frame): Check[] {
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
