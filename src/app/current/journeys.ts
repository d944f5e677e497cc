import { BackgroundCommands } from "../../agent/tools/bash/background.ts";
import { headerOf, viewSession } from "../../machine/open.ts";
import { turnStateOf } from "../../machine/queries/recap.ts";
import { summarise } from "../../machine/queries/sessions.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import { askedBefore, nearest, type Outline } from "../../timeline/outline.ts";
import { isCheckpoint, type Row } from "../../timeline/row.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { newestState } from "../checkpoints/checkpoint-list.ts";
import {
  type CheckpointRow,
  checkpointRow,
  checkpointRows,
  KnownRows,
  newestRestorable,
  type PlaceOfRow,
} from "../checkpoints/checkpoint-rows.ts";
import {
  type FoundCheckpoint,
  parseCheckpointReference,
  reachableLabel,
  searchLabel,
  warnOfLookalike,
} from "../checkpoints/find-checkpoint.ts";
import { labelGiven, writeLabel } from "../checkpoints/make-checkpoint.ts";
import { countChangedFiles } from "../files/changes.ts";
import type { Journeys } from "../journeys/journey-types.ts";
import { scopeOffer } from "../journeys/scope.ts";
import { noteActivity } from "../places/home.ts";
import { redoRows, redoScopes } from "../redo.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { openToAct, sessionsHere } from "../sessions/find-session.ts";
import { KeptReadings } from "../sessions/store.ts";
import type { SessionAccess } from "./current-session.ts";
import {
  previewRedoHere,
  previewRowRewind,
  progressOptions,
  provideFolder,
  redoHere,
  rewindToRow,
  rowTarget,
  withExclusiveSession,
} from "./travel.ts";

/** Lets the user rewind and redo in the current session and in the other sessions of its workspace. */
export function journeysOn(access: SessionAccess): Journeys {
  const lists = new Lists(access);
  const elsewhere = new RowsElsewhere(() => access.here().opened);
  return {
    ready: async () => withExclusiveSession(access, async () => undefined),
    menuOpened: async () => {
      const { context, opened } = access.here();
      const { session } = opened;
      await noteActivity(context.home, { did: "rewind-menu-opened", in: "terminal", session: session.id });
    },
    rows: async () => [...(await lists.here()), ...(await elsewhere.list())],
    find: async (reference) => findRow(access, { reference, lists, elsewhere }),
    rowsHere: async () => lists.here(),
    rowsElsewhere: async () => elsewhere.list(),
    unreadable: () => elsewhere.unreadable,
    changedSince: async (row) => lists.changedSince(row),
    scopes: async (row) => scopeOffer(await rowTarget(access, row)),
    preview: async (request, progress) =>
      withExclusiveSession(access, async () => {
        if (request.scope !== "conversation") await provideFolder(access);
        return previewRowRewind(access, request, progress);
      }),
    rewind: async (request, progress) => rewindToRow(access, request, progress),
    redoable: async () => redoRows(access.here().opened.session),
    redoScopes: async (journey) => {
      const { session, workspaceFiles } = access.here().opened;
      return redoScopes(session, workspaceFiles, journey);
    },
    previewRedo: async (request, progress) =>
      withExclusiveSession(access, async () => {
        await provideFolder(access);
        return previewRedoHere(access, request, progress);
      }),
    redo: async (request, progress) =>
      withExclusiveSession(access, async () => redoHere(access, request, progress)),
    undoTarget: async (prompts) => {
      const { session, workspaceFiles } = access.here().opened;
      const row = undoTarget(session.outline, prompts);
      return checkpointRow({ view: session, place: "here", files: workspaceFiles.files }, row, lists.known());
    },
    save: async (label, progress) => {
      const wanted = label === undefined || label.trim() === "" ? undefined : reachableLabel(label);
      return withExclusiveSession(access, async () => {
        const { session } = access.here().opened;
        if (wanted !== undefined) warnOfLookalike(warningsOf(access), await session.labels(), wanted);
        return session.checkpoint(wanted, progressOptions(progress));
      });
    },
    label: async (row, label) => nameRow(access, row, label),
    leaveCut: async () => withExclusiveSession(access, async () => leaveCut(access.here().opened.session)),
    running: async () => new BackgroundCommands(access.here().opened.session.id).leftovers(),
    stopRunning: async () => {
      await new BackgroundCommands(access.here().opened.session.id).endLeftovers();
    },
  };
}

/** Caches what was read for a list of checkpoints, so that the next list does not read it again. */
class Lists {
  readonly #access: SessionAccess;
  #known: { readonly session: AgentSession["session"]; readonly rows: KnownRows } | undefined;
  #files: FilesOfList | undefined;

  constructor(access: SessionAccess) {
    this.#access = access;
  }

