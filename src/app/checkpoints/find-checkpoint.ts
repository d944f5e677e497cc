import { checkedLabel } from "../../machine/names.ts";
import { requireConfirmed } from "../../machine/open.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import {
  type CheckpointNumber,
  type EntryId,
  isUuid,
  type SessionId,
  toCheckpointNumber,
} from "../../record/ids.ts";
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
import {
  namedSession,
  openToAct,
  requireSession,
  sessionsHere,
  warnOfUnread,
} from "../sessions/find-session.ts";

/** A checkpoint that the user named, and its session. */
export interface FoundCheckpoint {
  readonly view: SessionView;
  readonly row: Row;
}

/**
 * Finds the checkpoint that the user named by a number, `session:number`, a label, or the UUID that another agent uses
 * for its prompt. Tells the user which session contains the checkpoint.
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

/**
 * Throws for a contradiction such as `--session a` with `b:3`, because using either session would be wrong if the user
 * meant the other one.
 */
async function requireSameSession(
  context: AppContext,
  store: LogStore,
  place: { readonly id: SessionId; readonly text: string },
): Promise<void> {
  const { session } = context.common;
  if (session === undefined || (await resolveSession(store, session)) === place.id) return;
  throw new WorldlineError("checkpoint-of-other-session", { given: place.text, session });
}

/**
 * Finds a checkpoint by its label, or by the id of another agent's message. Searches the session that the user named,
 * or the whole workspace if none was named. The newest match wins.
 */
async function findByLabel(context: AppContext, store: LogStore, label: string): Promise<FoundCheckpoint> {
  const { session } = context.common;
  const views =
    session === undefined ? await sessionsHere(context, store) : [await openToAct(context, store, session)];
  const { newest, known } = await searchLabel(context, views, label);
  if (newest === undefined) throw new WorldlineError("label-unknown-here", { label, known });
  if (session === undefined) {
    context.listener.report({ code: "session-found", session: await namedSession(newest.view) });
    warnOfUnread(context, newest.view);
  }
  return newest;
}

interface LabelSearch {
  /** The newest checkpoint with the requested label, or with the requested message id from another agent. */
  readonly newest: FoundCheckpoint | undefined;
  /** All labels in the sessions that were searched. */
  readonly known: readonly string[];
}

/** Searches the sessions. If there is a match, warns about labels that are easily confused with it. */
export async function searchLabel(
  { listener }: Pick<AppContext, "listener">,
  views: readonly SessionView[],
  label: string,
): Promise<LabelSearch> {
  const known = new Set<string>();
  const found: FoundCheckpoint[] = [];
  const lookalikes = new Set<string>();
  for (const view of views) {
    const labels = await view.labels();
    for (const each of labels.values()) known.add(each);
    const named = findNamed(view.outline, labels, label);
    const row = named ?? (await findByMessage(view, label.trim()));
    if (row !== undefined) found.push({ view, row });
    // The label that was found may be stored in another form than the user typed it.
    const lookalike = lookalikeOf(labels, (named && labels.get(named.id)) ?? label.trim());
    if (lookalike !== undefined) lookalikes.add(lookalike);
  }
  const [newest] = found.sort((a, b) => b.row.at - a.row.at);
  if (newest !== undefined)
    for (const other of lookalikes) listener.report({ code: "label-lookalike", label: label.trim(), other });
  return { newest, known: [...known] };
}

