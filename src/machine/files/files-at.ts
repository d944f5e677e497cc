import { hostname } from "node:os";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryOf } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import type { FilesAt } from "./requests.ts";

/** What is known of a checkpoint's files. Without a store to ask, what the log says is believed. */
export async function filesAt(
  view: SessionView,
  files: Pick<WorkspaceFiles, "has"> | undefined,
  checkpoint: number,
): Promise<FilesAt> {
  requireCheckpoint(view.outline, checkpoint);
  const entry = await snapshotEntry(view, checkpoint);
  if (entry === undefined) return { state: "pending" };
  const { snapshot, state, seq, why, gitHead, machine } = entry;
  if (state === "none" || snapshot === undefined) return { state: "none", why: why ?? "it was not captured" };
  if (files !== undefined && !(await files.has(snapshot)))
    return { state: "let-go", snapshot, ...(isElsewhere(machine) ? { machine } : {}) };
  return {
    state,
    snapshot,
    line: seq,
    ...(why === undefined ? {} : { why }),
    ...(gitHead === undefined ? {} : { gitHead }),
  };
}

/** Whether it is the name of another machine than this one. */
export function isElsewhere(machine: string | undefined): machine is string {
  return machine !== undefined && machine !== hostname();
}

/** The last word on a checkpoint's files. */
async function snapshotEntry(
  view: SessionView,
  checkpoint: number,
): Promise<EntryOf<"snapshot"> | undefined> {
  const line = snapshotLine(view, checkpoint);
  const [entry] = line === undefined ? [] : await view.entries([line]);
  return entry?.kind === "snapshot" ? entry : undefined;
}

function snapshotLine({ outline }: SessionView, checkpoint: number): Seq | undefined {
  return outline.linesOf("snapshot").findLast((line) => outline.at(line)?.number === checkpoint);
}
