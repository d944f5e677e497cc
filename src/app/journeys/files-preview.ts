import { previewFiles } from "../../machine/files/preview.ts";
import type {
  FileChoices,
  FilesOutcome,
  FilesPreview,
  FilesPreviewOptions,
  ProgressOptions,
} from "../../machine/files/requests.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Choice, SessionBody } from "../../record/entry.ts";
import { reasonFields, WorldlineError } from "../../record/error.ts";
import type { PathBytes, PathChange } from "../../record/files.ts";
import { outcomeCounts } from "../../travel/logged-files.ts";
import { type DuringPath, type KeptPath, keptOutcome } from "../../travel/plan-files.ts";
import type { AppContext } from "../context.ts";
import { type ChangeSummary, diffOf, type PathDiff, summariseChanges } from "../files/changes.ts";
import { type OpenedFiles, patiently, touchedIn } from "../files/files.ts";
import { meantPaths, pathText, requireKnown } from "../files/paths.ts";
import type { FileStep, FilesMade, FilesPreviewed, KeptReason } from "./journey-types.ts";

/** The maximum number of deletions that are shown with a diff. */
const MAX_DIFFS = 20;
/** The maximum total length of all diffs, in characters. */
const MAX_DIFFS_LENGTH = 1024 * 1024;

/** The maximum number of commands that a message lists. */
const MAX_COMMANDS = 3;
/** The maximum length of a command in a message, in characters; JSON has the complete command. */
const MAX_COMMAND = 40;

/** Runs slow work so that the front end can show its progress and cancel it. */
export type WithProgress = <Result>(work: (options: ProgressOptions) => Promise<Result>) => Promise<Result>;

/** The user's options for a journey's files. */
export interface FilesOptions {
  /** Paths as the user typed them. An empty list means all paths. */
  readonly only?: readonly string[] | undefined;
  /** The choice for every path that was changed outside the session. */
  readonly choice?: Choice | undefined;
  /** In a described preview, the maximum number of files whose lines are counted; by default, a few hundred. */
  readonly counted?: number | undefined;
}

/** The options for a journey's files, and everything needed to preview the journey. */
export interface FilesWork extends FilesOptions {
  readonly files: WorkspaceFiles | undefined;
  /** The session's mode. */
  readonly mode: SessionBody["mode"];
  /** Choices for individual paths. */
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** Choices for individual paths, by their names in an earlier preview. */
  readonly choicesByName?: ReadonlyMap<string, Choice> | undefined;
  readonly withProgress: WithProgress;
}

/** The effect of a journey on the files, and the choices that give the journey exactly this effect. */
export interface FilesLook {
  readonly chosen: FileChoices;
  readonly preview: FilesPreview;
}

/** Returns the options for a front end that shows progress and cancels through the context. */
export function filesWork(
  context: AppContext,
  place: Pick<FilesWork, "files" | "mode">,
  { only, choice, counted }: FilesOptions,
): FilesWork {
  return {
    ...place,
    only,
    choice,
    counted,
    withProgress: (work) => patiently(context, work),
  };
}

type Previewer = (options: FilesPreviewOptions) => Promise<FilesPreview>;

/**
 * Previews through the session if this process holds it, because the session keeps track of captures that are still
 * running.
 */
export function previewerOf(
  { view, workspaceFiles }: { readonly view: SessionView; readonly workspaceFiles: OpenedFiles },
  held: Session | undefined,
): Previewer {
  if (held !== undefined) return async (options) => held.previewFiles(options);
  return async (options) =>
    previewFiles({ view, files: workspaceFiles.files, ...touchedIn(workspaceFiles) }, options);
}

