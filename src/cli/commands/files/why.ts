import { lstat } from "node:fs/promises";
import { requireFiles, withFiles } from "../../../app/files/files.ts";
import { changesOf, type Moment, momentsOf, type PathMoment } from "../../../app/files/history.ts";
import { pathDocument, pathsMeant, pathText } from "../../../app/files/paths.ts";
import { openToAct, sessionsHere } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { nodePath } from "../../../disk/held-folder.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import {
  type FileState,
  folderOf,
  type LeftOut,
  type PathBytes,
  pathIn,
  pathOfText,
} from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import { leftOutText, MAX_SHOWN, modeText } from "../../../show/change-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { defineCommand, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const why = defineCommand({
  help: (help) => help.why,
  arguments: { path: required() },
  run: async ({ arguments: { path }, frame }) => {
    const workspace = await frame.workspace();
    await withFiles(frame, workspace, async (here) => {
      const files = requireFiles(here);
      const meant = await pathsMeant(frame, files.folder, path);
      answer(frame, await verdictOn(frame, files, meant));
    });
  },
});

/** The current state of a path. */
interface Verdict {
  readonly path: PathBytes;
  /**
   * "unknown": there is no snapshot yet. "new": the path exists and is newer than every snapshot. "absent": it does not
   * exist.
   */
  readonly coverage: "captured" | "left-out" | "unknown" | "new" | "absent";
  readonly state?: FileState;
  readonly leftOut?: { readonly path: PathBytes; readonly why: LeftOut };
  readonly ignored?: "yes" | "no";
  /** The newest moment, to which the verdict applies. */
  readonly asOf?: Moment;
  /** Newest first. */
  readonly changes: readonly PathMoment[];
}

async function verdictOn(frame: Frame, files: WorkspaceFiles, meant: readonly PathBytes[]): Promise<Verdict> {
  const perSession: (readonly Moment[])[] = [];
  for (const view of await sessionsMeant(frame)) perSession.push(await momentsOf(view, files));
  const newest = perSession.flat().sort((a, b) => b.at - a.at)[0];
  const path = await knownPath(files, meant, newest?.snapshot);
  const changes: PathMoment[] = [];
  for (const moments of perSession) changes.push(...(await changesOf(path, moments, files)));
  changes.sort((a, b) => b.at - a.at);
  if (newest === undefined) return { path, coverage: "unknown", changes };
  return { path, asOf: newest, changes, ...(await coverageOf(files, path, newest.snapshot)) };
}

/**
 * The sessions of the workspace, and the one that `--session` names, such as a program's, which is found in no other
 * way.
 */
async function sessionsMeant(frame: Frame): Promise<readonly SessionView[]> {
  const store = openStore(frame);
  const views = await sessionsHere(frame, store);
  const { session } = frame.common;
  if (session === undefined) return views;
  const named = await openToAct(frame, store, session);
  return [named, ...views.filter(({ id }) => id !== named.id)];
}

async function knownPath(
  files: WorkspaceFiles,
  meant: readonly PathBytes[],
  snapshot: SnapshotId | undefined,
): Promise<PathBytes> {
  for (const path of meant) {
    if (snapshot !== undefined && (await files.stateAt(snapshot, path)) !== undefined) return path;
  }
  return meant[0] ?? "";
}

async function coverageOf(
  files: WorkspaceFiles,
  path: PathBytes,
  snapshot: SnapshotId,
): Promise<Pick<Verdict, "coverage" | "state" | "leftOut" | "ignored">> {
  for (let above = path; above !== ""; above = folderOf(above)) {
    const state = await files.stateAt(snapshot, above);
    if (state?.kind === "left-out")
      return { coverage: "left-out", state, leftOut: { path: above, why: state.why } };
  }
  const state = await files.stateAt(snapshot, path);
  if (state === undefined) return { coverage: (await isThere(files, path)) ? "new" : "absent" };
  const ignored = (await files.ignoredIn(snapshot, [path])).has(path) ? "yes" : "no";
  return { coverage: "captured", state, ignored };
}

async function isThere({ folder }: WorkspaceFiles, path: PathBytes): Promise<boolean> {
  return lstat(nodePath(pathIn(pathOfText(folder), path))).then(
    () => true,
    () => false,
  );
}

function answer(frame: Frame, verdict: Verdict): void {
  const { path, coverage, state, leftOut, ignored, asOf, changes } = verdict;
  const document = {
    ...pathDocument(path),
    coverage,
    kind: state === undefined || state.kind === "left-out" ? null : state.kind,
    mode: state?.kind === "file" || state?.kind === "folder" ? modeText(state.mode) : null,
    size: state?.kind === "file" ? state.size : null,
    leftOut: leftOut === undefined ? null : { ...pathDocument(leftOut.path), why: leftOut.why },
    ignored: ignored === undefined ? null : ignored === "yes",
    asOf: asOf === undefined ? null : momentDocument(asOf),
    changes: changes.map(({ what, ...moment }) => ({ what, ...momentDocument(moment) })),
    neverCovered: frame.strings.files.neverCovered,
  };
  frame.output.answer(document, () => textOf(frame, verdict).join("\n"));
}

function momentDocument({ view, checkpoint, at, author, snapshot }: Moment) {
  const when = new Date(at).toISOString();
  return { session: view.id, checkpoint: checkpoint ?? null, at: when, author, snapshot };
}

function textOf({ strings }: Frame, { path, changes, ...verdict }: Verdict): string[] {
  const { files, time } = strings;
  const now = systemClock.now();
  const rows = changes
    .slice(0, MAX_SHOWN)
    .map(({ view, checkpoint, at, what, author }) => [
      checkpoint === undefined ? view.id : `${view.id}:${checkpoint}`,
      relativeTime(at, now, time),
      files.happened[what],
      files.authors[author],
    ]);
  const more = changes.length - MAX_SHOWN;
  return [
    `${pathText(path)}: ${coverageText(verdict, strings)}`,
    ...(verdict.ignored === "yes" ? [files.ignoredAndCaptured] : []),
    ...(rows.length === 0 ? [] : [files.changedIn, ...table(rows).map((line) => `  ${line}`)]),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
    files.neverCovered,
  ];
}

function coverageText(
  { coverage, state, leftOut }: Pick<Verdict, "coverage" | "state" | "leftOut">,
  { files }: Frame["strings"],
): string {
  if (leftOut !== undefined) {
    return files.isLeftOut(pathText(leftOut.path), leftOutText(leftOut.path, leftOut.why, files));
  }
  if (coverage !== "captured" || state === undefined) return files.coverage[coverage];
  return files.isCaptured(describe(state, files));
}

function describe(state: FileState, files: Frame["strings"]["files"]): string {
  switch (state.kind) {
    case "file":
      return files.fileOf(modeText(state.mode), state.size);
    case "folder":
      return `${files.kinds.folder} ${modeText(state.mode)}`;
    case "link":
      return files.linkTo(pathText(state.target));
    case "left-out":
      return files.leftOut[state.why];
    default:
      return state satisfies never;
  }
}
