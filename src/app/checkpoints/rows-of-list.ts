import { headerOf, viewSession } from "../../machine/open.ts";
import { summarise } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import { isSameState, type PathChange } from "../../record/files.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { filesKnownTo } from "../files/history.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { KeptReadings } from "../sessions/store.ts";
import { type CheckpointRow, checkpointRow, checkpointRows, KnownRows } from "./checkpoint-rows.ts";
import { newestRestorable } from "./program-steps.ts";

type Rows = readonly CheckpointRow[];
type Read = Rows | "unreadable";

/** A workspace may have hundreds, and most of them are done: `worldline executions` has the rest. */
const MOST_EXECUTIONS = 5;

/** The checkpoints of the workspace's other sessions. What was read of one is not read again before it is written to. */
export class RowsElsewhere {
  readonly #opened: () => AgentSession;
  #kept: { readonly workspace: string; readonly readings: KeptReadings<Read> } | undefined;
  #unreadable = 0;

  constructor(opened: () => AgentSession) {
    this.#opened = opened;
  }

  /** How many the last list had to leave out. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** A few executions of programs, then the others; each by time, the newest first. */
  async list(): Promise<Rows> {
    const opened = this.#opened();
    const { session, deps } = opened;
    const { workspace } = session.header;
    if (this.#kept?.workspace !== workspace) this.#kept = { workspace, readings: new KeptReadings() };
    const { readings } = this.#kept;
    const rows: CheckpointRow[] = [];
    let unreadable = 0;
    for (const id of await deps.store.list({ workspace })) {
      if (id === session.id) continue;
      const known = await readings.of(deps.store, id, async () => this.#read(id, workspace));
      if (known === "unreadable") unreadable += 1;
      else rows.push(...(known ?? []));
    }
    this.#unreadable = unreadable;
    rows.sort((a, b) => b.at - a.at || b.number - a.number);
    const isProgram = ({ place }: CheckpointRow): boolean => place === "execution";
    return [...rows.filter(isProgram).slice(0, MOST_EXECUTIONS), ...rows.filter((row) => !isProgram(row))];
  }

  /** Nothing of sessions that work elsewhere, and of those of sub-agents, which belong to the one that they worked for. */
  async #read(id: SessionId, workspace: string): Promise<Read> {
    const { deps, here } = this.#opened();
    try {
      const header = await headerOf(deps.store, id);
      // One whose first line is lost does not say where it belongs; opening it may tell.
      if (header.workspace !== "" && (header.workspace !== workspace || header.task !== undefined)) return [];
      const view = await viewSession(deps.store, id);
      if (view.header.workspace !== workspace) return [];
      if (view.header.mode === "execution") return await executionRows(view, here.files);
      const { title } = await summarise(view);
      const named = title === "" ? {} : { title };
      const rows = await checkpointRows({ view, place: "elsewhere", files: here.files, ...named });
      // Times that others wrote put nothing above what was done here since.
      return rows.map((row) => ({ ...row, at: Math.min(row.at, view.used) }));
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return "unreadable";
    }
  }
}

/** A program's execution as one row: its newest step that succeeded. Nothing where it has none. */
async function executionRows(
  view: SessionView,
  files: Pick<WorkspaceFiles, "has"> | undefined,
): Promise<readonly CheckpointRow[]> {
  const newest = await newestRestorable(view);
  if (newest === undefined) return [];
  const row = await checkpointRow({ view, place: "execution", files }, newest.row, new KnownRows());
  const { execution: id, name } = newest.step;
  return [{ ...row, execution: { id, step: name } }];
}

/** How the files are now, for one opened list: looked at once, when the first row asks. */
export class FilesOfList {
  readonly #files: WorkspaceFiles;
  readonly #view: SessionView;
  readonly #counts = new Map<SnapshotId, Promise<number | undefined>>();
  #present: Promise<SnapshotId | undefined> | undefined;

  constructor(files: WorkspaceFiles, view: SessionView) {
    this.#files = files;
    this.#view = view;
  }

  /** How many files differ between that snapshot and now; undefined where one of the two is not there. */
  async changedSince(snapshot: SnapshotId): Promise<number | undefined> {
    const known = this.#counts.get(snapshot);
    if (known !== undefined) return known;
    const counting = this.#count(snapshot);
    this.#counts.set(snapshot, counting);
    return counting;
  }

  async #count(snapshot: SnapshotId): Promise<number | undefined> {
    this.#present ??= this.#lookAtPresent();
    const present = await this.#present;
    if (present === undefined) return undefined;
    try {
      const changes = seenChanges(await this.#files.compare(snapshot, present));
      return changes.filter(isOfFile).length;
    } catch (error) {
      // A number in a list is worth nobody's error message.
      if (isWorldlineError(error)) return undefined;
      throw error;
    }
  }

  async #lookAtPresent(): Promise<SnapshotId | undefined> {
    try {
      return (await this.#files.capture({ look: "everything" })).snapshot;
    } catch (error) {
      if (isWorldlineError(error)) return this.#newestKnown();
      throw error;
    }
  }

  async #newestKnown(): Promise<SnapshotId | undefined> {
    const snapshot = await filesKnownTo(this.#view);
    return snapshot !== undefined && (await this.#files.has(snapshot)) ? snapshot : undefined;
  }
}

/** Folders change with what they hold. */
function isOfFile({ before, after }: PathChange): boolean {
  const isFile = [before, after].some((state) => state?.kind === "file" || state?.kind === "link");
  return isFile && !isSameState(before, after);
}