  known(): KnownRows {
    const { session } = this.#access.here().opened;
    if (this.#known?.session !== session) {
      this.#known = { session, rows: new KnownRows() };
      this.#files = undefined;
    }
    return this.#known.rows;
  }

  async here(): Promise<readonly CheckpointRow[]> {
    const { session, workspaceFiles } = this.#access.here().opened;
    this.#files = undefined;
    return checkpointRows({ view: session, place: "here", files: workspaceFiles.files }, this.known());
  }

  async changedSince(row: PlaceOfRow): Promise<number | undefined> {
    const { session, workspaceFiles } = this.#access.here().opened;
    if (workspaceFiles.files === undefined) return undefined;
    // This call also drops the cached files if their session is no longer the current one.
    this.known();
    const snapshot = await this.#snapshotOf(row);
    if (snapshot === undefined) return undefined;
    this.#files ??= new FilesOfList(workspaceFiles.files, session);
    return this.#files.changedSince(snapshot);
  }

  async #snapshotOf(row: PlaceOfRow): Promise<SnapshotId | undefined> {
    const { session, workspaceFiles } = this.#access.here().opened;
    const told =
      row.session === session.id
        ? (await this.known().snapshots.of(session)).get(row.number)?.snapshot
        : await snapshotElsewhere(this.#access, row);
    return told !== undefined && (await workspaceFiles.files?.has(told)) === true ? told : undefined;
  }
}

async function snapshotElsewhere(access: SessionAccess, row: PlaceOfRow): Promise<SnapshotId | undefined> {
  const at = await (await rowTarget(access, row)).filesAt(row.number);
  return at.state === "complete" || at.state === "partial" ? at.snapshot : undefined;
}

/**
 * Unlike the context's listener, this function reports a notice again if the user repeats the action that caused it.
 */
function warningsOf(access: SessionAccess): { readonly report: SessionAccess["warn"] } {
  return { report: (notice) => access.warn(notice) };
}

async function nameRow(access: SessionAccess, row: PlaceOfRow, text: string): Promise<void> {
  const label = labelGiven(text);
  const { held, ...target } = await rowTarget(access, row);
  const { context, opened } = access.here();
  const session = held === undefined ? { deps: opened.deps, name: "worldline" } : { held };
  if (label !== "") warnOfLookalike(warningsOf(access), await target.view.labels(), label, target.row.id);
  await writeLabel(context, { ...target, session }, label);
}

async function findRow(
  access: SessionAccess,
  {
    reference: text,
    lists,
    elsewhere,
  }: { readonly reference: string; readonly lists: Lists; readonly elsewhere: RowsElsewhere },
): Promise<CheckpointRow> {
  const { context, opened } = access.here();
  const { session, deps, workspaceFiles } = opened;
  const rowOf = async ({ view, row }: FoundCheckpoint): Promise<CheckpointRow> => {
    if (view.id === session.id)
      return checkpointRow({ view: session, place: "here", files: workspaceFiles.files }, row, lists.known());
    const { title } = await summarise(view);
    const named = title === "" ? {} : { title };
    return checkpointRow(
      { view, place: "elsewhere", files: workspaceFiles.files, ...named },
      row,
      new KnownRows(),
    );
  };
  const reference = parseCheckpointReference(text);
  switch (reference.by) {
    case "number":
      return rowOf({ view: session, row: requireCheckpoint(session.outline, reference.number) });
    case "session-number": {
      const view = await openToAct(context, deps.store, reference.session);
      return rowOf({ view, row: requireCheckpoint(view.outline, reference.number) });
    }
    case "label": {
      const { label } = reference;
      const own = await searchLabel(context, [session], label);
      if (own.newest !== undefined) return rowOf(own.newest);
      const views = (await sessionsHere(context, deps.store)).filter(({ id }) => id !== session.id);
      const other = await searchLabel(context, views, label);
      if (other.newest !== undefined) return rowOf(other.newest);
      const rows = await elsewhere.list();
      const execution = rows.find((row) => row.execution?.id === label.trim());
      if (execution !== undefined) return execution;
      throw new WorldlineError("label-unknown-here", { label, known: [...own.known, ...other.known] });
    }
    default:
      return reference satisfies never;
  }
}

/** Logs that the user interrupted the turn, so that the turn is not treated as interrupted by a crash. */
async function leaveCut(session: Session): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "cut" && turn.interruptedBy !== "person") await session.interrupt("person");
}

/**
 * Returns the checkpoint before the nth-to-last prompt or user command. Throws if the branch has fewer prompts and
 * commands. A backtrack repeats earlier prompts. The newest repeated prompt then counts as the last prompt, and undoing
 * it undoes only the work after the backtrack.
 */
