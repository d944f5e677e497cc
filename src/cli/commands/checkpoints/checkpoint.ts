import { reachableLabel, warnOfLookalike } from "../../../app/checkpoints/find-checkpoint.ts";
import { type FilesHere, patiently, whyNotCaptured, withFiles } from "../../../app/files/files.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { chooseSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { provideSessionDeps } from "../../../app/sessions/store.ts";
import type { FilesProgress } from "../../../machine/files/requests.ts";
import { createSession, type SessionContext } from "../../../machine/open.ts";
import type { Session } from "../../../machine/session.ts";
import type { Gap, WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { type Remark, remark, remarkOf } from "../../../record/error.ts";
import type { PathChange } from "../../../record/files.ts";
import type { Seq, SessionId, SnapshotId } from "../../../record/ids.ts";
import { MAX_SHOWN } from "../../../show/change-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { atAShell, remarkText, wordingIn } from "../../../strings/wording.ts";
import { seenChanges } from "../../../travel/plan-files.ts";
import { defineCommand, optional } from "../../command.ts";
import type { Frame } from "../../frame.ts";

const NAME = "worldline checkpoint";

export const checkpoint = defineCommand({
  help: (help) => help.checkpoint,
  arguments: { label: optional() },
  run: async ({ arguments: { label: given }, frame }) => {
    const label = given === undefined ? undefined : reachableLabel(given);
    const deps = await provideSessionDeps(frame);
    const chosen = await chosenOrNew(frame, deps);
    return withFiles(frame, chosen.workspace, async (here) => {
      const hold = { context: frame, deps, session: chosen.id, name: NAME, files: here.files };
      const made = await withHeld(hold, (session) => make(frame, session, { label, here }));
      answer(frame, { ...chosen, label, ...made });
      return made.captured.state === "none" && isExpected(here) ? 1 : 0;
    });
  },
});

/**
 * Whether there should have been files. Then the exit code says that there are none, so that a script does not go on without a way back:
 * `worldline checkpoint && make`. Switched off, or in the home folder, none are expected.
 */
function isExpected(here: FilesHere): boolean {
  return here.state === "on" || (here.state === "unusable" && here.error.code !== "WORKSPACE_UNUSABLE");
}

interface Made {
  readonly number: number;
  readonly captured: Awaited<ReturnType<typeof capturedFiles>>;
}

async function make(
  frame: Frame,
  session: Session,
  { label, here }: { readonly label: string | undefined; readonly here: FilesHere },
): Promise<Made> {
  let read = 0;
  if (label !== undefined) warnOfLookalike(frame, await session.labels(), label);
  const number = await patiently(frame, (request) => {
    const onProgress = (progress: FilesProgress) => {
      request.onProgress(progress);
      if (progress.doing === "capture") read = progress.ofFiles;
    };
    return session.checkpoint(label, { ...request, onProgress });
  });
  return { number, captured: await capturedFiles(session, { here, checkpoint: number, read }) };
}

interface Answer extends Made {
  readonly id: SessionId;
  readonly began: "now" | "before";
  readonly label: string | undefined;
}

function answer({ output, strings }: Frame, { id, began, label, number, captured }: Answer): void {
  const document = {
    session: id,
    began,
    number,
    label: label ?? null,
    files: capturedDocument(captured),
  };
  output.answer(document, () =>
    [
      label === undefined
        ? strings.checkpoints.made(number, id)
        : strings.checkpoints.madeWithLabel(number, label, id),
      ...capturedText(captured, strings),
    ].join("\n"),
  );
}

interface Chosen {
  readonly id: SessionId;
  readonly workspace: string;
  readonly began: "now" | "before";
}

async function chosenOrNew(frame: Frame, deps: SessionContext): Promise<Chosen> {
  const view = await chooseSession(frame, deps.store);
  if (view !== undefined) return { id: view.id, workspace: view.header.workspace, began: "before" };
  const workspace = await frame.workspace();
  const session = await createSession(deps, { workspace, mode: "workspace" }, { name: NAME });
  await session.close();
  frame.output.notice(frame.strings.sessionsHere.created(session.id));
  return { id: session.id, workspace, began: "now" };
}

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
  | ({ readonly state: "none" } & Remark);

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
  if (here.state !== "on") return { state: "none", ...remarkOf(here.error) };
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
    case "pending":
    case "let-go":
      return { state: "none", ...(whyNotCaptured(at) ?? remark("capture-never-made")) };
    default:
      return at satisfies never;
  }
}

/** Captures may fail, and often several in a row. */
const MAX_LOOKED_AT = 20;

/** Since the checkpoint that was captured last before this one, if its files are still there. */
async function changedSince(
  session: Session,
  files: WorkspaceFiles,
  { snapshot, line }: { readonly snapshot: SnapshotId; readonly line: Seq },
): Promise<{ readonly files: number; readonly since: number } | undefined> {
  const earlier = session.outline.linesOf("snapshot").filter((each) => each < line);
  const entries = await session.entries(earlier.slice(-MAX_LOOKED_AT));
  const entry = entries.findLast((each) => each.kind === "snapshot" && each.snapshot !== undefined);
  if (entry?.kind !== "snapshot" || entry.snapshot === undefined) return undefined;
  if (!(await files.has(entry.snapshot))) return undefined;
  const changes = seenChanges(await files.compare(entry.snapshot, snapshot));
  return { files: changes.filter(isOfFile).length, since: entry.checkpoint };
}

function isOfFile({ before, after }: PathChange): boolean {
  return [before, after].some((state) => state?.kind === "file" || state?.kind === "link");
}

export function capturedText(captured: CapturedFiles, strings: Strings): string[] {
  const { files } = strings;
  if (captured.state === "none") {
    return [files.without(remarkText(strings, captured, wordingIn(strings.reasons, atAShell)))];
  }
  const { state, changed, read, gaps } = captured;
  const since = changed === undefined ? "" : files.changedFiles(changed.files, changed.since);
  if (state === "complete") return [files.captured(since === "" ? files.read(read) : since)];
  const more = gaps.length - MAX_SHOWN;
  return [
    files.capturedPartly(since, gaps.length),
    ...gaps.slice(0, MAX_SHOWN).map(({ path, why }) => files.gap(pathText(path), files.leftOut[why])),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
  ];
}

export function capturedDocument(captured: CapturedFiles) {
  if (captured.state === "none") return captured;
  const { changed = null, gaps, ...rest } = captured;
  return { ...rest, changed, gaps: gaps.map(({ path, why }) => ({ ...pathDocument(path), why })) };
}
