import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const living = new Set();
const remove = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.on("exit", () => {
  for (const folder of living) remove(folder);
});

/**
 * Runs `work` with an empty folder that is always removed afterwards. The folder is outside of this project, which
 * the agent must not use as its workspace.
 * @template T
 * @param {(folder: string) => Promise<T>} work
 */
export async function withFolder(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "worldline-live-")));
  living.add(folder);
  try {
    return await work(folder);
  } finally {
    remove(folder);
    living.delete(folder);
  }
}
