import { presentAuthor } from "../machine/files/look.ts";
import type { SessionView } from "../machine/view.ts";
import type { EntryOf } from "../record/entry.ts";
import { folderOf, type PathBytes, shownPath } from "../record/files.ts";
import type { SessionId } from "../record/ids.ts";
import { isJsonObject, type Json } from "../record/parts.ts";
import type { WorkspaceState } from "./states.ts";

/** A tool call that an agent made between two states. */
export interface CallSeen {
  readonly session: SessionId;
  readonly call: string;
  readonly name: string;
  readonly input: Json;
  /**
   * How the call is related to the change. "names": the call names a file that is part of the change. "may": it is
   * unknown what the call changed. "other": the call names only other files.
   */
  readonly touches: "names" | "may" | "other";
}

/**
 * Who made a change. "tool": one of these calls, listed with the most likely first. "timeline": a command that
 * Worldline ran. "outside": the user or another program.
 */
export interface ChangeAuthor {
  readonly by: "tool" | "timeline" | "outside";
  readonly calls: readonly CallSeen[];
}

export interface Interval {
  readonly views: readonly SessionView[];
  readonly green: WorkspaceState;
  readonly red: WorkspaceState;
  readonly paths: readonly PathBytes[];
}

const LIKELINESS = { names: 0, may: 1, other: 2 } as const;

/** Finds out who may have changed these paths between two states. */
export async function authorOf(interval: Interval): Promise<ChangeAuthor> {
  const calls: CallSeen[] = [];
  for (const view of interval.views) calls.push(...(await callsIn(view, interval)));
  calls.sort((a, b) => LIKELINESS[a.touches] - LIKELINESS[b.touches]);
  if (calls.some(({ touches }) => touches !== "other")) return { by: "tool", calls };
  return { by: (await isOfTimeline(interval)) ? "timeline" : "outside", calls };
}

/**
 * Checks whether the timeline made the changes. The first checkpoint with the files of the red state records who made
 * the changes before it.
 */
async function isOfTimeline({ red, views }: Interval): Promise<boolean> {
  const [first] = red.places;
  if (first !== undefined) return first.author === "timeline";
  for (const view of views) if ((await presentAuthor(view, {})) === "timeline") return true;
  return false;
}

async function callsIn(view: SessionView, interval: Interval): Promise<readonly CallSeen[]> {
  const started = await startsIn(view, interval);
  if (started.length === 0) return [];
  const asked = await askedIn(view, started);
  return started.map(({ call, name, input }) => {
    const given = input ?? asked.get(call) ?? {};
    return { session: view.id, call, name, input: given, touches: touchOf(given, interval.paths) };
  });
}

/**
 * Returns the calls that started between the two states. A state that has a checkpoint in this session is located by
 * its log line, and any other state by its time.
 */
async function startsIn(
  view: SessionView,
  { green, red }: Interval,
): Promise<readonly EntryOf<"tool-start">[]> {
  const from = green.places.findLast(({ session }) => session === view.id);
  const to = red.places.find(({ session }) => session === view.id);
  const lines = view.outline.linesOf("tool-start").filter((line) => {
    const at = view.outline.at(line)?.at ?? 0;
    const isAfter = from === undefined ? at >= green.at : line > from.line;
    const isBefore = to === undefined ? at <= red.at : line < to.line;
    return isAfter && isBefore;
  });
  const entries = await view.entries(lines);
  return entries.filter((entry) => entry.kind === "tool-start");
}

/** Returns the input of each call, as requested in the model's reply. */
async function askedIn(
  view: SessionView,
  started: readonly EntryOf<"tool-start">[],
): Promise<ReadonlyMap<string, Json>> {
  const [first, last] = [started[0]?.seq ?? 0, started.at(-1)?.seq ?? 0];
  const replies = view.outline.linesOf("reply");
  // A reply comes before its calls, so the last reply before the first call requested it.
  const from = replies.findLast((line) => line < first) ?? 0;
  const lines = replies.filter((line) => line >= from && line <= last);
  const asked = new Map<string, Json>();
  for (const entry of await view.entries(lines)) {
    if (entry.kind !== "reply") continue;
    for (const part of entry.parts) if (part.type === "tool-call") asked.set(part.call, part.input);
  }
  return asked;
}

/** The input fields that contain the name of the file that a tool works on. */
const FILE_FIELDS = ["file_path", "path", "notebook_path"];

function touchOf(input: Json, paths: readonly PathBytes[]): CallSeen["touches"] {
  if (!isJsonObject(input)) return "may";
  const named = FILE_FIELDS.flatMap((field) => (typeof input[field] === "string" ? [input[field]] : []));
  const texts = paths.map(shownPath);
  if (named.length > 0) {
    const isNamed = named.some((name) => texts.some((path) => name === path || name.endsWith(`/${path}`)));
    return isNamed ? "names" : "other";
  }
  const { command } = input;
  if (typeof command !== "string") return "may";
  return paths.some((path) => command.includes(nameOf(path))) ? "names" : "may";
}

function nameOf(path: PathBytes): string {
  const folder = folderOf(path);
  return shownPath(folder === "" ? path : path.slice(folder.length + 1));
}
