import { git } from "./git.mjs";
import { isolated } from "./isolation.mjs";

/** Git as the workspace's user calls it; untimed, and not used by any contender. */
export function userGit(workspace) {
  return (args) => git(args, { cwd: workspace, env: isolated(`${workspace}.home`) });
}

/**
 * Commits everything as the user. Contenders that compare with HEAD would otherwise hash every edit of the run again
 * and again, which does not happen in a fresh session.
 */
export async function commitAll(workspace) {
  const run = userGit(workspace);
  await run(["add", "-A"]);
  await run(["commit", "-q", "--allow-empty", "-m", "work"]);
}