export async function lookAtFiles(
  context: AppContext,
  work: FilesWork,
  preview: (options: FileChoices & ProgressOptions) => Promise<FilesPreview>,
): Promise<FilesLook> {
  const look = async (chosen: FileChoices): Promise<FilesPreview> =>
    work.withProgress(async (progress) => preview({ ...chosen, ...progress }));
  const folder = work.files?.folder ?? (await context.workspace());
  const meant = await meantPaths(context, folder, work.only ?? []);
  const given: FileChoices = {
    ...(meant.length === 0 ? {} : { only: meant.flatMap(({ paths }) => paths) }),
    ...(work.choice === undefined ? {} : { choice: work.choice }),
    ...(work.choices === undefined ? {} : { choices: work.choices }),
  };
  const first = await look(given);
  const choices = choicesAfter(first, work);
  const chosen = choices === undefined ? given : { ...given, choices };
  const found = choices === undefined ? first : await look(chosen);
  const snapshots = [found.target, found.present].filter((id) => id !== undefined);
  if (work.files !== undefined) await requireKnown(meant, { files: work.files, snapshots });
  return { chosen, preview: found };
}

/**
 * Returns the choices that require a preview. These are the choices that use names from the preview. If the user chose
 * "keep", there is also a choice for every path that changed while commands ran, because the user may have changed that
 * path.
 */
function choicesAfter(preview: FilesPreview, work: FilesWork): FileChoices["choices"] {
  const { mode, choice, choices, choicesByName } = work;
  if (choicesByName !== undefined && choicesByName.size > 0) return choicesByPath(preview, choicesByName);
  if (mode !== "agent" || choice !== "keep" || preview.during.length === 0) return undefined;
  return new Map([...preview.during.map(({ path }) => [path, "keep"] as const), ...(choices ?? [])]);
}

/** A preview of a journey's files, with everything that users need to judge it. */
export interface DescribedPreview {
  readonly preview: FilesPreview;
  /** The changes, path by path. */
  readonly steps: readonly ChangeSummary[];
  /** The changes among `steps` that were made while commands ran, with their diffs. */
  readonly during: readonly DuringChange[];
  /**
   * "expected": in the workspace's own session, the user made all changes and knows about them. "open": the user has
   * not chosen how to resolve the conflicts.
   */
  readonly conflicts: "decided" | "open" | "expected";
}

/** A described preview, and the choices that produce exactly this preview. */
export interface DescribedFiles extends DescribedPreview {
  readonly chosen: FileChoices;
  /** "needed": the journey deletes more than `rewind.confirmDeletes` allows without asking. */
  readonly consent: "needed" | "given";
}

export async function describeFiles(
  context: AppContext,
  { files, mode, choice, choices, counted }: FilesWork,
  { preview, chosen }: FilesLook,
): Promise<DescribedFiles> {
  const isOpen = choice === undefined && choices === undefined;
  const conflicts = mode !== "agent" ? "expected" : isOpen ? "open" : "decided";
  return {
    ...(await describePreview(preview, files, { counted, conflicts })),
    chosen,
    consent: await consentTo(context, preview),
  };
}

async function consentTo(
  context: AppContext,
  { deletions }: FilesPreview,
): Promise<DescribedFiles["consent"]> {
  const { values } = await context.settings();
  return deletions > values["rewind.confirmDeletes"] ? "needed" : "given";
}

export async function describePreview(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
  known: Pick<FilesOptions, "counted"> & Pick<DescribedPreview, "conflicts">,
): Promise<DescribedPreview> {
  const { counted, conflicts } = known;
  // Without captured files, the list shows sizes instead of line counts.
  const steps =
    files === undefined
      ? await summariseChanges(preview.steps, { content: async () => new Uint8Array(0) }, 0)
      : await summariseChanges(preview.steps, files, counted);
  const during = conflicts === "expected" ? [] : await duringChanges(preview, files);
  return { preview, conflicts, during, steps: preview.through === undefined ? steps : steps.map(asNamed) };
}

/** A path that changed while commands ran and would be restored, with its change. */
export interface DuringChange extends DuringPath {
  /** The change since the checkpoint; absent for folders, and once the limit for all diffs is reached. */
  readonly diff?: PathDiff;
}

interface Going {
  readonly each: DuringPath;
  readonly step: PathChange;
}

/**
 * Returns the paths that changed while commands ran and would be restored, because there is no sign that the user
 * changed them. Paths that exist in the checkpoint come first, because restoring one could discard the user's edits.
 * New paths come next, and folders come last.
 */
