import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const JUDGE_MS = 20_000;

/** Writes a task's project into an empty folder. */
export function writeProject(folder, { files }) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The files after the task's own repair. */
export function repairedFiles({ files, repair }) {
  const repaired = { ...files };
  for (const [path, old, now] of repair) repaired[path] = repaired[path]?.replaceAll(old, now) ?? now;
  return repaired;
}

/**
 * Whether the test passes now. The test itself is restored first, because changing it is not a repair.
 * @returns {Promise<"solved" | "not solved">}
 */
export async function judge(folder, { files }) {
  writeFileSync(join(folder, "test.mjs"), files["test.mjs"]);
  const child = spawn(process.execPath, ["test.mjs"], {
    cwd: folder,
    // Code written by a model does not get any of the user's environment, above all no API key.
    env: { PATH: process.env["PATH"] },
    stdio: "ignore",
    timeout: JUDGE_MS,
    killSignal: "SIGKILL",
  });
  const code = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", resolve);
  });
  return code === 0 ? "solved" : "not solved";
}
