import { chooseSession, withSession } from "../../../app/sessions/find-session.ts";
import { holderIn, openStore } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { summarise } from "../../../machine/queries/sessions.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Holder } from "../../../ports/lease.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { damageText } from "../../../show/session-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { placesOf } from "../../../stores/files/places.ts";
import { clockTime, dateOf } from "../../../strings/clock.ts";
import { defineCommand, optional } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const show = defineCommand({
  help: (help) => help.sessionsShow,
  arguments: { session: optional() },
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

/** Without the token, which is only for the owner. */
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

type Field = keyof Frame["strings"]["sessions"]["fields"];

/** A line for each fact; what there is none of has no line. */
export function factLines(facts: Facts, frame: Frame): string[] {
  const { fields } = frame.strings.sessions;
  const rows = [...identityOf(facts, frame), ...contentOf(facts, frame), ...stateOf(facts, frame)];
  return table(rows.map(([field, text]) => [fields[field], oneLine(text)]));
}

type Row = readonly [Field, string];

function identityOf(facts: Facts, { strings: { phrases, sessions, time } }: Frame): Row[] {
  const { workspace, mode, host = "", forkedFrom, imported, unconfirmed } = facts;
  const used = Date.parse(facts.used);
  const place = workspace === "" ? sessions.workspaceLost : phrases.aside(workspace, sessions.modes[mode]);
  return [
    ["session", facts.id],
    ["title", facts.title === "" ? sessions.untitled : facts.title],
    ["workspace", unconfirmed === undefined ? place : `${sessions.unconfirmed} ${place}`],
    ...only("host", host),
    ["created", momentOf(Date.parse(facts.created))],
    ["used", phrases.aside(momentOf(used), relativeTime(used, systemClock.now(), time))],
    ...only("forkedFrom", forkedFrom && sessions.forkedAt(forkedFrom.session, forkedFrom.entry)),
    ...only("imported", imported && sessions.importedFrom(imported.from, imported.name)),
  ];
}

function contentOf(facts: Facts, { strings: { sessions, time } }: Frame): Row[] {
  const { head, checkpointKinds, labels, journeys } = facts;
  const ago = head === null ? "" : relativeTime(Date.parse(head.at), systemClock.now(), time);
  const undone = journeys.filter(({ state }) => state === "undone").length;
  return [
    ["entries", sessions.entries(facts)],
    ["context", sessions.tokens(facts.tokens)],
    ["head", head === null ? sessions.noHead : sessions.head(head.seq, head.kind, ago)],
    ["checkpoints", sessions.checkpointKinds(checkpointKinds)],
    ...only("labels", labels.map(({ number, label }) => `#${number} "${label}"`).join(", ")),
    ["journeys", sessions.journeyKinds(journeys.length, undone)],
  ];
}

function stateOf(facts: Facts, frame: Frame): Row[] {
  const { sessions } = frame.strings;
  const { unfinished, damage } = facts;
  return [
    keptIn(facts, frame),
    ...only("heldBy", holderText(facts, frame)),
    ...(unfinished?.calls ?? []).map(
      ({ name, call }): Row => ["unfinished", sessions.unfinished(name, call)],
    ),
    ...damage.map((each): Row => ["damage", damageText(each, frame.strings)]),
  ];
}

function keptIn({ files, bytes, folder, store }: Facts, { strings: { sessions } }: Frame): Row {
  return folder === null
    ? ["store", sessions.keptIn(bytes, store.kind, store.name)]
    : ["files", sessions.files(files.length, bytes, folder)];
}

function holderText({ heldBy }: Facts, { strings: { sessions, sessionsHere } }: Frame): string | null {
  if (heldBy === null) return null;
  if (heldBy.name === undefined) return sessions.holders.unreadable;
  const owner = sessionsHere.owner(heldBy.name, heldBy.pid, heldBy.host);
  if (heldBy.life !== "living") return sessions.holders[heldBy.life](owner);
  return sessions.holders.living(owner, momentOf(Date.parse(heldBy.since)));
}

function only(field: Field, text: string | null): Row[] {
  return text === null || text === "" ? [] : [[field, text]];
}

function momentOf(at: number): string {
  return `${dateOf(at)} ${clockTime(at)}`;
}
