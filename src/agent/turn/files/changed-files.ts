import { diffLines } from "diff";
import { authorOf, type FilesMoment, momentsSince } from "../../../machine/files/intervals.ts";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { isWorldlineError } from "../../../record/error.ts";
import {
  type FileContent,
  isSameState,
  type PathBytes,
  type PathChange,
  shownPath,
} from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import { isSameOutside, type OutsideChange, type OutsideState } from "../../../record/outside.ts";
import { seenChanges } from "../../../travel/files/covered.ts";
import type { AgentContext } from "../../agent-context.ts";

/** A turn that rewrote 10,000 files is not counted line by line. */
const MOST_FILES = 50;
const MOST_BYTES = 256 * 1024;

export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** How many more there are that are not listed. */
  readonly more: number;
}

/** Which files the timeline changed from moment to moment, with their lines counted where that is cheap. */
export async function changedFiles(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  moments: readonly FilesMoment[],
): Promise<ChangedFiles> {
  const changed = [...(await timelineChanges(workspace, before, moments)).values()].sort((a, b) =>
    (a[0]?.path ?? "") < (b[0]?.path ?? "") ? -1 : 1,
  );
  const files: ChangedFile[] = [];
  for (const parts of changed.slice(0, MOST_FILES)) files.push(await describe(workspace, parts));
  return { files, more: Math.max(0, changed.length - MOST_FILES) };
}

/** Of each path what the timeline did to it: in several parts, where others changed it in between. */
async function timelineChanges(
  workspace: WorkspaceFiles,
  first: SnapshotId,
  moments: readonly FilesMoment[],
): Promise<ReadonlyMap<PathBytes, readonly PathChange[]>> {
  const byPath = new Map<PathBytes, PathChange[]>();
  let before = first;
  for (const moment of moments) {
    const changes =
      before === moment.snapshot ? [] : seenChanges(await workspace.compare(before, moment.snapshot));
    before = moment.snapshot;
    for (const change of changes.filter(isOfFiles)) {
      if (isByTimeline(moment, change))
        byPath.set(change.path, joined(byPath.get(change.path) ?? [], change));
    }
  }
  return new Map([...byPath].filter(([, parts]) => !isUndone(parts)));
}

/** What points to the user is not counted as the agent's. */
function isByTimeline(moment: FilesMoment, { path }: PathChange): boolean {
  const author = authorOf(moment, path);
  return author === "timeline" || (author !== "outside" && author.sign === undefined);
}

function joined(parts: readonly PathChange[], change: PathChange): PathChange[] {
  const last = parts.at(-1);
  if (last === undefined || !isSameState(last.after, change.before)) return [...parts, change];
  return [...parts.slice(0, -1), { ...last, after: change.after }];
}

function isUndone([only, ...others]: readonly PathChange[]): boolean {
  return others.length === 0 && isSameState(only?.before, only?.after);
}

/** The paths alone, for who only has to name them. */
export async function changedPaths(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly string[]> {
  const changes = before === after ? [] : seenChanges(await workspace.compare(before, after));
  return changes.filter(isOfFiles).map(({ path }) => shownPath(path));
}

/** Folders change with what they hold, which is listed itself. */
function isOfFiles({ before, after }: PathChange): boolean {
  return (after ?? before)?.kind !== "folder" || (before !== undefined && before.kind !== "folder");
}

async function describe(workspace: WorkspaceFiles, parts: readonly PathChange[]): Promise<ChangedFile> {
  const [first, last] = [parts[0], parts.at(-1)];
  const known = {
    path: shownPath(first?.path ?? ""),
    change: first?.before === undefined ? "created" : last?.after === undefined ? "deleted" : "changed",
  } as const;
  let [added, removed] = [0, 0];
  for (const part of parts) {
    const lines = await linesIn(workspace, part);
    if (lines === undefined) return known;
    added += lines.added;
    removed += lines.removed;
  }
  return { ...known, added, removed };
}

async function linesIn(
  workspace: WorkspaceFiles,
  { before, after }: PathChange,
): Promise<{ readonly added: number; readonly removed: number } | undefined> {
  const old = await textIn(workspace, before);
  const now = await textIn(workspace, after);
  if (old === undefined || now === undefined) return undefined;
  const parts = diffLines(old, now);
  const count = (of: "added" | "removed"): number =>
    parts.reduce((sum, part) => sum + (part[of] ? part.count : 0), 0);
  return { added: count("added"), removed: count("removed") };
}

/** Undefined where it is no text, or too large to look through. */
async function textIn(workspace: WorkspaceFiles, state: PathChange["after"]): Promise<string | undefined> {
  if (state === undefined) return "";
  if (!isSmallFile(state)) return undefined;
  const bytes = await workspace.content(state.hash);
  return bytes.includes(0) ? undefined : Buffer.from(bytes).toString("utf8");
}

function isSmallFile(state: PathChange["after"]): state is FileContent {
  return state?.kind === "file" && state.size <= MOST_BYTES;
}

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
    const { code, message, reason, params } = error;
    context.tell({ type: "warning", code, message, reason, params });
    return NOTHING;
  }
}

/** What the tools of a turn wrote where no snapshot looks. */
export class OutsideChanges {
  readonly #byPath = new Map<
    string,
    { readonly before: OutsideState | undefined; after: OutsideState | undefined }
  >();

  add(changes: readonly OutsideChange[]): void {
    for (const { path, before, after } of changes) {
      const known = this.#byPath.get(path);
      if (known === undefined) this.#byPath.set(path, { before, after });
      else known.after = after;
    }
  }

  /** As the turn's end tells them; the next turn begins with none. */
  take(): readonly ChangedFile[] {
    const changed = [...this.#byPath].flatMap(([path, { before, after }]): ChangedFile[] => {
      if (isSameOutside(before, after)) return [];
      return [
        { path, change: before === undefined ? "created" : after === undefined ? "deleted" : "changed" },
      ];
    });
    this.#byPath.clear();
    return changed;
  }
}
