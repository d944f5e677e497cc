import type { FilesPreview } from "../../machine/files/requests.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { PathBytes, PathChange } from "../../record/files.ts";
import type { DuringPath } from "../../travel/plan-files.ts";
import { type ChangeSummary, summariseChanges } from "../files/change-summary.ts";
import type { AppWords } from "../words.ts";

/** For how many paths that were created or deleted there is a diff. */
const MOST_DIFFS = 20;
/** All diffs together, in characters: files that are gone or changed get one until this is used up. */
const MAX_DIFFS_LENGTH = 1024 * 1024;

/** How many commands are named. */
const MOST_COMMANDS = 3;
/** In characters; JSON has the whole line. */
const LONGEST_COMMAND = 40;

/** A journey's effect on files, with what a person needs to judge it. */
export interface DescribedPreview {
  readonly preview: FilesPreview;
  /** What would be done, path by path. */
  readonly steps: readonly ChangeSummary[];
  /** Of these, what changed while commands ran, with its diff. */
  readonly during: readonly DuringChange[];
  /**
   * "expected": in the workspace's own session everything was changed by the person, who knows. "open": nobody has said
   * what becomes of them.
   */
  readonly conflicts: "decided" | "open" | "expected";
}

export async function describePreview(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
  known: { readonly counted?: number; readonly words: Pick<AppWords, "patch"> } & Pick<
    DescribedPreview,
    "conflicts"
  >,
): Promise<DescribedPreview> {
  const { counted, conflicts, words } = known;
  // Where nothing is captured, files are shown with their sizes: no lines are counted.
  const steps =
    files === undefined
      ? await summariseChanges(preview.steps, { content: async () => new Uint8Array(0) }, 0)
      : await summariseChanges(preview.steps, files, counted);
  const during = conflicts === "expected" ? [] : await duringChanges(preview, files, words);
  return { preview, conflicts, during, steps: preview.through === undefined ? steps : steps.map(asNamed) };
}

/** A path that changed while commands ran and would go back, with what changed. */
export interface DuringChange extends DuringPath {
  /** Of what changed since the checkpoint; absent for folders, and where there is no room for more. */
  readonly diff?: readonly string[];
}

interface Going {
  readonly each: DuringPath;
  readonly step: PathChange;
}

/**
 * What changed while commands ran, without anything that points to the user, and would go back. What the checkpoint has comes
 * first, changed or gone since: an edit of the user's would be lost there. Then what is new, and folders last.
 */
async function duringChanges(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
  words: Pick<AppWords, "patch">,
): Promise<readonly DuringChange[]> {
  const steps = new Map<PathBytes, PathChange>(preview.steps.map((step) => [step.path, step]));
  const going = preview.during.flatMap((each): Going[] => {
    const step = steps.get(each.path);
    return step === undefined || each.sign !== undefined ? [] : [{ each, step }];
  });
  const changes: DuringChange[] = [];
  let room = MAX_DIFFS_LENGTH;
  for (const { each, step } of going.sort((a, b) => rankOf(a.step) - rankOf(b.step))) {
    const rank = rankOf(step);
    const isDiffed = rank === 0 || (rank === 1 && changes.length < MOST_DIFFS);
    const diff =
      files === undefined || !isDiffed || isTooLong(step, room)
        ? undefined
        : await diffOf(step, files, words);
    const length = diff?.reduce((sum, line) => sum + line.length + 1, 0) ?? 0;
    const fits = diff !== undefined && length <= room;
    changes.push(fits ? { ...each, diff } : each);
    if (fits) room -= length;
  }
  return changes;
}

/** Of a file that is gone, every line is in the diff. */
function isTooLong({ before, after }: PathChange, room: number): boolean {
  return room <= 0 || (before === undefined && after?.kind === "file" && after.size > room);
}

function rankOf({ before, after }: PathChange): 0 | 1 | 2 {
  if ((before ?? after)?.kind === "folder") return 2;
  return after === undefined ? 1 : 0;
}

/** From the checkpoint to now: what going back would undo. Without the lines that only name the file. */
async function diffOf(
  { path, before, after }: PathChange,
  files: Pick<WorkspaceFiles, "content">,
  words: Pick<AppWords, "patch">,
): Promise<readonly string[]> {
  let text = "";
  for await (const piece of words.patch([{ path, before: after, after: before }], files)) text += piece;
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => !/^(?:diff a\/|--- |\+\+\+ )/u.test(line));
}

/** What it names it takes back, also where nobody knows what becomes of it. */
function asNamed(step: ChangeSummary): ChangeSummary {
  const { path, kind } = step;
  return step.what === "uncovered" ? { path, what: "changed", kind } : step;
}

/** `npm test`, or several; each cut to a length that leaves room for what else there is to say. */
export function commandsText(calls: DuringPath["calls"]): string {
  const named = calls.slice(0, MOST_COMMANDS).map(({ about }) => `\`${startOf(about)}\``);
  return [...named, ...(calls.length > MOST_COMMANDS ? ["…"] : [])].join(", ");
}

function startOf(command: string): string {
  const characters = [...command];
  return characters.length <= LONGEST_COMMAND ? command : `${characters.slice(0, LONGEST_COMMAND).join("")}…`;
}
