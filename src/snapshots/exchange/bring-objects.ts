import type { BringRequest, Brought, KeptSnapshot } from "../../ports/snapshot-objects.ts";
import type { KeptFor } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotContext } from "../context.ts";
import { ForgottenContents } from "../keeping/forgotten.ts";
import type { Ref } from "../keeping/ref.ts";
import { hashObject } from "../objects/object.ts";

/**
 * Imports objects and creates references that protect them from deletion. The caller must hold a shared lease on the
 * store, so that gc cannot remove existing objects that the import relies on.
 */
export async function bringObjects(
  context: SnapshotContext,
  request: BringRequest,
  store: string | undefined,
): Promise<Brought> {
  const { objects, folders } = context;
  objects.refresh();
  folders.clear();
  const { added, gone } = await putAll(context, request.parts);
  objects.sync();
  noteGone(context, gone);
  const fresh = freshRefs(context, request, store);
  context.refs.add(fresh);
  try {
    await request.then();
  } catch (error) {
    // If another process has imported the same session at the same time, the references are kept, because that session
    // needs them.
    if (!isWorldlineError(error, "SESSION_EXISTS")) letGo(context, fresh);
    throw error;
  }
  return { added };
}

interface Gone {
  readonly ignored: ObjectHash[];
  readonly forgotten: ObjectHash[];
  readonly missing: ObjectHash[];
}

async function putAll(
  { objects }: SnapshotContext,
  parts: BringRequest["parts"],
): Promise<{ readonly added: number; readonly gone: Gone }> {
  const gone: Gone = { ignored: [], forgotten: [], missing: [] };
  let added = 0;
  for await (const part of parts) {
    if (objects.has(part.hash)) continue;
    if (part.part === "absent") {
      gone[part.why].push(part.hash);
      continue;
    }
    if (hashObject(part.kind, part.bytes) !== part.hash)
      throw new WorldlineError("bundle-object-changed", { kind: part.kind });
    objects.put(part.kind, part.bytes);
    added += 1;
  }
  return { added, gone };
}

/** Records the contents that were deliberately left out or forgotten, so that they are not reported as lost. */
function noteGone({ disk, places, durable, clock }: SnapshotContext, { ignored, forgotten }: Gone): void {
  if (ignored.length + forgotten.length === 0) return;
  durable.make(places.root);
  const notes = new ForgottenContents(disk, places.root);
  const at = new Date(clock.now()).toISOString();
  const known = notes.all();
  notes.add(
    forgotten.filter((hash) => known.get(hash) !== "forgotten"),
    at,
  );
  notes.add(
    ignored.filter((hash) => !known.has(hash)),
    at,
    "not-in-bundle",
  );
}

/**
 * Returns the references that do not exist yet. Some references may already exist, for example, if the session was
 * imported earlier and only some of its files were missing.
 */
function freshRefs(
  { refs }: SnapshotContext,
  { keep, workspace }: BringRequest,
  store: string | undefined,
): Ref[] {
  const known = new Set<string>();
  for (const session of new Set(keep.map(({ keptFor }) => keptFor.session))) {
    for (const ref of refs.of(session)) if (ref.store === store) known.add(reasonOf(ref));
  }
  const place = { workspace, ...(store === undefined ? {} : { store }) };
  const fresh = new Map(keep.map((each) => [reasonOf(each), { ...each, ...place }]));
  return [...fresh].filter(([reason]) => !known.has(reason)).map(([, ref]) => ref);
}

function reasonOf({ keptFor, snapshot }: Pick<KeptSnapshot, "keptFor" | "snapshot">): string {
  return `${keptFor.session} ${placeOf(keptFor)} ${snapshot}`;
}

function placeOf(keptFor: KeptFor): number | string {
  return "checkpoint" in keptFor ? keptFor.checkpoint : keptFor.journey;
}

/**
 * Releases the references after an error. The caller still receives the error. If releasing the references fails as
 * well, the objects are kept unnecessarily, which only takes up space.
 */
function letGo({ refs }: SnapshotContext, fresh: readonly Ref[]): void {
  try {
    refs.release(fresh);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}
