import { requireConfirmed } from "../../machine/open.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import { type CheckpointNumber, isUuid, type SessionId } from "../../record/ids.ts";
import {
  checkpointOfHostLine,
  findLabelled,
  type LabelsById,
  lookalikeOf,
} from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { AppContext } from "../context.ts";
import { namedSession, openToAct, requireSession, warnOfUnread } from "../sessions/choose-session.ts";
import { sessionsHere } from "../sessions/sessions-here.ts";
import { parseCheckpointReference } from "./checkpoint-reference.ts";

/** A checkpoint that the person named, in the session that it is in. */
export interface FoundCheckpoint {
  readonly view: SessionView;
  readonly row: Row;
}

/**
 * Finds the checkpoint that the person means by a number, `session:number`, a label, or the UUID by which another agent
 * knows its prompt; says in which session.
 */
export async function findCheckpoint(
  context: AppContext,
  store: LogStore,
  text: string,
): Promise<FoundCheckpoint> {
  const reference = parseCheckpointReference(text);
  switch (reference.by) {
    case "number": {
      const view = await requireSession(context, store);
      requireConfirmed(store, view.header);
      return { view, row: requireCheckpoint(view.outline, reference.number) };
    }
    case "session-number":
      return findInNamed(context, store, { ...reference, text });
    case "label":
      return findByLabel(context, store, reference.label);
    default:
      return reference satisfies never;
  }
}

interface NamedPlace {
  readonly text: string;
  readonly session: string;
  readonly number: CheckpointNumber;
}

async function findInNamed(
  context: AppContext,
  store: LogStore,
  place: NamedPlace,
): Promise<FoundCheckpoint> {
  const view = await openToAct(context, store, place.session);
  await requireSameSession(context, store, { id: view.id, text: place.text });
  return { view, row: requireCheckpoint(view.outline, place.number) };
}

/** `--session a` with `b:3` is a contradiction, and whichever of the two counted, the person meant the other. */
async function requireSameSession(
  context: AppContext,
  store: LogStore,
  place: { readonly id: SessionId; readonly text: string },
): Promise<void> {
  const { session } = context.common;
  if (session === undefined || (await resolveSession(store, session)) === place.id) return;
  throw new WorldlineError("checkpoint-of-other-session", { given: place.text, session });
}

/** A label, or a message of another agent's. Searched in the session that was named, else in all of the workspace; the newest checkpoint wins. */
async function findByLabel(context: AppContext, store: LogStore, label: string): Promise<FoundCheckpoint> {
  const { session } = context.common;
  const views =
    session === undefined ? await sessionsHere(context, store) : [await openToAct(context, store, session)];
  const known = new Set<string>();
  const found: FoundCheckpoint[] = [];
  const lookalikes = new Set<string>();
  for (const view of views) {
    const labels = await view.labels();
    for (const each of labels.values()) known.add(each);
    const row = findNamed(view.outline, labels, label) ?? (await findByMessage(view, label.trim()));
    if (row !== undefined) found.push({ view, row });
    const lookalike = lookalikeOf(labels, label.trim());
    if (lookalike !== undefined) lookalikes.add(lookalike);
  }
  const [newest] = found.sort((a, b) => b.row.at - a.row.at);
  if (newest === undefined) throw new WorldlineError("label-unknown-here", { label, known: [...known] });
  for (const other of lookalikes)
    context.listener.report({ code: "label-lookalike", label: label.trim(), other });
  if (session === undefined) {
    context.listener.report({ code: "session-found", session: await namedSession(newest.view) });
    warnOfUnread(context, newest.view);
  }
  return newest;
}

/** As it was typed, and composed as new labels are kept: both are the same text. */
function findNamed(outline: Outline, labels: LabelsById, label: string): Row | undefined {
  const ways = [label, label.trim(), label.trim().normalize("NFC")];
  for (const way of ways) {
    const row = findLabelled(outline, labels, way);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** As `metadata.json` names a checkpoint whose prompt another agent was given. */
async function findByMessage(view: SessionView, message: string): Promise<Row | undefined> {
  if (!isUuid(message)) return undefined;
  const { outline } = view;
  const entries = await view.storedEntries(outline.linesOf("host"));
  const rows = entries.flatMap((entry) => {
    if (entry.kind !== "host" || entry.message?.toLowerCase() !== message.toLowerCase()) return [];
    const line = outline.at(entry.seq);
    return line === undefined ? [] : (checkpointOfHostLine(outline, line) ?? []);
  });
  return rows.at(-1);
}
