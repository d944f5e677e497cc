import type { Entry } from "../../record/entry.ts";
import { branchOf } from "../../timeline/branch.ts";
import { isPersonCall } from "../../timeline/person-command.ts";
import type { SessionView } from "../view.ts";

/** What was cut: at which step, and what may or may not have taken effect. A command of the person's belongs to no step. */
export interface Unfinished {
  /** The number of the step that made the calls; 0 when there was none. */
  readonly step: number;
  readonly calls: readonly UnfinishedCall[];
}

export interface UnfinishedCall {
  readonly call: string;
  readonly name: string;
}

/**
 * Looks behind the last step or reply of the branch only: earlier calls have ended, or were looked
 * at when they had not. A prompt ends nothing: it may have come while the tool was running.
 */
export async function unfinishedIn(view: SessionView): Promise<Unfinished | undefined> {
  const branch = branchOf(view.outline);
  const start = branch.findLastIndex((row) => row.kind === "step" || row.kind === "reply");
  const lines = branch
    .slice(Math.max(0, start))
    .filter((row) => row.kind === "tool-start" || row.kind === "tool-end");
  const calls = openCalls(await view.storedEntries(lines.map((row) => row.seq)));
  if (calls.length === 0) return undefined;
  const isOfStep = calls.some(({ call }) => !isPersonCall(call));
  const step = isOfStep ? branch.findLast((row) => row.kind === "step") : undefined;
  return { step: step?.number ?? 0, calls };
}

function openCalls(entries: readonly Entry[]): UnfinishedCall[] {
  const open = new Map<string, UnfinishedCall>();
  for (const entry of entries) {
    if (entry.kind === "tool-start") open.set(entry.call, { call: entry.call, name: entry.name });
    if (entry.kind === "tool-end") open.delete(entry.call);
  }
  return [...open.values()];
}
