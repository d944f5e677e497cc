import type { KeptFor } from "../../ports/workspace-files.ts";
import { isSnapshotId, type SessionId, type SnapshotId } from "../../record/ids.ts";
import type { JsonObject } from "../../record/json.ts";

/** A snapshot that is kept, and for what. */
export interface Ref {
  readonly keptFor: KeptFor;
  readonly snapshot: SnapshotId;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** When it was captured: ISO 8601, UTC. */
  readonly at: string;
  /** In which store the session is; absent: in the files of this home. */
  readonly store?: string;
}

/** One line of a session's references. */
export type RefLine =
  | { readonly do: "keep"; readonly ref: Ref }
  | { readonly do: "release"; readonly key: string }
  | { readonly do: "label"; readonly checkpoint: number; readonly label: string };

/** References with the same key are one: written twice, it is still one, and goes at once. */
export function keyOf({ keptFor, snapshot, at, store }: Ref): string {
  const what = "checkpoint" in keptFor ? keptFor.checkpoint : keptFor.journey;
  return [what, snapshot, at, ...(store === undefined ? [] : [store])].join(" ");
}

export function snapshotOfKey(key: string): SnapshotId | undefined {
  const [, snapshot] = key.split(" ");
  return isSnapshotId(snapshot) ? snapshot : undefined;
}

/** Oldest first; those of the same instant always in the same order. */
export function byAge(a: Ref, b: Ref): number {
  return (
    compare(a.at, b.at) ||
    compare(a.keptFor.session, b.keptFor.session) ||
    numberOf(a) - numberOf(b) ||
    compare(keyOf(a), keyOf(b))
  );
}

export function bySession(refs: readonly Ref[]): Map<SessionId, Ref[]> {
  const sessions = new Map<SessionId, Ref[]>();
  for (const ref of refs) {
    const own = sessions.get(ref.keptFor.session) ?? [];
    own.push(ref);
    sessions.set(ref.keptFor.session, own);
  }
  return sessions;
}

/** As a person calls it: `session:checkpoint`, or which end of a journey it is. */
export function nameOf({ keptFor, at }: Ref): string {
  const { session } = keptFor;
  return "checkpoint" in keptFor
    ? `${session}:${keptFor.checkpoint}`
    : `${session} (${keptFor.journey} by the journey of ${at})`;
}

export function encodeRefLine(line: RefLine): JsonObject {
  if (line.do !== "keep") return { ...line };
  const { keptFor, ...ref } = line.ref;
  const { session: _, ...why } = keptFor;
  return { do: "keep", ...ref, ...why };
}

/** Undefined for a line that is none of these: a later version may write more kinds. */
export function decodeRefLine(line: JsonObject, session: SessionId): RefLine | undefined {
  const { do: what, key, checkpoint, label } = line;
  if (what === "release" && typeof key === "string") return { do: "release", key };
  if (what === "label" && typeof checkpoint === "number" && typeof label === "string") {
    return { do: "label", checkpoint, label };
  }
  const ref = what === "keep" ? refOf(line, session) : undefined;
  return ref === undefined ? undefined : { do: "keep", ref };
}

function refOf(line: JsonObject, session: SessionId): Ref | undefined {
  const { snapshot, workspace, at, store } = line;
  const keptFor = keptForOf(line, session);
  if (keptFor === undefined || !isSnapshotId(snapshot)) return undefined;
  if (typeof workspace !== "string" || typeof at !== "string") return undefined;
  return { keptFor, snapshot, workspace, at, ...(typeof store === "string" ? { store } : {}) };
}

function keptForOf(line: JsonObject, session: SessionId): KeptFor | undefined {
  const { checkpoint, on, label, journey } = line;
  if (journey === "left" || journey === "reached") return { session, journey };
  if (typeof checkpoint !== "number" || (on !== "prompt" && on !== "manual" && on !== "step"))
    return undefined;
  return { session, checkpoint, on, ...(typeof label === "string" ? { label } : {}) };
}

function numberOf({ keptFor }: Ref): number {
  return "checkpoint" in keptFor ? keptFor.checkpoint : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
