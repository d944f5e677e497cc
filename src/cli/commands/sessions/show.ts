import { type SessionFacts, sessionFacts } from "../../../app/sessions/facts.ts";
import { chooseSession, withSession } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { damageText } from "../../../show/session-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
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
    if (view === undefined) {
      throw new WorldlineError("no-session-in-workspace", { workspace: await frame.workspace() });
    }
    const facts = await sessionFacts(view, store);
    frame.output.answer(facts, () => factLines(facts, frame).join("\n"));
  },
});

type Field = keyof Frame["strings"]["sessions"]["fields"];

/** Returns one line for each known fact. */
function factLines(facts: SessionFacts, frame: Frame): string[] {
  const { fields } = frame.strings.sessions;
  const rows = [...identityOf(facts, frame), ...contentOf(facts, frame), ...stateOf(facts, frame)];
  return table(rows.map(([field, text]) => [fields[field], oneLine(text)]));
}

type Row = readonly [Field, string];

function identityOf(facts: SessionFacts, { strings: { phrases, sessions, time } }: Frame): Row[] {
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

function contentOf(facts: SessionFacts, { strings: { sessions, time } }: Frame): Row[] {
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

function stateOf(facts: SessionFacts, frame: Frame): Row[] {
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

function keptIn({ files, bytes, folder, store }: SessionFacts, { strings: { sessions } }: Frame): Row {
  return folder === null
    ? ["store", sessions.keptIn(bytes, store.kind, store.name)]
    : ["files", sessions.files(files.length, bytes, folder)];
}

function holderText({ heldBy }: SessionFacts, { strings: { sessions, sessionsHere } }: Frame): string | null {
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