function undoTarget(outline: Outline, prompts: number): Row {
  if (!Number.isSafeInteger(prompts) || prompts < 1) {
    throw new WorldlineError("prompts-not-a-number", { given: prompts });
  }
  let found = 0;
  for (let row = outline.head; row !== undefined; row = askedBefore(outline, row)) {
    const checkpoint = checkpointBefore(outline, row);
    if (checkpoint === undefined) continue;
    found += 1;
    if (found === prompts) return checkpoint;
  }
  throw tooMany(prompts, found);
}

function checkpointBefore(outline: Outline, row: Row): Row | undefined {
  if (row.kind === "prompt") return promptCheckpoint(outline, row);
  return row.kind === "tool-start" ? commandCheckpoint(outline, row) : undefined;
}

/**
 * Returns the checkpoint before a user command. Returns undefined for an agent's call, which belongs to the agent's
 * prompt.
 */
function commandCheckpoint(outline: Outline, start: Row): Row | undefined {
  const above = nearest(outline, outline.at(start.parent), isCheckpoint);
  if (above?.kind !== "checkpoint") return undefined;
  return commandOf(outline, above)?.seq === start.seq ? above : undefined;
}

/** Returns the checkpoint before a prompt. A prompt in an imported or damaged session may have no checkpoint. */
function promptCheckpoint(outline: Outline, prompt: Row): Row | undefined {
  const above = nearest(
    outline,
    outline.at(prompt.parent),
    (row) => isCheckpoint(row) || row.kind === "prompt",
  );
  return above?.kind === "checkpoint" ? above : undefined;
}

function tooMany(prompts: number, found: number): WorldlineError {
  return found === 0
    ? new WorldlineError("nothing-to-take-back", {})
    : new WorldlineError("fewer-prompts", { wanted: prompts, found });
}

type Rows = readonly CheckpointRow[];
type Read = Rows | "unreadable";

/**
 * Maximum number of executions in the list. A workspace may have hundreds of executions, most of them finished.
 * `worldline executions` lists all of them.
 */
const MAX_EXECUTIONS = 5;

/**
 * Reads the checkpoints in the workspace's other sessions. A session is read again only if it has been written to in
 * the meantime.
 */
class RowsElsewhere {
  readonly #opened: () => AgentSession;
  #kept: { readonly workspace: string; readonly readings: KeptReadings<Read> } | undefined;
  #unreadable = 0;

  constructor(opened: () => AgentSession) {
    this.#opened = opened;
  }

  /** Number of sessions that the last list left out because they could not be read. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Lists a few program executions, followed by all other checkpoints. Both parts are sorted newest first. */
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
    return [...rows.filter(isProgram).slice(0, MAX_EXECUTIONS), ...rows.filter((row) => !isProgram(row))];
  }

  /**
   * Returns nothing for sessions in other workspaces, and for sub-agents, whose files belong to the session that they
   * worked for.
   */
  async #read(id: SessionId, workspace: string): Promise<Read> {
    const { deps, workspaceFiles } = this.#opened();
    try {
      const header = await headerOf(deps.store, id);
      // A session whose first line is lost does not name its workspace. Opening the session may recover the name.
      if (header.workspace !== "" && (header.workspace !== workspace || header.task !== undefined)) return [];
      const view = await viewSession(deps.store, id);
      if (view.header.workspace !== workspace) return [];
      if (view.header.mode === "execution") return await executionRows(view, workspaceFiles.files);
      const { title } = await summarise(view);
      const named = title === "" ? {} : { title };
      const rows = await checkpointRows({ view, place: "elsewhere", files: workspaceFiles.files, ...named });
      // Another machine's clock may be ahead, so a row is never dated later than the session's last use on this
      // machine.
      return rows.map((row) => ({ ...row, at: Math.min(row.at, view.used) }));
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return "unreadable";
    }
  }
}

/**
 * Returns one row for a program's execution: its newest successful step. Returns an empty list if no step succeeded.
 */
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

/** The current files, captured when a row in an open list first needs them. */
class FilesOfList {
  readonly #files: WorkspaceFiles;
  readonly #view: SessionView;
  readonly #counts = new Map<SnapshotId, Promise<number | undefined>>();
  #present: Promise<SnapshotId | undefined> | undefined;

  constructor(files: WorkspaceFiles, view: SessionView) {
    this.#files = files;
    this.#view = view;
  }

  /**
   * Counts the files that differ between the snapshot and the present. Returns undefined if either state is
   * unavailable.
   */
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
      return await countChangedFiles(this.#files, snapshot, present);
    } catch (error) {
      // A missing number in a list is not worth an error message.
      if (isWorldlineError(error)) return undefined;
      throw error;
    }
  }

  async #lookAtPresent(): Promise<SnapshotId | undefined> {
    try {
      return (await this.#files.capture({ look: "everything" })).snapshot;
    } catch (error) {
      if (isWorldlineError(error)) return newestState(this.#view, this.#files);
      throw error;
    }
  }
}
