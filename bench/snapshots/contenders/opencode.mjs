import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { git, listed, runGit } from "../git.mjs";

const plain = ["-c", "core.longpaths=true", "-c", "core.symlinks=true"];
const exact = ["-c", "core.autocrlf=false", ...plain];
const unquoted = [...exact, "-c", "core.quotepath=false"];
const LARGE = 2 * 1024 * 1024;
const BATCH = 100;
const settings = {
  "core.autocrlf": "false",
  "core.longpaths": "true",
  "core.symlinks": "true",
  "core.fsmonitor": "false",
  "feature.manyFiles": "true",
  "index.version": "4",
  "index.threads": "true",
  "core.untrackedCache": "true",
};
const endedByZero = (paths) => paths.map((path) => `${path}\0`).join("");

/** The user's repository, the shadow repository, and a function that calls git on the shadow repository. */
function shadowOf({ workspace, store }) {
  const own = join(store, "snapshot");
  return {
    workspace,
    own,
    here: { cwd: workspace },
    at: (args, before = []) => [...before, "--git-dir", own, "--work-tree", workspace, ...args],
  };
}

/** Creates the shadow repository from the user's index and objects, so that nothing has to be hashed or copied. */
async function initialize({ workspace, own, here }) {
  mkdirSync(own, { recursive: true });
  await git(["init", "-q"], { ...here, env: { ...process.env, GIT_DIR: own, GIT_WORK_TREE: workspace } });
  for (const [key, value] of Object.entries(settings))
    await git(["--git-dir", own, "config", key, value], here);
  const source = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"], here);
  mkdirSync(join(own, "objects", "info"), { recursive: true });
  writeFileSync(join(own, "objects", "info", "alternates"), `${join(source, "objects")}\n`);
  copyFileSync(join(source, "index"), join(own, "index"));
}

/** Copies the user's ignore rules. Called before and after searching for changes. */
async function syncExcludes({ own, here }, large) {
  const file = await git(["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"], here);
  const lines = existsSync(file) ? [readFileSync(file, "utf8").trimEnd()] : [];
  const text = [...lines, ...large.map((path) => `/${path}`)].filter((line) => line !== "").join("\n");
  mkdirSync(join(own, "info"), { recursive: true });
  writeFileSync(join(own, "info", "exclude"), text === "" ? "" : `${text}\n`);
}

async function ignoredOf({ workspace, here }, paths) {
  const repository = ["--git-dir", join(workspace, ".git"), "--work-tree", workspace];
  const args = [...unquoted, ...repository, "check-ignore", "--no-index", "--stdin", "-z"];
  return new Set(listed((await runGit(args, { ...here, stdin: endedByZero(paths) })).text));
}

/** Finds changes, leaves out ignored files and large new files, and stages all other changes. */
async function add(shadow) {
  const { workspace, here, at } = shadow;
  await syncExcludes(shadow, []);
  const [changed, others] = await Promise.all([
    git(at(["diff-files", "--name-only", "-z", "--", "."], unquoted), here),
    git(at(["ls-files", "--full-name", "--others", "--exclude-standard", "-z", "--", "."], unquoted), here),
  ]);
  const untracked = new Set(listed(others));
  const all = [...new Set([...listed(changed), ...untracked])];
  if (all.length === 0) return;
  const ignored = await ignoredOf(shadow, all);
  const allowed = all.filter((path) => !ignored.has(path));
  const sizes = await Promise.all(
    allowed.map((path) => lstat(join(workspace, path)).catch(() => ({ size: 0 }))),
  );
  const large = new Set(allowed.filter((path, index) => untracked.has(path) && sizes[index].size > LARGE));
  await syncExcludes(shadow, [...large]);
  const staged = allowed.filter((path) => !large.has(path)).map((path) => `:(top,literal)${path}`);
  const addThem = ["add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
  await git(at(addThem, exact), { ...here, stdin: endedByZero(staged) });
}

async function putBack({ workspace, here, at }, target, paths) {
  const listing = await git(at(["ls-tree", "--name-only", target, "--", ...paths], plain), here);
  const there = new Set(listing.split("\n"));
  const restored = paths.filter((path) => there.has(path)).map((path) => join(workspace, path));
  if (restored.length > 0) await git(at(["checkout", target, "--", ...restored], plain), here);
  for (const path of paths) if (!there.has(path)) rmSync(join(workspace, path), { force: true });
}

/** opencode (d545d8fba5): its git commands, in order. It works only if the user has a git repository. */
export const driver = {
  name: "opencode",
  first: "borrows the person's git objects",
  keeps: "a shadow repository",
  folders: ({ store }) => [store],

  async open(places) {
    const shadow = shadowOf(places);
    const { own, here, at } = shadow;
    let patch = [];

    async function checkpoint() {
      if (!existsSync(own)) await initialize(shadow);
      await add(shadow);
      return git(at(["write-tree"]), here);
    }

    return {
      checkpoint,
      /** opencode lists the changed files when a step ends, so that time does not count toward a restore. */
      async beforeRestore(target) {
        await add(shadow);
        const diff = ["diff", "--cached", "--no-ext-diff", "--name-only", target, "--", "."];
        patch = (await git(at(diff, unquoted), here)).split("\n").filter((path) => path !== "");
      },
      async restore(target) {
        const left = await checkpoint();
        for (let from = 0; from < patch.length; from += BATCH) {
          await putBack(shadow, target, patch.slice(from, from + BATCH));
        }
        await add(shadow);
        await git(at(["diff", "--cached", "--no-ext-diff", left, "--", "."], unquoted), here);
      },
    };
  },
};
