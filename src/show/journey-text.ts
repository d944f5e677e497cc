import type { ListedFiles } from "../app/checkpoints/checkpoint-list.ts";
import type { NamedPlace } from "../app/checkpoints/checkpoint-rows.ts";
import type { ChangeSummary } from "../app/files/changes.ts";
import { pathDocument, shortPathText } from "../app/files/paths.ts";
import {
  commandsText,
  type DescribedPreview,
  type DuringChange,
  keptReason,
} from "../app/journeys/files-preview.ts";
import type { KeptReason } from "../app/journeys/journey-types.ts";
import type { CheckpointView } from "../machine/checkpoint-list.ts";
import type { ExternalRewindOutcome, FilesOutcome, FilesPreview } from "../machine/files/requests.ts";
import type { PathOutcome } from "../ports/workspace-files.ts";
import { reasonFields } from "../record/error.ts";
import type { PathBytes } from "../record/files.ts";
import { oneLine, visibleName } from "../record/visible-text.ts";
import { clockTime } from "../strings/clock.ts";
import type { Strings } from "../strings/strings.ts";
import { atAShell, remarkText, screenWording, wordingIn } from "../strings/wording.ts";
import { countsIn, type Sign } from "../travel/logged-files.ts";
import { type DuringPath, type KeptPath, keptOutcome, keptRemark } from "../travel/plan-files.ts";
import { changeDocument, changeLines, MAX_SHOWN } from "./change-text.ts";
import { diffLines } from "./patch.ts";

/**
 * Returns the text that lets a user recognize a checkpoint: its label and the beginning of its prompt or command, or
 * the name of the program's step before it. A checkpoint without any of these is shown with the time when it was made.
 */
export function checkpointText(
  { label, prompt, command, step, at }: Pick<CheckpointView, "label" | "prompt" | "command" | "step" | "at">,
  strings: Strings,
): string {
  const lead = command === undefined ? (step ?? prompt) : `! ${command}`;
  const known = [...(label === undefined ? [] : [`[${visibleName(label)}]`]), ...(lead ? [lead] : [])];
  return oneLine(known.length === 0 ? strings.checkpoints.atTime(clockTime(at)) : known.join(" "));
}

/** Returns the text for a place, such as `#12 find the leak` or `exec-123, step data_processing`. */
export function placeText(place: NamedPlace | undefined, strings: Strings): string {
  if (place === undefined) return strings.terminal.dialogs.tree.beginning;
  if ("execution" in place) return strings.executions.stepOf(place.execution, place.step);
  const { number, at, label, text, on } = place;
  const { after } = strings.terminal.dialogs.checkpoints;
  const prompt = text !== undefined && on === "after" ? after(text) : text;
  const known = {
    at,
    ...(label === undefined ? {} : { label }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return `#${number} ${checkpointText(known, strings)}`;
}

/** Works like `checkpointText`, but for lists, which also contain checkpoints on other branches. */
export function listedText(checkpoint: CheckpointView, strings: Strings): string {
  const text = checkpointText(checkpoint, strings);
  return checkpoint.branch === "left" ? `${text} ${strings.checkpoints.left}` : text;
}

/**
 * Returns the text about a checkpoint's files in a list, such as `captured`, `captured, 3 changes since`, or
 * `conversation only`.
 */
export function filesText({ state, changedSince }: ListedFiles, { files, phrases }: Strings): string {
  const since = changedSince === undefined || changedSince === 0 ? [] : [files.changedSince(changedSince)];
  return phrases.listed([files.states[state], ...since]);
}

/** Returns the lines that a dry run prints, and that a journey prints before it changes anything. */
export function previewLines(described: DescribedPreview, strings: Strings): string[] {
  const { preview, steps, during, conflicts } = described;
  const { files } = strings;
  const { kept, gitHead } = preview;
  return [
    ...(preview.tracked === undefined ? [] : [files.touchedOnly]),
    ...throughLines(preview, strings),
    steps.length === 0 ? files.nothingToRestore : files.wouldRestore(countsOf(steps)),
    ...changeLines(steps, strings),
    ...duringLines(during, strings),
    ...(conflicts === "expected" ? [] : conflictLines(preview, strings)),
    ...cut(
      kept.map((each) => {
        const [path, reason] = [shortPathText(each.path), keptReasonText(keptReason(each, preview), strings)];
        return isKept(each) ? files.keptPath(path, reason) : files.notRestorable(path, reason);
      }),
      files,
    ),
    ...(conflicts === "open" && kept.some(({ why }) => why === "outside") ? [`  ${files.keptHint}`] : []),
    ...(kept.some(({ why }) => why === "untracked") ? [`  ${files.through.rest}`] : []),
    ...(gitHead.target === gitHead.present || gitHead.target === undefined
      ? []
      : [files.gitMoved(gitHead.target, gitHead.present ?? files.nothing)]),
  ];
}

/** Lists only the conflicts whose paths are not kept, because a kept path is listed with its reason anyway. */
function conflictLines({ conflicts, kept }: FilesPreview, { files }: Strings): string[] {
  const keptPaths = new Set<PathBytes>(kept.map(({ path }) => path));
  const shown = conflicts.filter(({ path }) => !keptPaths.has(path));
  return cut(
    shown.map(({ path, choice }) => files.conflict(shortPathText(path), files.choices[choice])),
    files,
  );
}

function cut(lines: readonly string[], { more }: Strings["files"]): string[] {
  const rest = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN).map((line) => `  ${line}`), ...(rest > 0 ? [`  ${more(rest)}`] : [])];
}

