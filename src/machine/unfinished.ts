import type { Entry } from "../record/entry.ts";
import { branchOf } from "../timeline/branch.ts";
import type { SessionView } from "./view.ts";

/** A turn that was cut: at which step, and what may or may not have taken effect. */
export interface Unfinished {
  /** The step's number; 0 when the turn had not reached its first. */
  readonly step: number;
  readonly calls: readonly UnfinishedCall[];
}

export interface UnfinishedCall {
  readonly call: string;
  readonly name: string;
}

/** Looks at the last step of the branch only: earlier ones have ended, or were looked at when they had not. */
export async function unfinishedIn(view: SessionView): Promise<Unfinished | undefined> {
  const branch = branchOf(view.outline);
  const start = Math.max(0, branch.findLastIndex((row) => row.kind === "step" || row.kind === "prompt"));
  const lines = branch.slice(start).filter((row) => row.kind === "tool-start" || row.kind === "tool-end");
  const calls = openCalls(await view.storedEntries(lines.map((row) => row.seq)));
  return calls.length === 0 ? undefined : { step: branch[start]?.number ?? 0, calls };
}

function openCalls(entries: readonly Entry[]): UnfinishedCall[] {
  const open = new Map<string, UnfinishedCall>();
  for (const entry of entries) {
    if (entry.kind === "tool-start") open.set(entry.call, { call: entry.call, name: entry.name });
    if (entry.kind === "tool-end") open.delete(entry.call);
  }
  return [...open.values()];
}
