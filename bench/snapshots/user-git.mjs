import { git } from "./git.mjs";
import { isolated } from "./isolation.mjs";

/** The git of the person whose workspace it is: what no contender does, and nobody is timed for. */
export function userGit(workspace) {
  return (args) => git(args, { cwd: workspace, env: isolated(`${workspace}.home`) });
}

/**
 * The person commits all there is. Contenders that compare with HEAD would otherwise hash every edit of the run
 * again and again, which no fresh session does.
 */
export async function commitAll(workspace) {
  const run = userGit(workspace);
  await run(["add", "-A"]);
  await run(["commit", "-q", "--allow-empty", "-m", "work"]);
}
