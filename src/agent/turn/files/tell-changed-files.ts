import { isWorldlineError } from "../../../record/error.ts";
import type { Workbench } from "../workbench.ts";
import { type ChangedFiles, changedFiles } from "./changed-files.ts";

/** What is needed to tell which files changed. */
export type ChangesBench = Pick<Workbench, "captures" | "files" | "outside" | "tell">;

/** Whoever changed them: a capture knows what, not who. What no capture sees, the tools themselves have told. */
export async function tellChangedFiles(bench: ChangesBench): Promise<void> {
  const outside = bench.outside.take();
  const { files, more } = await capturedChanges(bench);
  if (files.length + outside.length > 0) bench.tell({ type: "files", files: [...files, ...outside], more });
}

const NOTHING: ChangedFiles = { files: [], more: 0 };

async function capturedChanges(bench: ChangesBench): Promise<ChangedFiles> {
  const { captures, files } = bench;
  await captures.settled();
  const { atPrompt: first, newest: last } = captures;
  if (files === undefined || first === undefined || last === undefined) return NOTHING;
  try {
    return await changedFiles(files, first, last);
  } catch (error) {
    // The turn is what counts; that its files cannot be listed is said, not thrown.
    if (!isWorldlineError(error)) throw error;
    bench.tell({ type: "warning", code: error.code, message: error.message });
    return NOTHING;
  }
}