/** Counts only files and links, as `outcomeCounts` does after the journey. */
function countsOf(steps: readonly ChangeSummary[]): { created: number; deleted: number; changed: number } {
  const counted = steps.filter(({ kind }) => kind !== "folder");
  const created = counted.filter(({ what }) => what === "created").length;
  const deleted = counted.filter(({ what }) => what === "deleted").length;
  return { created, deleted, changed: counted.length - created - deleted };
}

function isKept({ why }: KeptPath): boolean {
  return keptOutcome(why).detail === undefined;
}

/** Returns the complete preview as JSON. */
export function previewDocument({ preview, steps, during }: DescribedPreview, strings: Strings) {
  const ambiguous = new Set(during.map(({ path }) => path));
  const signs = new Map(preview.during.map(({ path, sign }) => [path, sign]));
  const { target, present, kept, conflicts, deletions, gitHead, tracked, through } = preview;
  return {
    ...(through === undefined ? {} : { through }),
    target: target ?? null,
    present: present ?? null,
    ...(tracked === undefined ? {} : { tracked }),
    // "tools": edit tools or a journey made the change. "during": the path changed while commands ran, so the change
    // may be the user's.
    steps: steps.map((step) => ({
      ...changeDocument(step),
      group: ambiguous.has(step.path) ? ("during" as const) : ("tools" as const),
    })),
    during: duringDocument(preview, during, strings),
    kept: kept.filter(isKept).map(({ path, why }) => {
      const sign = why === "outside" ? signs.get(path) : undefined;
      return {
        ...pathDocument(path),
        why,
        reason: keptRemark(why).why,
        ...(sign === undefined ? {} : { sign }),
      };
    }),
    // Paths whose content no longer exists and is not in any snapshot.
    notRestorable: kept
      .filter((each) => !isKept(each))
      .map(({ path, why }) => ({ ...pathDocument(path), why, reason: keptRemark(why).why })),
    conflicts: conflicts.map(({ path, choice, merge }) => ({ ...pathDocument(path), choice, merge })),
    deletions,
    git: { target: gitHead.target ?? null, present: gitHead.present ?? null },
  };
}

/** Number of diff lines that a message shows for a path, and number of paths whose diffs it shows. */
const MAX_LINES = 20;
const MAX_DIFFS = 20;
/**
 * Returns a heading for each set of commands, followed by the paths with their diffs. A long list is truncated, and
 * ends with the number of paths that are not shown.
 */
export function duringLines(changes: readonly DuringChange[], strings: Strings): string[] {
  const { during, more } = strings.files;
  const groups = new Map<string, string[]>();
  for (const [index, { path, calls, diff: changed }] of changes.slice(0, MAX_SHOWN).entries()) {
    const commands = commandsText(calls);
    const lines = groups.get(commands) ?? [];
    groups.set(commands, lines);
    lines.push(`  ${shortPathText(path)}`);
    if (index >= MAX_DIFFS || changed === undefined) continue;
    const diff = diffLines(changed, strings);
    lines.push(...diff.slice(0, MAX_LINES).map((line) => `    ${line}`));
    if (diff.length > MAX_LINES) lines.push(`    ${during.moreLines(diff.length - MAX_LINES)}`);
  }
  const late = new Set(changes.filter(isLate).map(({ calls }) => commandsText(calls)));
  const rest = changes.length - MAX_SHOWN;
  return [
    ...[...groups].flatMap(([commands, lines]) => [
      during.title(commands),
      ...(late.has(commands) ? [`  ${during.late}`] : []),
      ...lines,
    ]),
    ...(rest > 0 ? [`  ${more(rest)}`] : []),
  ];
}

function isLate({ calls }: DuringPath): boolean {
  return calls.some(({ looked }) => looked === "late");
}

/** Explains to the user why a path is kept. */
export function keptReasonText({ why, sign, calls = [] }: KeptReason, strings: Strings): string {
  if (sign === undefined) return remarkText(strings, keptRemark(why));
  return strings.files.during.kept(commandsText(calls), signText(sign, strings));
}

