import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "./remove-tree.mjs";
import { installed, run } from "./run-command.mjs";

/**
 * The user's registry and cache, for tests that install something, even if the tests have their own home.
 * `npm test` also passes these variables on to nested runs of itself.
 */
const npmSettings = {
  npm_config_userconfig: join(homedir(), ".npmrc"),
  npm_config_cache: join(homedir(), ".npm"),
};

/**
 * An environment without the user's own settings, sessions and temporary files.
 * @param {string} place
 */
function isolatedEnvironment(place) {
  const folders = {
    HOME: join(place, "home"),
    USERPROFILE: join(place, "home"),
    WORLDLINE_HOME: join(place, "home", ".worldline"),
    XDG_CONFIG_HOME: join(place, "config"),
    XDG_DATA_HOME: join(place, "data"),
    XDG_STATE_HOME: join(place, "state"),
    XDG_CACHE_HOME: join(place, "cache"),
    TMPDIR: join(place, "tmp"),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  return { ...npmSettings, ...process.env, ...folders };
}

/**
 * Counts results from the report, not from the screen output. A file that failed before its first test and an error
 * outside of any test also count as failures, although the report's own count of failed tests does not include them.
 * @param {string} report
 * @param {number} code
 */
function countOf(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  const broken = testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
      file.status === "failed" && !file.assertionResults.some((each) => each.status === "failed"),
  ).length;
  const failed = numFailedTests + broken;
  const skipped = numPendingTests + numTodoTests;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

/**
 * Changes the owner of the new folders to the user.
 * @param {{ uid: number, gid: number }} user
 * @param {string} place
 */
function giveTo({ uid, gid }, place) {
  const below = readdirSync(place, { recursive: true, encoding: "utf8" });
  for (const path of ["", ...below]) chownSync(join(place, path), uid, gid);
}

/**
 * Runs vitest in a temporary folder, which is removed afterwards.
 * @param {string} config
 * @param {{ env?: Record<string, string>, args?: readonly string[], as?: { uid: number, gid: number, project: string
 *   } }} [more] `as` runs the tests as that user, in a copy of the project.
 */
export async function runTests(config, { env = {}, args = [], as } = {}) {
  const place = mkdtempSync(join(tmpdir(), "worldline-run-"));
  // Tests that run the program as a user other than root must be able to reach their folders in this place.
  chmodSync(place, 0o711);
  const report = join(place, "report.json");
  const vitest = as === undefined ? installed("vitest") : join(as.project, "node_modules", ".bin", "vitest");
  try {
    const environment = { ...isolatedEnvironment(place), ...env };
    if (as !== undefined) giveTo(as, place);
    const { code } = await run(
      vitest,
      [
        "run",
        "--config",
        config,
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
        ...args,
      ],
      {
        env: environment,
        ...(as === undefined ? {} : { cwd: as.project, as: { uid: as.uid, gid: as.gid } }),
      },
    );
    return countOf(report, code);
  } finally {
    removeTree(place);
  }
}
