import { exportedHeader } from "../../record/authority.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Json, Part, ReplyPart } from "../../record/parts.ts";
import { isJsonObject } from "../../record/parts.ts";
import { genuineFrames } from "../../timeline/context/notices.ts";
import { linesOfBranch } from "../../timeline/outline.ts";
import type { SessionView } from "../view.ts";

export interface Found {
  readonly session: SessionId;
  readonly entry: string;
  readonly seq: number;
  readonly kind: string;
  readonly at: string;
  readonly branch: "here" | "left";
  /** The text around the first match in the entry. */
  readonly excerpt: string;
}

const AROUND = 60;

/** Searches all text in a session, including abandoned branches. Ignores case. */
export async function* searchSession(view: SessionView, text: string): AsyncGenerator<Found> {
  const wanted = text.toLowerCase();
  const here = linesOfBranch(view.outline);
  const hostSessions = new Set<string>();
  for await (const entry of view.all()) {
    if (entry.kind === "host") {
      // Skips repeated entries, because every turn records the other agent's session again.
      if (hostSessions.has(entry.hostSession)) continue;
      hostSessions.add(entry.hostSession);
    }
    const hit = textsOf(entry).find((one) => one.toLowerCase().includes(wanted));
    if (hit === undefined) continue;
    const { id, seq, kind, at } = entry;
    const branch = here.has(seq) ? "here" : "left";
    yield { session: view.id, entry: id, seq, kind, at, branch, excerpt: excerptOf(hit, wanted) };
  }
}

/** The searchable strings of an entry, without ids and other fields that determine its place. */
function textsOf(entry: Entry): string[] {
  switch (entry.kind) {
    case "session": {
      const { system, workspace, tag, execution } = exportedHeader(entry);
      // Leaves out text that is part of every session's prompt, because a match in this text would not be useful.
      return [system.replace(genuineFrames(tag), "").trimEnd(), workspace, execution?.id ?? ""];
    }
    case "prompt":
    case "reply":
    case "tool-end":
      return textsOfParts(entry.parts);
    case "tool-start":
      return [entry.name, ...stringsIn(entry.input ?? null)];
    case "notice":
      return [entry.text];
    case "backtrack":
      return [
        entry.note,
        entry.rationale ?? "",
        ...entry.prompts.flatMap(textsOfParts),
        ...entry.told,
        ...entry.changed,
        ...entry.running,
      ];
    case "compaction":
      return [entry.summary, entry.focus ?? ""];
    default:
      return textsOfRest(entry);
  }
}

function textsOfRest(entry: Entry): string[] {
  switch (entry.kind) {
    case "todos":
      return entry.items.map((item) => item.text);
    case "title":
      return [entry.title];
    case "label":
      return [entry.label];
    case "saved":
      return textsOfSaved(entry);
    case "error":
      return [entry.code, entry.message, entry.hint ?? ""];
    case "restored":
      return [entry.paths];
    case "snapshot":
      return [entry.why ?? ""];
    case "interval":
      return (entry.during ?? []).map(({ about }) => about);
    case "host":
      return [entry.host, entry.hostSession];
    case "foreign":
      return stringsIn(entry.fields);
    default:
      return [];
  }
}

function textsOfSaved({
  name,
  state,
  context,
  variables,
  metadata,
  output,
  error,
}: EntryOf<"saved">): string[] {
  const values = [state, context, variables, metadata, output, error];
  return [name, ...values.flatMap((value) => stringsIn(value ?? null))];
}

/** Skips images, because a match in their data would be a coincidence. */
function textsOfParts(parts: readonly (Part | ReplyPart)[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === "image") return [];
    return part.type === "tool-call"
      ? [part.name, part.malformed ?? "", ...stringsIn(part.input)]
      : [part.text];
  });
}

function stringsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item: Json) => stringsIn(item));
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

function excerptOf(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + wanted.length + AROUND);
  const middle = text.slice(start, end).replace(/\s+/gu, " ");
  return `${start > 0 ? "…" : ""}${middle}${end < text.length ? "…" : ""}`;
}
