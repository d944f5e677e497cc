import { momentsSince } from "../../../machine/files/intervals.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { AgentContext } from "../../agent-context.ts";
import { type ChangedFiles, changedFiles } from "./changed-files.ts";

/** What the tools changed, and what changed while commands ran; not what others did. What no capture sees, the tools themselves have told. */
export async function tellChangedFiles(context: AgentContext): Promise<void> {
  const outside = context.outside.take();
  const { files, more } = await capturedChanges(context);
  if (files.length + outside.length > 0) context.tell({ type: "files", files: [...files, ...outside], more });
}

const NOTHING: ChangedFiles = { files: [], more: 0 };

async function capturedChanges(context: AgentContext): Promise<ChangedFiles> {
  const { session, captures, files } = context;
  await captures.settled();
  const { base } = captures;
  if (files === undefined || base === undefined) return NOTHING;
  try {
    const moments = await momentsSince(session, base.line, { has: (id) => files.has(id) });
    return await changedFiles(files, base.snapshot, moments);
  } catch (error) {
    // The turn is what counts; that its files cannot be listed is said, not thrown.
    if (!isWorldlineError(error)) throw error;
    context.tell({ type: "warning", code: error.code, message: error.message });
    return NOTHING;
  }
}
