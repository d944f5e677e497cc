import { ripgrep, WALKING } from "../../agent/tools/ripgrep.ts";
import type { Environment } from "../places/home.ts";

const MOST = 50_000;
/** Somebody is typing, and a home folder may hold millions: what was found by then has to do. */
const PATIENCE_MS = 3_000;

/** Files that may be mentioned: all of the workspace that no ignore rule leaves out, and whose names can be typed. */
export async function mentionableFiles(
  workspace: string,
  environment: Environment,
): Promise<readonly string[]> {
  let count = 0;
  const { records } = await ripgrep({
    args: ["--files", "-0", ...WALKING],
    cwd: workspace,
    environment,
    signal: AbortSignal.timeout(PATIENCE_MS),
    separator: "\0",
    onRecord: () => {
      count += 1;
      return count > MOST ? "enough" : "more";
    },
  });
  return records.filter((path) => !/\p{Cc}/u.test(path)).toSorted();
}
