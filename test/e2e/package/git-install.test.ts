import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromCache } from "../../../scripts/needs/registry.mjs";
import { removeTree } from "../../../src/testing/temp-folder.ts";
import { project } from "../../support/packed.ts";
import { describeWithRegistry } from "./describe-with-registry.ts";

const run = promisify(execFile);

const NOT_IN_A_CLONE = new Set([".git", ".build", "dist", "node_modules"]);

describeWithRegistry("a fresh clone", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "worldline-clone-")));
  const clone = join(top, "clone");
  const consumer = join(top, "consumer");
  const cache = join(top, "cache");
  // The build is a script, which the user's own npm settings may disable.
  const env = { ...process.env, npm_config_ignore_scripts: "false", npm_config_cache: cache };

  /** npm clones into its cache and does not remove everything afterwards, so only the packages are the user's. */
  async function linkCache(): Promise<void> {
    const { stdout } = await run("npm", ["config", "get", "cache"]);
    const [users, ours] = [join(stdout.trim(), "_cacache"), join(cache, "_cacache")];
    mkdirSync(ours, { recursive: true });
    const names = existsSync(users) ? readdirSync(users).filter((name) => name !== "tmp") : [];
    for (const name of names) symlinkSync(join(users, name), join(ours, name));
  }

  /** The files as they are now, committed or not, in a repository that has never been built. */
  beforeAll(async () => {
    await linkCache();
    cpSync(project, clone, { recursive: true, filter: (path) => !NOT_IN_A_CLONE.has(basename(path)) });
    mkdirSync(consumer);
    writeFileSync(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const git = async (...args: readonly string[]) => run("git", args, { cwd: clone });
    await git("init", "--quiet");
    await git("add", "--all");
    const author = [
      "-c",
      "user.name=Test",
      "-c",
      "user.email=test@example.com",
      "-c",
      "commit.gpgsign=false",
    ];
    await git(...author, "commit", "--quiet", "--message", "Clone the project");
  });
  afterAll(() => removeTree(top));

  it("is built when npm installs it from git, and can be imported and started then", async () => {
    await run("npm", ["install", `git+file://${clone}`, ...fromCache], { cwd: consumer, env });
    const use = 'import { openSession } from "worldline"; console.log(typeof openSession);';
    const imported = await run(process.execPath, ["--input-type=module", "--eval", use], { cwd: consumer });
    expect(imported.stdout).toBe("function\n");
    const started = await run(join(consumer, "node_modules", ".bin", "worldline"), ["--version"]);
    expect(started.stdout).toMatch(/^\d+\.\d+\.\d+\n$/u);
  }, 300_000);

  it("is built when npm packs it", async () => {
    symlinkSync(join(project, "node_modules"), join(clone, "node_modules"));
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], { cwd: clone, env });
    // npm prints what `prepare` prints before the JSON.
    const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
    const paths = files.map(({ path }: { readonly path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(["dist/cli.js", "dist/index.js", "dist/index.d.ts"]));
  }, 300_000);
});
