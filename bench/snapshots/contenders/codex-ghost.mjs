import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, listed } from "../git.mjs";
import { ownObjects } from "../own-objects.mjs";

const BATCH = 64;
/** How many fields come before the path in a line of `status --porcelain=2`. */
const fieldsBefore = { 1: 8, 2: 9, u: 10 };

/** codex's ghost commits as they were until April 2026: commits in the user's own repository without a ref. */
export const driver = {
  name: "codex (ghost commit)",
  first: "borrows the person's git objects",
  keeps: "the person's repository",
  folders: ({ store }) => [store],

  async open({ workspace, store }) {
    const env = ownObjects(workspace, store);
    const run = (args, extra = {}) => git(args, { cwd: workspace, env: { ...env, ...extra } });

    async function status() {
      const lines = listed(await run(["status", "--porcelain=2", "-z", "--untracked-files=all"]));
      const untracked = lines.filter((line) => line.startsWith("? ")).map((line) => line.slice(2));
      const tracked = lines
        .filter((line) => fieldsBefore[line[0]] !== undefined)
        .map((line) => line.split(" ").slice(fieldsBefore[line[0]]).join(" "));
      return { tracked, untracked };
    }

    async function inRepository() {
      await run(["rev-parse", "--is-inside-work-tree"]);
      await run(["rev-parse", "--show-toplevel"]);
    }

    async function checkpoint() {
      await inRepository();
      const head = await run(["rev-parse", "HEAD"]);
      const { tracked, untracked } = await status();
      const scratch = mkdtempSync(join(tmpdir(), "ghost-"));
      const index = { GIT_INDEX_FILE: join(scratch, "index") };
      await run(["read-tree", head], index);
      const paths = [...tracked, ...untracked];
      for (let from = 0; from < paths.length; from += BATCH) {
        await run(["add", "--all", "--", ...paths.slice(from, from + BATCH)], index);
      }
      const tree = await run(["write-tree"], index);
      const commit = await run(["commit-tree", tree, "-p", head, "-m", "snapshot"], index);
      rmSync(scratch, { recursive: true });
      return { commit, untracked };
    }

    async function restore({ commit, untracked }) {
      await inRepository();
      const now = (await status()).untracked;
      await run(["restore", "--source", commit, "--worktree", "--", "."]);
      const kept = new Set(untracked);
      for (const path of now) if (!kept.has(path)) rmSync(join(workspace, path), { force: true });
    }
    return { checkpoint, restore };
  },
};
