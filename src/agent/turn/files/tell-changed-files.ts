import { momentsSince } from "../../../machine/files/intervals.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { Workbench } from "../workbench.ts";
import { type ChangedFiles, changedFiles } from "./changed-files.ts";

/** What is needed to tell which files changed. */
export type ChangesBench = Pick<Workbench, "session" | "captures" | "files" | "outside" | "tell">;

/** What the tools changed, and what changed while commands ran; not what others did. What no capture sees, the tools themselves have told. */
export async function tellChangedFiles(bench: ChangesBench): Promise<void> {
  const outside = bench.outside.take();
  const { files, more } = await capturedChanges(bench);
  if (files.length + outside.length > 0) bench.tell({ type: "files", files: [...files, ...outside], more });
}

const NOTHING: ChangedFiles = { files: [], more: 0 };

async function capturedChanges(bench: ChangesBench): Promise<ChangedFiles> {
  const { session, captures, files } = bench;
  await captures.settled();
  const { base } = captures;
  if (files === undefined || base === undefined) return NOTHING;
  try {
    const moments = await momentsSince(session, base.line, { has: (id) => files.has(id) });
    return await changedFiles(files, base.snapshot, moments);
  } catch (error) {
    // The turn is what counts; that its files cannot be listed is said, not thrown.
    if (!isWorldlineError(error)) throw error;
    const { code, message, reason, params } = error;
    bench.tell({ type: "warning", code, message, reason, params });
    return NOTHING;
  }
}