function signText(sign: Sign, { files: { signs } }: Strings): string {
  switch (sign.sign) {
    case "swap-file":
      return signs["swap-file"](sign);
    case "open-elsewhere":
      return signs["open-elsewhere"](sign);
    default:
      return signs[sign.sign]();
  }
}

/**
 * Returns the paths that changed while commands ran, as JSON. For each path, includes any sign that the user changed
 * it, and whether it is restored.
 */
function duringDocument(preview: FilesPreview, changes: readonly DuringChange[], strings: Strings) {
  const diffs = new Map(changes.map(({ path, diff }) => [path, diff]));
  const steps = new Set(preview.steps.map(({ path }) => path));
  const gone = new Set(preview.kept.filter(({ why }) => keptOutcome(why).detail).map(({ path }) => path));
  const fateOf = (path: PathBytes) =>
    steps.has(path)
      ? ("restored" as const)
      : gone.has(path)
        ? ("not-restorable" as const)
        : ("kept" as const);
  return preview.during.map(({ path, calls, sign }) => {
    const diff = diffs.get(path);
    return {
      ...pathDocument(path),
      calls: calls.map(({ call, about, looked }) => ({
        call,
        about,
        ...(looked === undefined ? {} : { looked }),
      })),
      ...(sign === undefined ? {} : { sign }),
      fate: fateOf(path),
      ...(diff === undefined ? {} : { diff: diffLines(diff, strings).join("\n") }),
    };
  });
}

/** Returns the outcome for the files: the counts, followed by every path that was not simply restored. */
export function outcomeLines(outcome: FilesOutcome, strings: Strings): string[] {
  const { files } = strings;
  const { paths, tracked } = outcome;
  const worthAWord = [
    ...paths.filter((each) => each.outcome === "failed"),
    ...paths.filter((each) => each.outcome === "kept"),
    ...paths.filter((each) => each.outcome === "restored" && each.why !== undefined),
  ];
  const rest = worthAWord.length - MAX_SHOWN;
  return [
    files.outcome(outcome),
    ...worthAWord.slice(0, MAX_SHOWN).map((each) => `  ${lineOf(each, strings)}`),
    ...(rest > 0 ? [`  ${files.more(rest)}`] : []),
    ...(tracked === undefined ? [] : [files.touchedOnly]),
    ...throughEnd(outcome, strings, wordingIn(strings.reasons, atAShell)),
  ];
}

function lineOf({ path, outcome, detail, why, reason, params }: PathOutcome, strings: Strings): string {
  const { files } = strings;
  const said = why === undefined ? "" : remarkText(strings, { why, reason, params });
  return files.pathOutcome(files.outcomes[detail ?? outcome], shortPathText(path), said);
}

/** Returns the complete outcome as JSON. */
export function outcomeDocument({ paths, tracked, through, ...counts }: FilesOutcome) {
  return {
    ...(through === undefined ? {} : { through: throughDocument(through) }),
    ...(tracked === undefined ? {} : { tracked }),
    ...countsIn(counts),
    paths: paths.map(({ path, outcome, detail, why, reason, params }) => ({
      ...pathDocument(path),
      outcome: detail ?? outcome,
      ...(why === undefined ? {} : { why, ...reasonFields({ reason, params }) }),
    })),
  };
}

/** Names the agent that restores the files in place of Worldline's snapshots, and lists what it cannot restore. */
function throughLines({ through }: FilesPreview, { files }: Strings): string[] {
  if (through === undefined) return [];
  const { by, limits, noUndo } = files.through;
  return [
    by(through.name),
    ...through.limits.map((limit) => `  ${limits[limit]}`),
    ...(through.undo === "captured" ? [] : [noUndo]),
  ];
}

/** Explains why the other agent's restore failed, how to restore the rest, and whether the restore is irreversible. */
export function throughEnd(
  { through, kept }: Pick<FilesOutcome, "through" | "kept">,
  strings: Strings,
  { message, hint } = screenWording(strings),
): string[] {
  if (through === undefined) return [];
  const { files } = strings;
  const { trouble, undo } = through;
  return [
    ...(trouble === undefined ? [] : [`${message(trouble)} ${hint(trouble)}`.trim()]),
    ...(kept === 0 ? [] : [files.through.rest]),
    ...(undo === "captured" ? [] : [files.through.noUndo]),
  ];
}

function throughDocument({ name, undo, trouble }: ExternalRewindOutcome) {
  return {
    name,
    undo,
    ...(trouble === undefined
      ? {}
      : { trouble: { code: trouble.code, message: trouble.message, hint: trouble.hint ?? null } }),
  };
}
