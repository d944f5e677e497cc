import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { globby } from "globby";
import { simpleGit } from "simple-git";

// The entries of cline's long exclusion list that could apply here; our workspaces avoid every name on that list.
const excludes = [
  ".git/",
  ".git_disabled/",
  "node_modules/",
  "dist/",
  "build/",
  "*.bin",
  "*.png",
  "*.lock",
  "*.env*",
];

/**
 * cline for VS Code as it was until June 2026: a shadow repository through simple-git, and two walks of the whole
 * workspace per checkpoint to find nested repositories, which cline renames during the checkpoint.
 */
export const driver = {
  name: "cline (shadow)",
  first: "copies everything",
  keeps: "a shadow repository",
  folders: ({ store }) => [store],

  async open({ workspace, store }) {
    const git = simpleGit(store);
    const nestedRepositories = (name) =>
      globby(`**/${name}`, {
        cwd: workspace,
        onlyDirectories: true,
        ignore: [".git"],
        dot: true,
        markDirectories: false,
        suppressErrors: true,
      });

    async function initialize() {
      await git.init();
      await git.addConfig("core.worktree", workspace);
      await git.addConfig("commit.gpgSign", "false");
      await git.addConfig("user.name", "Cline Checkpoint");
      await git.addConfig("user.email", "checkpoint@example.invalid");
      mkdirSync(join(store, ".git", "info"), { recursive: true });
      writeFileSync(join(store, ".git", "info", "exclude"), excludes.join("\n"));
      await add();
      await git.commit("initial commit", { "--allow-empty": null });
    }

    async function add() {
      // Our workspaces have no nested repositories, so nothing is renamed, but the walks still happen.
      await nestedRepositories(".git");
      await git.add([".", "--ignore-errors"]);
      await nestedRepositories(".git_disabled");
    }

    let isReady = false;
    async function checkpoint() {
      if (!isReady) await initialize();
      isReady = true;
      await add();
      const { commit } = await git.commit("checkpoint", { "--allow-empty": null, "--no-verify": null });
      return commit.replace(/^HEAD\s+/, "");
    }
    return { checkpoint, restore: (target) => git.reset(["--hard", target]) };
  },
};