async function duringChanges(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
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
    const isDiffed = rank === 0 || (rank === 1 && changes.length < MAX_DIFFS);
    const diff =
      files === undefined || !isDiffed || isTooLong(step, room)
        ? undefined
        : await diffOf({ ...step, before: step.after, after: step.before }, files);
    const length = lengthOf(diff);
    const fits = diff !== undefined && length <= room;
    changes.push(fits ? { ...each, diff } : each);
    if (fits) room -= length;
  }
  return changes;
}

/** Checks whether a diff is too long to be shown. The diff of a deleted file contains all of its lines. */
function isTooLong({ before, after }: PathChange, room: number): boolean {
  return room <= 0 || (before === undefined && after?.kind === "file" && after.size > room);
}

function rankOf({ before, after }: PathChange): 0 | 1 | 2 {
  if ((before ?? after)?.kind === "folder") return 2;
  return after === undefined ? 1 : 0;
}

function lengthOf(diff: PathDiff | undefined): number {
  return diff?.lines?.reduce((sum, line) => sum + line.length + 1, 0) ?? 0;
}

/**
 * Returns the reason why a path is kept. If there is a sign that the user changed it, the reason includes the commands
 * that ran at that time.
 */
export function keptReason({ path, why }: KeptPath, { during }: Pick<FilesPreview, "during">): KeptReason {
  const signed = why === "outside" ? during.find((each) => each.path === path) : undefined;
  return signed?.sign === undefined ? { why } : { why, sign: signed.sign, calls: signed.calls };
}

/** Shows an uncovered path as changed, because a step restores its path even if no snapshot covers the path. */
function asNamed(step: ChangeSummary): ChangeSummary {
  const { path, kind } = step;
  return step.what === "uncovered" ? { path, what: "changed", kind } : step;
}

/** Lists commands, such as `npm test`. Each command is shortened to leave room for the rest of the line. */
export function commandsText(calls: DuringPath["calls"]): string {
  const named = calls.slice(0, MAX_COMMANDS).map(({ about }) => `\`${startOf(about)}\``);
  return [...named, ...(calls.length > MAX_COMMANDS ? ["…"] : [])].join(", ");
}

function startOf(command: string): string {
  const characters = [...command];
  return characters.length <= MAX_COMMAND ? command : `${characters.slice(0, MAX_COMMAND).join("")}…`;
}

/** Maximum number of files whose lines are counted. The number is limited because the user is waiting for the list. */
const MAX_COUNTED = 200;

/** Returns the preview of a journey's files, in the form that the screen shows. */
export async function filesPreviewed(
  context: AppContext,
  preview: FilesPreview,
  files: WorkspaceFiles | undefined,
): Promise<FilesPreviewed> {
  const known = { counted: MAX_COUNTED, conflicts: "open" } as const;
  const { steps, during } = await describePreview(preview, files, known);
  const nameOf = namesIn(preview);
  const { target, present } = preview.gitHead;
  const isMoved = target !== undefined && target !== present;
  return {
    steps: steps.map((step) => stepTold(step, nameOf)),
    conflicts: await conflictsTold(preview, nameOf),
    kept: preview.kept.map((each) => ({
      path: nameOf(each.path),
      fate: keptOutcome(each.why).detail ?? "kept",
      why: keptReason(each, preview),
    })),
    during: duringTold(preview, { during, nameOf }),
    deletions: steps.filter(({ what, kind }) => what === "deleted" && kind !== "folder").length,
    consent: await consentTo(context, preview),
    ...(isMoved ? { git: { was: target, now: present } } : {}),
    tracked: preview.tracked ?? "everything",
    ...(preview.through === undefined ? {} : { through: preview.through }),
  };
}

/**
 * Returns the paths that are restored by default, followed by the paths that are kept because there is a sign that the
 * user changed them.
 */
function duringTold(
  preview: FilesPreview,
  known: {
    readonly during: readonly DuringChange[];
    readonly nameOf: PathNames;
  },
): FilesPreviewed["during"] {
  const { during, nameOf } = known;
  const diffs = new Map(during.map(({ path, diff }) => [path, diff]));
  const going = new Set(during.map(({ path }) => path));
  const staying = preview.during.filter(({ path }) => !going.has(path));
  return [...groupedByCommands(during), ...staying].map((each) => {
    const { path, calls, sign } = each;
    const diff = diffs.get(path);
    return {
      path: nameOf(path),
      commands: commandsText(calls),
      ...(sign === undefined ? {} : { kept: keptReason({ path, why: "outside" }, preview) }),
      ...(diff === undefined ? {} : { diff }),
    };
  });
}

