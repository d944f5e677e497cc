import type { FilesHere } from "../../../app/files/files.ts";
import { pathDocument, pathText } from "../../../app/files/path-text.ts";
import type { Session } from "../../../machine/session.ts";
import type { Gap, WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { PathChange } from "../../../record/files.ts";
import type { Seq, SnapshotId } from "../../../record/ids.ts";
import { MOST_SHOWN } from "../../../show/files/change-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { seenChanges } from "../../../travel/files/covered.ts";

/** What came of capturing a checkpoint's files. */
export type CapturedFiles =
  | {
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** How many files had to be read for it: all of them, when the workspace was never captured before. */
      readonly read: number;
      /** How many files, links included, are not as they were at an earlier checkpoint, where there is one. */
      readonly changed?: { readonly files: number; readonly since: number };
      /** What made it partial. */
      readonly gaps: readonly Gap[];
    }
  | { readonly state: "none"; readonly why: string };

export interface Captured {
  readonly here: FilesHere;
  readonly checkpoint: number;
  readonly read: number;
}

/** Costs what has changed, not what there is. */
export async function capturedFiles(
  session: Session,
  { here, checkpoint, read }: Captured,
): Promise<CapturedFiles> {
  if (here.state !== "on") return { state: "none", why: here.why };
  const at = await session.filesAt(checkpoint);
  switch (at.state) {
    case "complete":
    case "partial": {
      const { state, snapshot, line } = at;
      const gaps = state === "partial" ? await here.files.gaps(snapshot) : [];
      const changed = await changedSince(session, here.files, { snapshot, line });
      return { state, snapshot, read, ...(changed === undefined ? {} : { changed }), gaps };
    }
    case "none":
      return { state: "none", why: at.why };
    case "pending":
    case "let-go":
      return { state: "none", why: "they were not captured." };
    default:
      return at satisfies never;
  }
}

/** Captures may fail, and often several in a row. */
const MOST_LOOKED_AT = 20;

/** Since the checkpoint that was captured last before this one, if its files are still there. */
async function changedSince(
  session: Session,
  files: WorkspaceFiles,
  { snapshot, line }: { readonly snapshot: SnapshotId; readonly line: Seq },
): Promise<{ readonly files: number; readonly since: number } | undefined> {
  const earlier = session.outline.linesOf("snapshot").filter((each) => each < line);
  const entries = await session.entries(earlier.slice(-MOST_LOOKED_AT));
  const entry = entries.findLast((each) => each.kind === "snapshot" && each.snapshot !== undefined);
  if (entry?.kind !== "snapshot" || entry.snapshot === undefined) return undefined;
  if (!(await files.has(entry.snapshot))) return undefined;
  const changes = seenChanges(await files.compare(entry.snapshot, snapshot));
  return { files: changes.filter(isOfFile).length, since: entry.checkpoint };
}

function isOfFile({ before, after }: PathChange): boolean {
  return [before, after].some((state) => state?.kind === "file" || state?.kind === "link");
}

export function capturedText(captured: CapturedFiles, { files }: Strings): string[] {
  if (captured.state === "none") return [files.without(captured.why)];
  const { state, changed, read, gaps } = captured;
  const since = changed === undefined ? "" : files.changedFiles(changed.files, changed.since);
  if (state === "complete") return [files.captured(since === "" ? files.read(read) : since)];
  const more = gaps.length - MOST_SHOWN;
  return [
    files.capturedPartly(since, gaps.length),
    ...gaps.slice(0, MOST_SHOWN).map(({ path, why }) => files.gap(pathText(path), files.leftOut[why])),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
  ];
}

export function capturedDocument(captured: CapturedFiles) {
  if (captured.state === "none") return captured;
  const { changed = null, gaps, ...rest } = captured;
  return { ...rest, changed, gaps: gaps.map(({ path, why }) => ({ ...pathDocument(path), why })) };
}
