import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, run } from "./run-command.mjs";

/**
 * An environment that leads nowhere near the person's own settings, sessions or temporary files.
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
  return { ...process.env, ...folders };
}

/**
 * Counts from the report, not from the screen. A file that failed before its first test, and an error outside
 * any test, are failures too, though the report's own count of failed tests does not have them.
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
 * Runs vitest in a place of its own, which is gone afterwards.
 * @param {string} config
 * @param {{ env?: Record<string, string>, args?: readonly string[] }} [more]
 */
export async function runTests(config, { env = {}, args = [] } = {}) {
  const place = mkdtempSync(join(tmpdir(), "worldline-run-"));
  // Tests that run the program as another user than root must reach their own folders in here.
  chmodSync(place, 0o711);
  const report = join(place, "report.json");
  try {
    const { code } = await run(
      installed("vitest"),
      [
        "run",
        "--config",
        config,
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
        ...args,
      ],
      { env: { ...isolatedEnvironment(place), ...env } },
    );
    return countOf(report, code);
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}
