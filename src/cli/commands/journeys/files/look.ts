import type { Patience } from "../../../../app/files/patiently.ts";
import { patiently } from "../../../../app/files/patiently.ts";
import { type DescribedPreview, describePreview } from "../../../../app/journeys/described-preview.ts";
import { meantPaths, requireKnown } from "../../../../app/journeys/only.ts";
import type { FilesOutcome, FilesPreview, FilesWish } from "../../../../machine/files/requests.ts";
import type { WorkspaceFiles } from "../../../../ports/workspace-files.ts";
import type { Choice, SessionBody } from "../../../../record/entry.ts";
import type { PathBytes } from "../../../../record/files.ts";
import { appWords } from "../../../../show/app-words.ts";
import { MOST_SHOWN } from "../../../../show/files/change-text.ts";
import { outcomeDocument } from "../../../../show/files/outcome-text.ts";
import { previewDocument, previewLines } from "../../../../show/files/preview-text.ts";
import type { Frame } from "../../../command/frame.ts";
import { askConflicts, askDuring } from "./ask-conflicts.ts";
import { requireDeletionConsent } from "./consent.ts";

/** What a journey's work on files needs to know of the command line. */
export interface FilesWork {
  readonly files: WorkspaceFiles | undefined;
  /** Of the session. */
  readonly mode: SessionBody["mode"];
  readonly only: readonly string[];
  readonly choice: Choice | undefined;
  /** For single paths. */
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** Does work that takes its time: with a line of progress, and stopped by Ctrl-C where it can be. */
  patiently<Result>(work: (wish: Patience) => Promise<Result>): Promise<Result>;
}

export function filesWork(frame: Frame, known: Omit<FilesWork, "patiently">): FilesWork {
  return { ...known, patiently: (work) => patiently(frame, work) };
}

export interface Looked {
  /** For the journey itself, so that it does what was shown. */
  readonly wish: FilesWish;
  readonly described: DescribedPreview;
}

/** Looks at what would happen to the files. */
export async function lookAtFiles(
  frame: Frame,
  work: FilesWork,
  preview: (wish: FilesWish & Patience) => Promise<FilesPreview>,
): Promise<Looked> {
  const meant = await meantPaths(frame, work.files?.folder ?? "", work.only);
  const wish: FilesWish = {
    ...(meant.length === 0 ? {} : { only: meant.flatMap(({ paths }) => paths) }),
    ...(work.choice === undefined ? {} : { choice: work.choice }),
    ...(work.choices === undefined ? {} : { choices: work.choices }),
  };
  const first = await work.patiently((patience) => preview({ ...wish, ...patience }));
  const kept = keptDuring(work, first);
  const found =
    kept === undefined
      ? first
      : await work.patiently((patience) => preview({ ...wish, choices: kept, ...patience }));
  const isOpen = work.choice === undefined && work.choices === undefined;
  const conflicts = work.mode !== "agent" ? "expected" : isOpen ? "open" : "decided";
  const snapshots = [found.target, found.present].filter((id) => id !== undefined);
  if (work.files !== undefined) await requireKnown(meant, { files: work.files, snapshots });
  const counted = frame.output.mode === "json" ? {} : { counted: MOST_SHOWN };
  return {
    wish: kept === undefined ? wish : { ...wish, choices: kept },
    described: await describePreview(found, work.files, {
      ...counted,
      conflicts,
      words: appWords(() => frame.strings),
    }),
  };
}

/** With `--keep` what changed while commands ran stays too: some of it may be the user's. */
function keptDuring(work: FilesWork, { during }: FilesPreview): FilesWork["choices"] {
  if (work.mode !== "agent" || work.choice !== "keep" || during.length === 0) return undefined;
  return new Map([...during.map(({ path }) => [path, "keep"] as const), ...(work.choices ?? [])]);
}

/** The same before a journey is made: what may be the user's is asked about, where there is somebody to ask. */
export async function lookAndAsk(
  frame: Frame,
  work: FilesWork,
  { yes, preview }: { readonly yes: "given" | "absent"; readonly preview: Parameters<typeof lookAtFiles>[2] },
): Promise<Looked> {
  const looked = await lookAtFiles(frame, work, preview);
  if (yes === "given") return looked;
  const conflicts = await askConflicts(frame, work, looked.described.preview);
  const during = await askDuring(frame, work, looked.described);
  if (conflicts === undefined && during === undefined) return looked;
  const choices = new Map([...(conflicts ?? []), ...(during ?? [])]);
  return lookAtFiles(frame, { ...work, choices }, preview);
}

/** Shows it before it is done, and asks where that is called for. */
export async function showFiles(frame: Frame, { described }: Looked, yes: "given" | "absent"): Promise<void> {
  if (frame.output.mode === "text") {
    for (const line of previewLines(described, frame.strings)) frame.output.notice(line);
  }
  await requireDeletionConsent(frame, described.preview, yes);
}

/** What a journey would do to the files, and what became of them; null where it had nothing to do with them. */
export function filesDocument(described: DescribedPreview | undefined, outcome: FilesOutcome | undefined) {
  if (described === undefined) return null;
  return {
    ...previewDocument(described),
    ...(outcome === undefined ? {} : { outcome: outcomeDocument(outcome) }),
  };
}
