import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own for one test. */
export interface TempFolder {
  readonly path: string;
  remove(): void;
}

export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "worldline-test-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Gives `work` a folder, and leaves nothing behind. */
export async function inTempFolder<Result>(
  work: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  const folder = tempFolder();
  try {
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}
