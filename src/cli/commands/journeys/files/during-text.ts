import type { FilesPreview } from "../../../../machine/files/requests.ts";
import type { WorkspaceFiles } from "../../../../ports/workspace-files.ts";
import type { PathBytes, PathChange } from "../../../../record/files.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { type KeptPath, keptOutcome, keptText } from "../../../../travel/files/kept.ts";
import type { DuringPath } from "../../../../travel/files/plan-files.ts";
import type { Sign } from "../../../../travel/files/signs.ts";
import { MOST_SHOWN } from "../../../show/files/change-text.ts";
import { patchOf } from "../../../show/files/patch.ts";
import { pathDocument, shortPathText } from "../../../show/files/path-text.ts";

/** How many lines of a diff a text shows, and for how many paths. */
const MOST_LINES = 20;
const MOST_DIFFS = 20;
/** All diffs together, in characters: files that are gone or changed get one until this is used up. */
const MAX_DIFFS_LENGTH = 1024 * 1024;
/** How many commands are named. */
const MOST_COMMANDS = 3;
/** In characters; JSON has the whole line. */
const LONGEST_COMMAND = 40;

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
export async function duringChanges(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
  strings: Strings,
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
        : await diffOf(step, files, strings);
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
  strings: Strings,
): Promise<readonly string[]> {
  let text = "";
  for await (const piece of patchOf([{ path, before: after, after: before }], files, strings)) text += piece;
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => !/^(?:diff a\/|--- |\+\+\+ )/u.test(line));
}

/** A heading for each set of commands, and below it the paths with their diffs; cut with a count. */
export function duringLines(changes: readonly DuringChange[], strings: Strings): string[] {
  const { during, more } = strings.files;
  const groups = new Map<string, string[]>();
  for (const [index, { path, calls, diff = [] }] of changes.slice(0, MOST_SHOWN).entries()) {
    const commands = commandsText(calls);
    const lines = groups.get(commands) ?? [];
    groups.set(commands, lines);
    lines.push(`  ${shortPathText(path)}`);
    if (index >= MOST_DIFFS) continue;
    lines.push(...diff.slice(0, MOST_LINES).map((line) => `    ${line}`));
    if (diff.length > MOST_LINES) lines.push(`    ${during.moreLines(diff.length - MOST_LINES)}`);
  }
  const late = new Set(changes.filter(isLate).map(({ calls }) => commandsText(calls)));
  const rest = changes.length - MOST_SHOWN;
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

/** `npm test`, or several; each cut to a length that leaves room for what else there is to say. */
export function commandsText(calls: DuringPath["calls"]): string {
  const named = calls.slice(0, MOST_COMMANDS).map(({ about }) => `\`${startOf(about)}\``);
  return [...named, ...(calls.length > MOST_COMMANDS ? ["…"] : [])].join(", ");
}

function startOf(command: string): string {
  const characters = [...command];
  return characters.length <= LONGEST_COMMAND ? command : `${characters.slice(0, LONGEST_COMMAND).join("")}…`;
}

/** Why a path stays, as a person reads it. */
export function keptReason({ path, why }: KeptPath, preview: FilesPreview, strings: Strings): string {
  const signed = why === "outside" ? preview.during.find((each) => each.path === path) : undefined;
  if (signed?.sign === undefined) return keptText[why];
  return strings.files.during.kept(commandsText(signed.calls), signText(signed.sign, strings));
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

/** For JSON: everything that changed while commands ran, what points to the user, and what becomes of it. */
export function duringDocument(preview: FilesPreview, changes: readonly DuringChange[]) {
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
      ...(diff === undefined ? {} : { diff: diff.join("\n") }),
    };
  });
}
