import type { Entry } from "../record/entry.ts";
import type { SessionId } from "../record/ids.ts";
import type { Json } from "../record/json.ts";
import { isJsonObject } from "../record/json.ts";
import { isOnBranch } from "../timeline/branch.ts";
import type { SessionView } from "./view.ts";

export interface Found {
  readonly session: SessionId;
  readonly entry: string;
  readonly seq: number;
  readonly kind: string;
  readonly at: string;
  readonly branch: "here" | "left";
  /** The text around the first place in the entry. */
  readonly excerpt: string;
}

const AROUND = 60;

/** Looks through all text of a session, branches that were left included. Case does not matter. */
export async function* searchSession(view: SessionView, text: string): AsyncGenerator<Found> {
  const wanted = text.toLowerCase();
  for await (const entry of view.all()) {
    const hit = textsOf(entry).find((one) => one.toLowerCase().includes(wanted));
    if (hit === undefined) continue;
    const row = view.outline.at(entry.seq);
    const branch = row !== undefined && isOnBranch(view.outline, row) ? "here" : "left";
    const { id, seq, kind, at } = entry;
    yield { session: view.id, entry: id, seq, kind, at, branch, excerpt: excerptOf(hit, wanted) };
  }
}

/** What the entry says, without ids and the other fields that hold it in place. */
function textsOf(entry: Entry): string[] {
  const { seq: _seq, id: _id, parent: _parent, at: _at, kind: _kind, origin: _origin, ...body } = entry;
  return stringsIn(body as unknown as Json);
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
