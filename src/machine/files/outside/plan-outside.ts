import { isAbsolute, relative, sep } from "node:path";
import type { Choice } from "../../../record/entry.ts";
import { type FileState, isWithin, type PathBytes, pathOfText } from "../../../record/files.ts";
import type { ObjectHash } from "../../../record/ids.ts";
import {
  isOutsideFile,
  isSameOutside,
  type OutsideChange,
  type OutsideState,
} from "../../../record/outside.ts";
import { type FilesPlan, type OutsideEdit, planFiles } from "../../../travel/files/plan-files.ts";
import type { SessionView } from "../../view.ts";
import type { FilesWish } from "../requests.ts";
import { changesBehind } from "./history.ts";
import { lookAtPath, stateOf } from "./look-at-path.ts";

/** What would become of files where no snapshot reaches. Nothing has happened yet. */
export interface OutsidePlan {
  /** As for the workspace's files; paths are absolute. */
  readonly files: FilesPlan;
  /** The same steps, as the log has them: from what is there to what is to be there. */
  readonly steps: readonly OutsideChange[];
}

export interface OutsideRequest {
  /** Where files are to go: to how they were before the first change behind this line. */
  readonly line: number;
  readonly wish: FilesWish;
  /** What is done with what somebody else changed, where the wish says nothing. */
  readonly choice: Choice;
}

/** Reads the log and the files, and changes nothing. */
export async function lookOutside(view: SessionView, request: OutsideRequest): Promise<OutsidePlan> {
  const { line, wish, choice } = request;
  const ways = waysOf(await changesBehind(view, line));
  // A path that something was forgotten of is none any more.
  const asked = [...ways].filter(
    ([path]) => isAbsolute(path) && isAskedFor(path, view.header.workspace, wish.only),
  );
  const known: Known[] = [];
  for (const [path, changes] of asked) {
    const look = await lookAtPath(path);
    known.push({
      path,
      changes,
      now: stateOf(look),
      way: look.there === "elsewhere" ? "elsewhere" : "plain",
    });
  }
  return planOutside(known, { choice: wish.choice ?? choice, choices: wish.choices });
}

/** One path: what the timeline did to it since, at least once, and what is there now. */
interface Known {
  readonly path: string;
  readonly changes: readonly OutsideChange[];
  readonly now: OutsideState | undefined;
  readonly way: "plain" | "elsewhere";
}

/** Decides what becomes of each path. Pure: same arguments, same plan. */
function planOutside(
  known: readonly Known[],
  { choice, choices }: { readonly choice: Choice; readonly choices?: FilesWish["choices"] },
): OutsidePlan {
  const stepsByPath = new Map(
    known.map(({ path, changes, now }) => [pathOfText(path), stepOf(path, now, changes[0]?.before)]),
  );
  const elsewhere = new Set(
    known.filter(({ way }) => way === "elsewhere").map(({ path }) => pathOfText(path)),
  );
  const edits = known.map((each) => [pathOfText(each.path), editsOf(each)] as const);
  const files = planFiles({
    changes: [...stepsByPath]
      .map(([path, { before, after }]) => ({ path, before: fileState(before), after: fileState(after) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    outside: new Map(edits.filter(([, made]) => made.length > 0)),
    guarded: new Set(),
    choice: withoutMerge(choice),
    merged: new Map(edits.map(([path]) => [path, undefined])),
    ...(choices === undefined
      ? {}
      : { choices: new Map([...choices].map(([path, each]) => [path, withoutMerge(each)])) }),
  });
  const kept = files.kept.map(
    ({ path, why }) => ({ path, why: elsewhere.has(path) ? "elsewhere" : why }) as const,
  );
  return { files: { ...files, kept }, steps: files.steps.flatMap(({ path }) => stepsByPath.get(path) ?? []) };
}

function stepOf(
  path: string,
  before: OutsideState | undefined,
  after: OutsideState | undefined,
): OutsideChange {
  return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function waysOf(changes: readonly OutsideChange[]): ReadonlyMap<string, readonly OutsideChange[]> {
  const ways = new Map<string, OutsideChange[]>();
  for (const change of changes) {
    const way = ways.get(change.path);
    if (way === undefined) ways.set(change.path, [change]);
    else way.push(change);
  }
  return ways;
}

/**
 * What somebody else did: wherever a change did not begin where the one before had ended. Where the path was as the
 * target has it, whatever had been done to it before is over.
 */
function editsOf({ changes, now }: Known): readonly OutsideEdit[] {
  const target = changes[0]?.before;
  let edits: OutsideEdit[] = [];
  let at = target;
  const reach = (state: OutsideState | undefined): void => {
    if (isSameOutside(state, target)) edits = [];
    at = state;
  };
  for (const { before, after } of [...changes, { before: now, after: now }]) {
    if (!isSameOutside(at, before)) edits.push({ before: fileState(at), after: fileState(before) });
    reach(before);
    reach(after);
  }
  return edits;
}

function fileState(state: OutsideState | undefined): FileState | undefined {
  if (state === undefined) return undefined;
  if (isOutsideFile(state)) {
    const { blob, mode, size } = state;
    return { kind: "file", mode, size, hash: blob as string as ObjectHash };
  }
  return { kind: "left-out", why: state.why === "forgotten" ? "unreadable" : state.why };
}

/** There is no merging into a file that no snapshot knows. */
function withoutMerge(choice: Choice): Choice {
  return choice === "merge" ? "keep" : choice;
}

/** Limits are paths within the workspace: what lies elsewhere is only meant where there are none. */
function isAskedFor(path: string, workspace: string, only: FilesWish["only"]): boolean {
  if (only === undefined) return true;
  const inside = pathWithin(workspace, path);
  return inside !== undefined && only.some((above) => isWithin(inside, above));
}

/** The path within the workspace; undefined for one that lies elsewhere. */
export function pathWithin(workspace: string, path: string): PathBytes | undefined {
  const inside = relative(workspace, path);
  if (isAbsolute(inside) || inside === ".." || inside.startsWith(`..${sep}`)) return undefined;
  return pathOfText(inside.split(sep).join("/"));
}
