import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, listed, runGit } from "../git.mjs";
import { ownObjects } from "../own-objects.mjs";

/** cline's SDK (21cb8d2525): stashes in the user's own repository, each under a private ref. */
export const driver = {
  name: "cline SDK",
  first: "borrows the person's git objects",
  keeps: "the person's repository",
  folders: ({ workspace, store }) => [store, join(workspace, ".git", "refs", "cline")],

  async open({ workspace, store }) {
    const env = ownObjects(workspace, store);
    const run = (args, extra = {}) =>
      git(["-C", workspace, ...args], { cwd: workspace, env: { ...env, ...extra } });
    let runs = 0;

    /** Commits only the untracked files, as `stash --include-untracked` does. */
    async function untrackedCommit() {
      const paths = listed(await run(["ls-files", "--others", "--exclude-standard", "-z"]));
      if (paths.length === 0) return undefined;
      const scratch = mkdtempSync(join(tmpdir(), "untracked-"));
      const index = { GIT_INDEX_FILE: join(scratch, "index") };
      const list = join(scratch, "paths");
      writeFileSync(list, paths.map((path) => `${path}\0`).join(""));
      await run(["add", "--force", "--pathspec-from-file", list, "--pathspec-file-nul"], index);
      const tree = await run(["write-tree"], index);
      const commit = await run(["commit-tree", tree, "-m", "untracked files"], index);
      rmSync(scratch, { recursive: true });
      return commit;
    }

    async function stash(message) {
      const tracked = await run(["stash", "create", message]);
      const untracked = await untrackedCommit();
      if (untracked === undefined) return tracked;
      const of = (what) => run(["rev-parse", what]);
      const base = await of(tracked === "" ? "HEAD" : `${tracked}^1`);
      const tree = await of(tracked === "" ? "HEAD^{tree}" : `${tracked}^{tree}`);
      const index =
        tracked === ""
          ? await run(["commit-tree", tree, "-p", base, "-m", "index"])
          : await of(`${tracked}^2`);
      return run(["commit-tree", tree, "-p", base, "-p", index, "-p", untracked, "-m", message]);
    }

    async function checkpoint() {
      runs += 1;
      if (runs === 1) await run(["rev-parse", "--is-inside-work-tree"]);
      const ref = await stash(`checkpoint run=${runs}`);
      // The checkpoint of a clean workspace is HEAD itself.
      if (ref === "") return { ref: await run(["rev-parse", "HEAD"]), kind: "commit" };
      await run(["update-ref", `refs/cline/checkpoints/bench/${runs}`, ref]);
      return { ref, kind: "stash" };
    }

    async function restore({ ref, kind }) {
      await run(["rev-parse", "--is-inside-work-tree"]);
      await run(["cat-file", "-e", `${ref}^{commit}`]);
      const base = kind === "commit" ? ref : `${ref}^1`;
      await run(["cat-file", "-e", `${base}^{commit}`]);
      if (kind === "stash") await run(["cat-file", "-e", `${ref}^2^{commit}`]);
      const third = await runGit(["-C", workspace, "cat-file", "-e", `${ref}^3^{commit}`], {
        cwd: workspace,
        env,
      });
      await run(["reset", "--hard", base]);
      if (third.code === 0) await run(["clean", "-fd"]);
      if (kind === "stash") await run(["stash", "apply", ref]);
    }
    return { checkpoint, restore };
  },
};