/** Searches for the label as typed, and then in the normalized form that is stored for new labels. */
function findNamed(outline: Outline, labels: LabelsById, label: string): Row | undefined {
  const ways = [label, label.trim(), label.trim().normalize("NFC")];
  for (const way of ways) {
    const row = findLabelled(outline, labels, way);
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * Finds a checkpoint by a message id, as in `metadata.json`. The message is the one that another agent's host sent for
 * the checkpoint's prompt.
 */
async function findByMessage(view: SessionView, message: string): Promise<Row | undefined> {
  if (!isUuid(message)) return undefined;
  const { outline } = view;
  const entries = await view.storedEntries(outline.linesOf("host"));
  const rows = entries.flatMap((entry) => {
    if (entry.kind !== "host" || entry.message?.toLowerCase() !== message.toLowerCase()) return [];
    const line = outline.at(entry.seq);
    return (line && checkpointOfHostLine(outline, line)) ?? [];
  });
  return rows.at(-1);
}

/** The ways that users can name a checkpoint. A session is named by its id or a prefix of its id. */
type CheckpointReference =
  | { readonly by: "number"; readonly number: CheckpointNumber }
  | { readonly by: "session-number"; readonly session: string; readonly number: CheckpointNumber }
  | { readonly by: "label"; readonly label: string };

/** Parses `12`, `#12` as in lists, `session:12`, or a label. No valid label looks like one of the other forms. */
export function parseCheckpointReference(text: string): CheckpointReference {
  const number = /^#?(\d+)$/u.exec(text.trim())?.[1];
  if (number !== undefined) return { by: "number", number: checkpointNumber(number, text) };
  const [, session, ofSession] = /^([^\s:]+):#?(\d+)$/u.exec(text.trim()) ?? [];
  if (session !== undefined && ofSession !== undefined) {
    return { by: "session-number", session, number: checkpointNumber(ofSession, text) };
  }
  if (/^-\d+$/u.test(text.trim()) || text.trim() === "")
    throw new WorldlineError("not-a-checkpoint", { given: text });
  return { by: "label", label: text };
}

function checkpointNumber(digits: string, text: string): CheckpointNumber {
  const number = Number(digits);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new WorldlineError("not-a-checkpoint", { given: text });
  return toCheckpointNumber(number);
}

/** The result of parsing `12:src/a.ts`: the checkpoint, and the path as the user typed it. */
export interface FoundFile extends FoundCheckpoint {
  readonly path: string;
}

/**
 * Finds the checkpoint that `<cp>:<path>` names. Both parts can contain colons, so a number is tried first, then
 * `session:number`, then the longest existing label.
 */
export async function findFile(context: AppContext, store: LogStore, text: string): Promise<FoundFile> {
  const numbered = /^(#?\d+|[^\s:]+:#?\d+):(.+)$/su.exec(text);
  if (numbered?.[1] !== undefined && numbered[2] !== undefined) {
    return { ...(await findCheckpoint(context, store, numbered[1])), path: numbered[2] };
  }
  const splits = [...text.matchAll(/:/gu)]
    .map(({ index }) => ({ cp: text.slice(0, index), path: text.slice(index + 1) }))
    .filter(({ cp, path }) => cp.trim() !== "" && path !== "");
  const [first] = splits;
  if (first === undefined) throw notAFile(text);
  for (const { cp, path } of splits.slice(1).toReversed()) {
    const found = await findOrNot(context, store, cp);
    if (found !== undefined) return { ...found, path };
  }
  return { ...(await findCheckpoint(context, store, first.cp)), path: first.path };
}

async function findOrNot(
  context: AppContext,
  store: LogStore,
  cp: string,
): Promise<FoundCheckpoint | undefined> {
  try {
    return await findCheckpoint(context, store, cp);
  } catch (error) {
    if (isWorldlineError(error, "CHECKPOINT_UNKNOWN") || isWorldlineError(error, "SESSION_UNKNOWN"))
      return undefined;
    throw error;
  }
}

function notAFile(text: string): WorldlineError {
  return new WorldlineError("file-of-checkpoint-unnamed", { given: text });
}

/** The form of a checkpoint's number that the command line reads but that `checkedLabel` allows as a label. */
const numberLike = /^[^\s:]+:#\d+$/u;

/**
 * Returns the label in its stored form. Throws for a label that the command line would read as a number, because the
 * user could never refer to it.
 */
export function reachableLabel(text: string): string {
  const label = checkedLabel(text.trim());
  if (!numberLike.test(label)) return label;
  throw new WorldlineError("label-like-a-number", { label });
}

/**
 * Warns about another label that is easily confused with this one. `target`: the checkpoint that will have the label.
 * The current label of `target` is ignored.
 */
export function warnOfLookalike(
  listener: Pick<AppContext["listener"], "report">,
  labels: LabelsById,
  label: string,
  target?: EntryId,
): void {
  const other = lookalikeOf(labels, label, target);
  if (other === undefined) return;
  listener.report({ code: "label-lookalike", label, other });
}
