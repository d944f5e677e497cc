import type { FilesPreview } from "../../../../machine/files/requests.ts";
import type { WorkspaceFiles } from "../../../../ports/workspace-files.ts";
import type { PathBytes, PathChange } from "../../../../record/files.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { type KeptPath, keptText } from "../../../../travel/files/kept.ts";
import type { DuringPath } from "../../../../travel/files/plan-files.ts";
import type { Sign } from "../../../../travel/files/signs.ts";
import { patchOf } from "../../../show/files/patch.ts";
import { pathDocument, pathText } from "../../../show/files/path-text.ts";

/** How many lines of a diff a text shows, and for how many paths. */
const MOST_LINES = 20;
const MOST_DIFFS = 20;
/** How many commands are named. */
const MOST_COMMANDS = 3;
/** In characters; JSON has the whole line. */
const LONGEST_COMMAND = 40;

/** A path that changed while commands ran and would go back, with what changed. */
export interface DuringChange extends DuringPath {
  /** Of what changed since the checkpoint; absent beyond the first paths. */
  readonly diff?: readonly string[];
}

/** What changed while commands ran, without anything that points to the user, and would go back. */
export async function duringChanges(
  preview: FilesPreview,
  files: Pick<WorkspaceFiles, "content"> | undefined,
  strings: Strings,
): Promise<readonly DuringChange[]> {
  const steps = new Map<PathBytes, PathChange>(preview.steps.map((step) => [step.path, step]));
  const changes: DuringChange[] = [];
  for (const each of preview.during) {
    const step = steps.get(each.path);
    if (step === undefined || each.sign !== undefined) continue;
    const isFolder = (step.before ?? step.after)?.kind === "folder";
    const isShown = files !== undefined && !isFolder && changes.length < MOST_DIFFS;
    changes.push(isShown ? { ...each, diff: await diffOf(step, files, strings) } : each);
  }
  return changes;
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

/** A heading for each set of commands, and below it the paths with their diffs. */
export function duringLines(changes: readonly DuringChange[], strings: Strings): string[] {
  const { during } = strings.files;
  const groups = new Map<string, DuringChange[]>();
  for (const change of changes) {
    const commands = commandsText(change.calls);
    groups.set(commands, [...(groups.get(commands) ?? []), change]);
  }
  return [...groups].flatMap(([commands, paths]) => [
    during.title(commands),
    ...(paths.some(({ calls }) => calls.some(({ looked }) => looked === "late")) ? [`  ${during.late}`] : []),
    ...paths.flatMap(({ path, diff = [] }) => [
      `  ${pathText(path)}`,
      ...diff.slice(0, MOST_LINES).map((line) => `    ${line}`),
      ...(diff.length > MOST_LINES ? [`    ${during.moreLines(diff.length - MOST_LINES)}`] : []),
    ]),
  ]);
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
      fate: steps.has(path) ? ("restored" as const) : ("kept" as const),
      ...(diff === undefined ? {} : { diff: diff.join("\n") }),
    };
  });
}
