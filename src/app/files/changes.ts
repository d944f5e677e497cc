import { diffLines, formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { FileState, LeftOut, PathBytes, PathChange } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { ChangedCounts } from "../../strings/en/finder.ts";
import { seenChanges } from "../../travel/plan-files.ts";

/** A difference in one path, in the form that users see. */
export interface ChangeSummary {
  readonly path: PathBytes;
  /**
   * "kind": for example, a file has replaced a folder or a link. "uncovered": one of the two snapshots does not cover
   * the path.
   */
  readonly what: "created" | "deleted" | "changed" | "mode" | "kind" | "uncovered";
  /** The kind of the new state, or of the old one if the path was deleted. */
  readonly kind: "file" | "folder" | "link";
  /** Present if both states are text files that can be compared line by line. */
  readonly lines?: LineCount;
  readonly sizes?: { readonly before?: number; readonly after?: number };
  readonly modes?: { readonly before: number; readonly after: number };
  readonly why?: LeftOut;
}

/** Maximum number of files whose lines are counted, because counting requires reading the contents of each file. */
const MAX_COUNTED = 500;

/**
 * Summarizes the changes in their original order. `counted` limits the number of files that are read to count their
 * lines.
 */
export async function summariseChanges(
  changes: readonly PathChange[],
  files: Pick<WorkspaceFiles, "content">,
  counted: number = MAX_COUNTED,
): Promise<readonly ChangeSummary[]> {
  const summaries: ChangeSummary[] = [];
  for (const [index, change] of changes.entries()) {
    const summary = summaryOf(change);
    const lines = index < counted ? await linesOf(change, files) : undefined;
    summaries.push(lines === undefined ? summary : { ...summary, lines });
  }
  return summaries;
}

function summaryOf({ path, before, after }: PathChange): ChangeSummary {
  const kind = kindOf(after) ?? kindOf(before) ?? "file";
  const leftOut = [before, after].find((state) => state?.kind === "left-out");
  if (leftOut?.kind === "left-out") return { path, what: "uncovered", kind, why: leftOut.why };
  return { path, what: whatOf(before, after), kind, ...sizesOf(before, after), ...modesOf(before, after) };
}

function whatOf(before: FileState | undefined, after: FileState | undefined): ChangeSummary["what"] {
  if (before === undefined) return "created";
  if (after === undefined) return "deleted";
  if (before.kind !== after.kind) return "kind";
  const isOnlyMode = before.kind === "folder" || isSameContent(before, after);
  return isOnlyMode ? "mode" : "changed";
}

function isSameContent(before: FileState, after: FileState): boolean {
  return before.kind === "file" && after.kind === "file" && before.hash === after.hash;
}

function kindOf(state: FileState | undefined): ChangeSummary["kind"] | undefined {
  return state === undefined || state.kind === "left-out" ? undefined : state.kind;
}

function sizesOf(
  before: FileState | undefined,
  after: FileState | undefined,
): Pick<ChangeSummary, "sizes"> | Record<never, never> {
  if (isFolderish(before) && isFolderish(after)) return {};
  if (before !== undefined && after !== undefined && isSameContent(before, after)) return {};
  return {
    sizes: {
      ...(before?.kind === "file" ? { before: before.size } : {}),
      ...(after?.kind === "file" ? { after: after.size } : {}),
    },
  };
}

function isFolderish(state: FileState | undefined): boolean {
  return state?.kind !== "file";
}

function modesOf(
  before: FileState | undefined,
  after: FileState | undefined,
): Pick<ChangeSummary, "modes"> | Record<never, never> {
  const [old, now] = [modeOf(before), modeOf(after)];
  if (old === undefined || now === undefined || old === now) return {};
  return { modes: { before: old, after: now } };
}

function modeOf(state: FileState | undefined): number | undefined {
  return state?.kind === "file" || state?.kind === "folder" ? state.mode : undefined;
}

/**
 * Counts the changed lines. If a file's content cannot be read, returns undefined, because the journey itself will
 * report the error.
 */
async function linesOf(
  { before, after }: PathChange,
  files: Pick<WorkspaceFiles, "content">,
): Promise<LineCount | undefined> {
  const isOfFiles = before?.kind === "file" || after?.kind === "file";
  const isEqual = before !== undefined && after !== undefined && isSameContent(before, after);
  if (!isOfFiles || isEqual || before?.kind === "left-out" || after?.kind === "left-out") return undefined;
  try {
    return countLines(await bytesOf(before, files), await bytesOf(after, files));
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return undefined;
  }
}

const nothing = new Uint8Array(0);

async function bytesOf(
  state: FileState | undefined,
  files: Pick<WorkspaceFiles, "content">,
): Promise<Uint8Array> {
  return state?.kind === "file" ? files.content(state.hash) : nothing;
}

export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

/**
 * Files that are larger or differ more than this are not compared line by line, because users would have to wait too
 * long.
 */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_EDITS = 4_000;
/** Number of bytes to check for a NUL character. Git checks the same number. */
const BINARY_BYTES = 8_000;

/** Returns the text of a file whose lines can be shown, or undefined for binary and very large files. */
export function linesTextOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_BYTES || bytes.subarray(0, BINARY_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Counts the added and removed lines. Returns undefined if the contents cannot be compared line by line, or if the
 * comparison would take too long.
 */
export function countLines(before: Uint8Array, after: Uint8Array): LineCount | undefined {
  const [old, now] = [linesTextOf(before), linesTextOf(after)];
  if (old === undefined || now === undefined) return undefined;
  const changes = diffLines(old, now, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return undefined;
  let [added, removed] = [0, 0];
  for (const change of changes) {
    if (change.added) added += change.count;
    if (change.removed) removed += change.count;
  }
  return { added, removed };
}

/** A difference in one path, in a form that needs no translation. Lines begin with "+", "-", " " or "@@". */
export interface PathDiff extends Pick<PathChange, "path" | "before" | "after"> {
  /** "no-lines": the contents differ, but cannot be compared line by line. "same": only the kind or mode may differ. */
  readonly contents: "same" | "lines" | "no-lines";
  readonly lines?: readonly string[];
}

const CONTEXT_LINES = 3;

export async function diffOf(
  { path, before, after }: PathChange,
  files: Pick<WorkspaceFiles, "content">,
): Promise<PathDiff> {
  const known = { path, before, after };
  const isOfFiles = before?.kind === "file" || after?.kind === "file";
  const isEqual = before !== undefined && after !== undefined && isSameContent(before, after);
  if (!isOfFiles || isEqual) return { ...known, contents: "same" };
  const [old, now] = [linesTextOf(await bytesOf(before, files)), linesTextOf(await bytesOf(after, files))];
  const patch =
    old === undefined || now === undefined
      ? undefined
      : structuredPatch("", "", old, now, undefined, undefined, {
          context: CONTEXT_LINES,
          maxEditLength: MAX_EDITS,
        });
  if (patch === undefined) return { ...known, contents: "no-lines" };
  const text = formatPatch(patch, OMIT_HEADERS).replace(/\n$/u, "");
  return { ...known, contents: "lines", lines: text === "" ? [] : text.split("\n") };
}

/**
 * Counts the files and links that differ between two snapshots. Folders are not counted, because they change along with
 * their contents.
 */
export async function countChangedFiles(
  files: Pick<WorkspaceFiles, "compare">,
  before: SnapshotId,
  after: SnapshotId,
): Promise<number> {
  const changes = seenChanges(await files.compare(before, after));
  return changes.filter((change) =>
    [change.before, change.after].some((state) => state?.kind === "file" || state?.kind === "link"),
  ).length;
}

/** Counts created, deleted and changed files. A file that replaced a folder counts as changed. */
export function changedCounts(changes: readonly PathChange[]): ChangedCounts {
  let [created, deleted, changed, folders] = [0, 0, 0, 0];
  for (const { before, after } of changes) {
    if (!isFile(before) && !isFile(after)) folders += 1;
    else if (before === undefined) created += 1;
    else if (after === undefined) deleted += 1;
    else changed += 1;
  }
  return { created, deleted, changed, folders };
}

function isFile(state: FileState | undefined): boolean {
  return state !== undefined && state.kind !== "folder";
}
