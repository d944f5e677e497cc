import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { holderIn } from "../../../app/sessions/holder.ts";
import { withSession } from "../../../app/sessions/with-session.ts";
import { summarise } from "../../../machine/looking/sessions.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Holder } from "../../../ports/lease.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { placesOf } from "../../../stores/files/places.ts";
import { defineCommand } from "../../command/command.ts";
import { optional } from "../../command/parameters.ts";
import { factLines } from "./show-text.ts";

export const show = defineCommand({
  description:
    "Shows everything about one session: its counts, where its head stands, who holds it, a tool call that did not " +
    "finish, and what is damaged, with file and line: for that, all of it is read. Changes nothing.",
  arguments: { session: optional("the session (default: --session, else the one last used here)") },
  examples: [
    { command: "worldline sessions show", meaning: "the session last used here" },
    { command: "worldline sessions show k3f9", meaning: "the one whose id begins like that" },
    { command: "worldline sessions show --json | jq .damage", meaning: "what cannot be read" },
  ],
  run: async ({ arguments: { session }, frame: given }) => {
    const store = openStore(given);
    const frame = await withSession(given, store, session);
    const view = await chooseSession(frame, store);
    if (view === undefined) throw noSessions(await frame.workspace());
    const facts = await factsOf(view, store);
    frame.output.answer(facts, () => factLines(facts, frame).join("\n"));
  },
});

export type Facts = Awaited<ReturnType<typeof factsOf>>;

async function factsOf(view: SessionView, store: LogStore) {
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

/** Without the token, which is nobody's business but the owner's. */
function holderDocument(holder: Holder | undefined) {
  if (holder === undefined) return null;
  const { owner, life } = holder;
  if (owner === undefined) return { life };
  const { name, pid, host, since } = owner;
  return { life, name, pid, host, since };
}

function noSessions(workspace: string): WorldlineError {
  return new WorldlineError("no-session-in-workspace", { workspace });
}
