import type { Edit, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, Entry } from "../../record/entry.ts";
import { isSameState, type PathBytes, type PathChange } from "../../record/files.ts";
import { type SnapshotId, toSeq } from "../../record/ids.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { SessionView } from "../view.ts";
import { isElsewhere } from "./files-at.ts";

/** How the files were at a moment, and who had changed them since the moment before. */
export interface FilesMoment {
  readonly snapshot: SnapshotId;
  readonly author: Author;
  /** Whether the change before it was a journey's own restore. */
  readonly by: "anyone" | "journey";
}

/** The kinds that say how the files were. */
export const MOMENT_KINDS = ["snapshot", "backtrack", "rewind", "redo", "restored"] as const;

/** The last line that says, or tried to say, how the files were; 0 for none. */
export function lastMomentLine(outline: Outline): number {
  return Math.max(0, ...MOMENT_KINDS.map((kind) => outline.linesOf(kind).at(-1) ?? 0));
}

/** The states of the files behind a line up to the present, in the order of the log, whatever branches they stand on. */
export async function momentsSince(
  view: SessionView,
  line: number,
  world: { readonly present: Pick<FilesMoment, "snapshot" | "author">; readonly has: WorkspaceFiles["has"] },
): Promise<readonly FilesMoment[]> {
  const moments: FilesMoment[] = [];
  // A state that is not there hands its author on: the next one's interval then covers both.
  let handedOn: Author = (await isOfElsewhere(view, line)) ? "outside" : "timeline";
  for (const said of [...(await statesBehind(view, line)), { ...world.present, by: "anyone" as const }]) {
    const author: Author = handedOn === "outside" ? handedOn : said.author;
    const { snapshot, by } = said;
    const isThere = snapshot !== undefined && (await world.has(snapshot));
    handedOn = isThere ? "timeline" : author;
    if (isThere) moments.push({ snapshot, author, by });
  }
  return moments;
}

/** Whether the line says how the files were on another machine. */
async function isOfElsewhere(view: SessionView, line: number): Promise<boolean> {
  if (view.reach === "machine" || line === 0) return false;
  const [entry] = await view.storedEntries([toSeq(line)]);
  return entry?.kind === "snapshot" && isElsewhere(entry.machine);
}

interface Said {
  readonly snapshot: SnapshotId | undefined;
  readonly author: Author;
  readonly by: FilesMoment["by"];
}

async function statesBehind(view: SessionView, line: number): Promise<readonly Said[]> {
  const lines = MOMENT_KINDS.flatMap((kind) => view.outline.linesOf(kind)).filter((each) => each > line);
  const entries = await view.storedEntries(lines.sort((a, b) => a - b).map(toSeq));
  const said: Said[] = [];
  for (const entry of entries) said.push(...saidBy(await withSnapshotId(view, entry)));
  return said;
}

function saidBy(entry: Entry): readonly Said[] {
  switch (entry.kind) {
    case "snapshot":
      // It was on another disk: whatever happens on this one meanwhile is not the timeline's.
      if (isElsewhere(entry.machine)) return [{ snapshot: undefined, author: "outside", by: "anyone" }];
      return [{ snapshot: entry.snapshot, author: entry.author, by: "anyone" }];
    case "backtrack":
    case "rewind":
    case "redo":
      if (entry.left === undefined && entry.leftAuthor === undefined) return [];
      return [{ snapshot: entry.left, author: entry.leftAuthor ?? "outside", by: "anyone" }];
    case "restored":
      // Without a snapshot nobody knows what else was changed in its time, so what follows is not the timeline's.
      if (entry.snapshot === undefined) return [{ snapshot: undefined, author: "outside", by: "anyone" }];
      return [{ snapshot: entry.snapshot, author: "timeline", by: "journey" }];
    default:
      return [];
  }
}

/** Stored as they are, because the paths of a `restored` may be megabytes; an id may have been spilled all the same. */
export async function withSnapshotId(view: SessionView, entry: Entry): Promise<Entry> {
  const ids = [
    "snapshot" in entry ? entry.snapshot : undefined,
    "left" in entry ? entry.left : undefined,
  ] as unknown[];
  if (ids.every((id) => id === undefined || typeof id === "string")) return entry;
  return (await view.entries([entry.seq]))[0] ?? entry;
}

export interface Span {
  readonly target: SnapshotId;
  /** From the first state behind the target to the present. */
  readonly moments: readonly FilesMoment[];
  /** From the present to the target: other paths need no answer. */
  readonly changes: readonly PathChange[];
}

/**
 * What the outside did since the target to the paths that differ from it now. Where a path was as the target has
 * it, whatever had been done to it before is over. Intervals of the timeline are not read, unless a journey may
 * have undone there what the outside did.
 */
export async function outsideEdits(
  files: Pick<WorkspaceFiles, "compare">,
  { target, moments, changes }: Span,
): Promise<ReadonlyMap<PathBytes, readonly Edit[]>> {
  const targets = new Map(changes.map(({ path, after }) => [path, after]));
  const edits = new Map<PathBytes, Edit[]>();
  let before = target;
  for (const { snapshot, author, by } of moments) {
    const isWanted = author === "outside" || (by === "journey" && edits.size > 0);
    const made = isWanted ? await differing(files, before, snapshot) : [];
    const relevant = made.filter(({ path }) => targets.has(path));
    const [over, standing] = parted(relevant, ({ path, after }) => isSameState(after, targets.get(path)));
    for (const { path } of over) edits.delete(path);
    if (author === "outside") for (const change of standing) note(edits, change);
    before = snapshot;
  }
  return edits;
}

async function differing(
  files: Pick<WorkspaceFiles, "compare">,
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly PathChange[]> {
  return before === after ? [] : files.compare(before, after);
}

function parted<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function note(edits: Map<PathBytes, Edit[]>, { path, before, after }: PathChange): void {
  const known = edits.get(path);
  if (known === undefined) edits.set(path, [{ before, after }]);
  else known.push({ before, after });
}
