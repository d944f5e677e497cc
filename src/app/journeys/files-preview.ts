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
import { type FilesHere, touchedIn } from "../files/files.ts";
import { meantPaths, pathText, requireKnown } from "../files/paths.ts";
import type { FileStep, FilesMade, FilesPreviewed, KeptReason } from "./journey-types.ts";

/** For how many paths that were created or deleted there is a diff. */
const MAX_DIFFS = 20;
/** All diffs together, in characters: files that are gone or changed get one until this is used up. */
const MAX_DIFFS_LENGTH = 1024 * 1024;

/** How many commands are named. */
const MAX_COMMANDS = 3;
/** In characters; JSON has the whole line. */
const MAX_COMMAND = 40;

/** How work that takes its time reports its progress and is stopped: that differs between front ends. */
export type WithProgress = <Result>(work: (options: ProgressOptions) => Promise<Result>) => Promise<Result>;

/** What the user wants to become of the files of a journey, and where it is carried out. */
export interface FilesWork {
  readonly files: WorkspaceFiles | undefined;
  /** Of the session. */
  readonly mode: SessionBody["mode"];
  /** Paths as the user typed them; none means all. */
  readonly only?: readonly string[];
  /** For every path that was changed outside the session. */
  readonly choice?: Choice | undefined;
  /** For single paths. */
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** For single paths, by the names of an earlier preview. */
  readonly choicesByName?: ReadonlyMap<string, Choice> | undefined;
  readonly withProgress: WithProgress;
}

/** What would become of the files, and the choices that the journey must be given to do just that. */
export interface FilesLook {
  readonly chosen: FileChoices;
  readonly preview: FilesPreview;
}

type Previewer = (options: FilesPreviewOptions) => Promise<FilesPreview>;

/** Through the session where it is held, which also knows of captures that still run. */
export function previewerOf(
  { view, here }: { readonly view: SessionView; readonly here: FilesHere },
  held: Session | undefined,
): Previewer {
  if (held !== undefined) return async (options) => held.previewFiles(options);
  return async (options) => previewFiles({ view, files: here.files, ...touchedIn(here) }, options);
}

export async function lookAtFiles(
  context: AppContext,
  work: FilesWork,
  preview: (options: FileChoices & ProgressOptions) => Promise<FilesPreview>,
): Promise<FilesLook> {
  const look = async (chosen: FileChoices): Promise<FilesPreview> =>
    work.withProgress(async (progress) => preview({ ...chosen, ...progress }));
  const meant = await meantPaths(context, work.files?.folder ?? "", work.only ?? []);
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
 * Choices that need a preview: those by its names, and with "keep" all that changed while commands ran, because some of it
 * may be the user's.
 */
function choicesAfter(preview: FilesPreview, work: FilesWork): FileChoices["choices"] {
  const { mode, choice, choices, choicesByName } = work;
  if (choicesByName !== undefined && choicesByName.size > 0) return choicesByPath(preview, choicesByName);
  if (mode !== "agent" || choice !== "keep" || preview.during.length === 0) return undefined;
  return new Map([...preview.during.map(({ path }) => [path, "keep"] as const), ...(choices ?? [])]);
}

/** A journey's effect on files, with what a user needs to judge it. */
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
  known: { readonly counted?: number } & Pick<DescribedPreview, "conflicts">,
): Promise<DescribedPreview> {
  const { counted, conflicts } = known;
  // Where nothing is captured, files are shown with their sizes: no lines are counted.
  const steps =
    files === undefined
      ? await summariseChanges(preview.steps, { content: async () => new Uint8Array(0) }, 0)
      : await summariseChanges(preview.steps, files, counted);
  const during = conflicts === "expected" ? [] : await duringChanges(preview, files);
  return { preview, conflicts, during, steps: preview.through === undefined ? steps : steps.map(asNamed) };
}

/** A path that changed while commands ran and would go back, with what changed. */
export interface DuringChange extends DuringPath {
  /** Of what changed since the checkpoint; absent for folders, and where there is no room for more. */
  readonly diff?: PathDiff;
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

/** Of a file that is gone, every line is in the diff. */
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

/** Why a path stays: a sign of the user's hand is told with the commands that ran meanwhile. */
export function keptReason({ path, why }: KeptPath, { during }: Pick<FilesPreview, "during">): KeptReason {
  const signed = why === "outside" ? during.find((each) => each.path === path) : undefined;
  return signed?.sign === undefined ? { why } : { why, sign: signed.sign, calls: signed.calls };
}

/** What it names it takes back, also where nobody knows what becomes of it. */
function asNamed(step: ChangeSummary): ChangeSummary {
  const { path, kind } = step;
  return step.what === "uncovered" ? { path, what: "changed", kind } : step;
}

/** `npm test`, or several; each cut to a length that leaves room for what else there is to say. */
export function commandsText(calls: DuringPath["calls"]): string {
  const named = calls.slice(0, MAX_COMMANDS).map(({ about }) => `\`${startOf(about)}\``);
  return [...named, ...(calls.length > MAX_COMMANDS ? ["…"] : [])].join(", ");
}

function startOf(command: string): string {
  const characters = [...command];
  return characters.length <= MAX_COMMAND ? command : `${characters.slice(0, MAX_COMMAND).join("")}…`;
}

/** Beyond this many files lines are not counted: somebody waits for the list. */
const MAX_COUNTED = 200;

/** What a journey would do to the files, as the screen shows it. */
export async function filesPreviewed(
  context: AppContext,
  preview: FilesPreview,
  files: WorkspaceFiles | undefined,
): Promise<FilesPreviewed> {
  const known = { counted: MAX_COUNTED, conflicts: "open" } as const;
  const { steps, during } = await describePreview(preview, files, known);
  const { values } = await context.settings();
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
    consent: preview.deletions > values["rewind.confirmDeletes"] ? "needed" : "given",
    ...(isMoved ? { git: { was: target, now: present } } : {}),
    tracked: preview.tracked ?? "everything",
    ...(preview.through === undefined ? {} : { through: preview.through }),
  };
}

/** What goes back unless the person says otherwise, and what is kept because something points to them. */
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

/** Each heading names the commands once; inside, and among them, the order stays. */
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

/** Lines of conflicts are not counted. */
const NO_CONTENT = { content: async () => new Uint8Array(0) };

function stepTold({ path, what, kind, lines }: ChangeSummary, nameOf: PathNames): FileStep {
  return {
    path: nameOf(path),
    // What is in no snapshot is kept, and never a step.
    what: what === "uncovered" ? "changed" : what,
    kind,
    ...(lines === undefined ? {} : { added: lines.added, removed: lines.removed }),
  };
}

/** What a journey did to them. */
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

/** Names for paths, one for each: what is shown of two different ones may be the same. */
type PathNames = (path: PathBytes) => string;

/** Names for all paths of a preview. The same preview gives the same names. */
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

/** `\xff` may be one byte, or four characters: the second of two such files is told apart by a number. */
function free(text: string, given: ReadonlySet<string>): string {
  let name = text;
  for (let number = 2; given.has(name); number += 1) name = `${text} (${number})`;
  return name;
}

/** What the person chose, by the names of the preview, for the paths that they name. */
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
