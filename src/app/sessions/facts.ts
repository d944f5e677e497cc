import { summarise } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Holder } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { placesOf } from "../../stores/files/places.ts";
import { holderIn } from "./store.ts";

/** The facts that `sessions show` reports. */
export type SessionFacts = Awaited<ReturnType<typeof sessionFacts>>;

/** Returns the facts about a session. Reads the whole session to find damage, without changing anything. */
export async function sessionFacts(view: SessionView, store: LogStore) {
  const { header, outline } = view;
  const { forkedFrom: _forkedFrom, damage: _damage, created, used, ...summary } = await summarise(view);
  const checkpoints = await view.checkpoints();
  const { kind, name } = store.place;
  const pieces = await store.sizes(view.id);
  const { head } = outline;
  return {
    ...summary,
    created: new Date(created).toISOString(),
    used: new Date(used).toISOString(),
    replies: outline.linesOf("reply").length,
    toolCalls: outline.linesOf("tool-start").length,
    compactions: outline.linesOf("compaction").length,
    tokens: view.tokenCount,
    head: head === undefined ? null : { ...placeOf(head), at: new Date(head.at).toISOString() },
    checkpointKinds: {
      prompt: checkpoints.filter(({ on }) => on === "prompt").length,
      manual: checkpoints.filter(({ on }) => on === "manual").length,
      step: checkpoints.filter(({ on }) => on === "step").length,
    },
    labels: checkpoints.flatMap(({ number, label }) => (label === undefined ? [] : [{ number, label }])),
    journeys: (await view.journeys()).map(({ entry, state }) => ({ ...placeOf(entry), at: entry.at, state })),
    forkedFrom: header.forkedFrom ?? null,
    imported: header.imported ?? null,
    store: { kind, name },
    folder: kind === "files" ? placesOf(name, view.id).folder : null,
    files: pieces.map((piece) => ({ file: piece.name, bytes: piece.bytes })),
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    heldBy: holderDocument(await holderIn(store, view.id)),
    unfinished: (await view.unfinished()) ?? null,
    damage: await store.verify(view.id),
  };
}

function placeOf({ seq, id, kind }: { readonly seq: number; readonly id: string; readonly kind: string }) {
  return { seq, id, kind };
}

/** Returns the lock's holder as JSON, without the token, which is the owner's secret. */
function holderDocument(holder: Holder | undefined) {
  if (holder === undefined) return null;
  const { owner, life } = holder;
  if (owner === undefined) return { life };
  const { name, pid, host, since } = owner;
  return { life, name, pid, host, since };
}
