import { executionIdOf } from "../../executions/step-records.ts";
import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { nearest } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";

/** The step of a program's execution after which a checkpoint was made. */
export interface ProgramStep {
  readonly execution: string;
  readonly name: string;
  readonly index: number;
  readonly status: EntryOf<"saved">["status"];
}

/** Undefined for a checkpoint of another kind of session, one before the first step, or one of a deleted step. */
export async function stepAt(view: SessionView, row: Row): Promise<ProgramStep | undefined> {
  if (view.header.mode !== "execution") return undefined;
  const saved = nearest(view.outline, row, ({ kind }) => kind === "saved");
  const [entry] = saved === undefined ? [] : await view.entries([saved.seq]);
  if (entry?.kind !== "saved") return undefined;
  const { name, index, attempt, status } = entry;
  if (await isDeleted(view, { index, attempt })) return undefined;
  return { execution: executionIdOf(view), name, index, status };
}

async function isDeleted(
  view: SessionView,
  { index, attempt }: Pick<EntryOf<"saved">, "index" | "attempt">,
): Promise<boolean> {
  const deletions = await view.storedEntries(view.outline.linesOf("checkpoint-delete"));
  return deletions.some(
    (each) => each.kind === "checkpoint-delete" && each.index === index && each.attempt === attempt,
  );
}

interface RestorableStep {
  readonly row: Row;
  readonly step: ProgramStep;
}

/** The place to which a program is most likely rewound: after its newest successful step. */
export async function newestRestorable(view: SessionView): Promise<RestorableStep | undefined> {
  const { outline, header } = view;
  // A fork of an execution can only be read, and `worldline executions` does not list it either.
  if (header.execution === undefined) return undefined;
  for (let row = outline.head; row !== undefined; row = outline.at(row.parent)) {
    if (row.kind !== "checkpoint") continue;
    const step = await stepAt(view, row);
    if (step?.status === "success") return { row, step };
  }
  return undefined;
}

export interface RestorableHere extends RestorableStep {
  readonly view: SessionView;
}

/** The executions in a workspace that have a step to rewind to, newest first. */
export async function restorableHere(
  store: LogStore,
  workspace: string,
  most: number,
): Promise<readonly RestorableHere[]> {
  let found: RestorableHere[] = [];
  for (const id of await store.list({ workspace, mode: "execution" })) {
    const one = await restorableIn(store, id);
    // Only the executions that will be shown stay in memory, because each has the outline of its whole log.
    if (one?.view.header.workspace === workspace) found = newestOf([...found, one], most);
  }
  return found;
}

function newestOf(found: readonly RestorableHere[], most: number): RestorableHere[] {
  return [...found].sort((a, b) => b.row.at - a.row.at).slice(0, most);
}

/** An unreadable execution must not prevent a rewind in another one. */
async function restorableIn(store: LogStore, id: SessionId): Promise<RestorableHere | undefined> {
  try {
    const view = await viewSession(store, id);
    const newest = view.header.mode === "execution" ? await newestRestorable(view) : undefined;
    return newest && { ...newest, view };
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}
