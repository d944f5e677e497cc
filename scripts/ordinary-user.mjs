import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "./remove-tree.mjs";
import { root, run } from "./run-command.mjs";
import { runTests } from "./run-tests.mjs";

/** The user `nobody`, who does not own files on any system. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** The tests of operations that root is never refused: files, modes, locks and processes. */
const PARTS = [
  "test/agent/permissions/laws.test.ts",
  "test/agent/tools/bash/process-trees.test.ts",
  "test/agent/tools/write",
  "test/cli/places",
  "test/disk/folders.test.ts",
  "test/e2e/files/closed-files.test.ts",
  "test/e2e/homes.test.ts",
  "test/scripts/remove-tree.test.ts",
  "test/snapshots/capturing/known-paths.test.ts",
  "test/snapshots/finding",
  "test/snapshots/restoring/closed-folders.test.ts",
  "test/snapshots/restoring/durable-restores.test.ts",
  "test/snapshots/restoring/perform-restore.test.ts",
  "test/snapshots/restoring/restoring-law.test.ts",
  "test/stores/files/lock.test.ts",
];

/** The parts of the project that this run does not need, or that only Claude's tests need. */
const LEFT_OUT = new Set([".git", ".build", "bench", "docs", "changes"]);

/**
 * Runs the tests of files, modes and processes again, as an ordinary user. Does nothing if the tests already run as
 * an ordinary user.
 * @returns {Promise<{ passed: number, failed: number, skipped: number, leftOut: readonly string[] }>}
 */
export async function runAsOrdinaryUser() {
  const nothing = { passed: 0, failed: 0, skipped: 0, leftOut: [] };
  if (process.getuid?.() !== 0) return nothing;
  const place = mkdtempSync(join(tmpdir(), "worldline-user-"));
  try {
    chmodSync(place, 0o711);
    const problem = refusal(place);
    if (problem !== undefined) return { ...nothing, leftOut: [`tests as an ordinary user: ${problem}`] };
    console.log(`again as an ordinary user (uid ${NOBODY.uid}): ${PARTS.join(", ")}`);
    const project = await copyProject(place);
    if (project === undefined)
      return { ...nothing, leftOut: ["tests as an ordinary user: the project could not be copied"] };
    const tested = await runTests("vitest.config.ts", { args: PARTS, as: { ...NOBODY, project } });
    return { ...tested, leftOut: [] };
  } finally {
    removeTree(place);
  }
}

/**
 * Returns why a process cannot run as that user on this machine, for example in a container without mapped users.
 * @param {string} cwd
 */
function refusal(cwd) {
  const { status, error } = spawnSync(process.execPath, ["--version"], { cwd, stdio: "ignore", ...NOBODY });
  if (status === 0) return undefined;
  return `Node.js does not start as uid ${NOBODY.uid}${error === undefined ? "" : ` (${error.message})`}`;
}

/**
 * Creates a copy of the project that belongs to that user, because the project may be in a folder that only root can
 * enter.
 * @param {string} place
 */
async function copyProject(place) {
  const project = join(place, "project");
  mkdirSync(project);
  const top = readdirSync(root).filter((name) => !LEFT_OUT.has(name) && name !== "test");
  const test = readdirSync(join(root, "test")).filter((name) => name !== "claude-sdk");
  mkdirSync(join(project, "test"));
  const copies = [
    ["cp", ["-R", "-P", ...top.map((name) => join(root, name)), project]],
    ["cp", ["-R", "-P", ...test.map((name) => join(root, "test", name)), join(project, "test")]],
    ["chown", ["-R", `${NOBODY.uid}:${NOBODY.gid}`, project]],
  ];
  for (const [command, args] of /** @type {[string, string[]][]} */ (copies)) {
    if ((await run(command, args)).code !== 0) return undefined;
  }
  return project;
}