/**
 * Groups changes by the commands that ran at the time, so that a heading can name the commands once. Groups and changes
 * keep their order.
 */
function groupedByCommands(during: readonly DuringChange[]): readonly DuringChange[] {
  const groups = new Map<string, DuringChange[]>();
  for (const change of during) {
    const commands = commandsText(change.calls);
    const group = groups.get(commands);
    if (group === undefined) groups.set(commands, [change]);
    else group.push(change);
  }
  return [...groups.values()].flat();
}

async function conflictsTold(
  { conflicts }: FilesPreview,
  nameOf: PathNames,
): Promise<FilesPreviewed["conflicts"]> {
  const summaries = await summariseChanges(conflicts, NO_CONTENT, 0);
  return summaries.map((summary, index) => {
    const { path, what, kind } = stepTold(summary, nameOf);
    const { choice = "keep", merge = "unclean" } = conflicts[index] ?? {};
    return { path, what, kind, choice, merge };
  });
}

/** Conflicts are shown without line counts, so their contents are not read. */
const NO_CONTENT = { content: async () => new Uint8Array(0) };

function stepTold({ path, what, kind, lines }: ChangeSummary, nameOf: PathNames): FileStep {
  return {
    path: nameOf(path),
    // A path that no snapshot covers is kept, so a restore never includes a step for it.
    what: what === "uncovered" ? "changed" : what,
    kind,
    ...(lines === undefined ? {} : { added: lines.added, removed: lines.removed }),
  };
}

/** Returns a journey's outcome for the files, in the form that the screen shows. */
export function filesMade(outcome: FilesOutcome): FilesMade {
  const unrestored = outcome.paths.flatMap(({ path, outcome: fate, detail, why = "", reason, params }) => {
    if (fate === "restored") return [];
    return [
      {
        path: pathText(path),
        outcome: detail === "not-restorable" ? detail : fate,
        why,
        ...reasonFields({ reason, params }),
      },
    ];
  });
  const { through } = outcome;
  return { ...outcomeCounts(outcome.paths), unrestored, ...(through === undefined ? {} : { through }) };
}

/** Returns a unique name for each path, because two different paths may look the same when shown. */
type PathNames = (path: PathBytes) => string;

/** Gives each path in a preview a unique name. The same preview always results in the same names. */
function namesIn({ changes, steps, kept, conflicts }: FilesPreview): PathNames {
  const names = new Map<PathBytes, string>();
  const given = new Set<string>();
  const paths = [changes, steps, kept, conflicts].flatMap((each) => each.map(({ path }) => path));
  for (const path of [...new Set(paths)].sort()) {
    const name = free(pathText(path), given);
    names.set(path, name);
    given.add(name);
  }
  return (path) => names.get(path) ?? pathText(path);
}

/**
 * Returns a name that is not taken. `\xff` can mean one byte or four characters, so if two files look the same, the
 * second one gets a number.
 */
function free(text: string, given: ReadonlySet<string>): string {
  let name = text;
  for (let number = 2; given.has(name); number += 1) name = `${text} (${number})`;
  return name;
}

/** Maps the user's choices from names in the preview to paths. */
function choicesByPath(
  preview: FilesPreview,
  choices: ReadonlyMap<string, Choice>,
): ReadonlyMap<PathBytes, Choice> {
  const nameOf = namesIn(preview);
  const choosable = [...preview.conflicts, ...preview.during];
  const paths = new Map(choosable.map(({ path }) => [nameOf(path), path]));
  const chosen = new Map<PathBytes, Choice>();
  for (const [name, choice] of choices) {
    const path = paths.get(name);
    if (path === undefined) throw new WorldlineError("conflict-gone", { name });
    chosen.set(path, choice);
  }
  return chosen;
}
