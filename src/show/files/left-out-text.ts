import type { WhyLeftOut } from "../../strings/errors/en/files.ts";
import type { LeftOut, PathBytes } from "../../record/files.ts";
import { isLeftOutByName } from "../../snapshots/finding/coverage.ts";
import type { Strings } from "../../strings/strings.ts";

/** Why a path is not in a snapshot. Nobody should look for the rule that ignores it where its name is enough. */
export function leftOutText(path: PathBytes, why: LeftOut, files: Strings["files"]): string {
  const known = whyLeftOut(path, why);
  return known === "never-captured" ? files.neverCaptured : files.leftOut[known];
}

/** Some folders are ignored by their name alone. */
export function whyLeftOut(path: PathBytes, why: LeftOut): WhyLeftOut {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return why === "ignored" && isLeftOutByName(name) ? "never-captured" : why;
}
