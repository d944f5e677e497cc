import { heard } from "../../../app/context.ts";
import { namedSession } from "../../../app/sessions/find-session.ts";
import { holderIn, openStore } from "../../../app/sessions/store.ts";
import {
  dropFilesOf,
  expiredTrash,
  keptUntil,
  removeForGood,
  tidyTrash,
} from "../../../app/sessions/trash.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { viewSession } from "../../../machine/open.ts";
import { resolveSession } from "../../../machine/queries/sessions.ts";
import type { Lease } from "../../../ports/lease.ts";
import type { LogStore, Trashed } from "../../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { sessionName } from "../../../show/session-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { dateOf } from "../../../strings/clock.ts";
import type { Strings } from "../../../strings/strings.ts";
import { type Consent, requireConsent } from "../../ask.ts";
import { defineCommand, flag, rest } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

export const deleteSessions = defineCommand({
  help: (help) => help.sessionsDelete,
  arguments: { sessions: rest() },
  options: {
    emptyTrash: flag(),
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const store = openStore(frame);
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    const mode = options.dryRun ? "dry-run" : "real";
    if (options.emptyTrash) {
      if (wanted.length > 0) throw twoThings();
      await emptyTheTrash(frame, store, { mode, yes: options.yes ? "given" : "absent" });
      return;
    }
    if (wanted.length === 0) throw new WorldlineError("session-to-delete-unnamed", {});
    const ids = new Set<SessionId>();
    for (const each of wanted) ids.add(await resolveSession(store, each));
    const deletion = await planDeletion(frame, store, [...ids]);
    if (mode === "real") await perform(frame, store, deletion);
    else await foresee(frame, store, deletion);
  },
});

interface Deletion {
  readonly sessions: readonly { readonly id: SessionId; readonly name: string }[];
  readonly days: number;
  readonly at: number;
}

async function planDeletion(frame: Frame, store: LogStore, ids: readonly SessionId[]): Promise<Deletion> {
  const { values } = await frame.settings();
  const sessions = await Promise.all(ids.map(async (id) => ({ id, name: await nameOf(store, id, frame) })));
  return { sessions, days: values["trash.days"], at: systemClock.now() };
}

async function foresee(frame: Frame, store: LogStore, { sessions, days, at }: Deletion): Promise<void> {
  const { output, strings } = frame;
  for (const { id } of sessions) {
    const holder = await holderIn(store, id);
    const isTaken = holder?.life === "elsewhere" && frame.common.takeOver === "yes";
    if (holder === undefined || holder.life === "dead" || isTaken) continue;
    const { owner } = holder;
    const who =
      owner === undefined
        ? strings.sessions.holders.unreadable
        : strings.sessionsHere.owner(owner.name, owner.pid, owner.host);
    output.warn(strings.sessions.wouldBeRefused(id, who));
  }
  const expired = (await expiredTrash(store, { days, now: at })).map(({ session }) => session);
  const ids = sessions.map(({ id }) => id);
  output.answer({ deleted: ids, removedForGood: expired, changed: false }, () =>
    [
      ...sessions.map(({ name }) => strings.sessions.wouldTrash(name)),
      ...(expired.length === 0 ? [] : [strings.sessions.wouldRemoveForGood(expired.join(", "), days)]),
      strings.sessions.dryRun,
    ].join("\n"),
  );
}

async function perform(frame: Frame, store: LogStore, deletion: Deletion): Promise<void> {
  const { output, strings } = frame;
  const { sessions, days, at } = deletion;
  const ids = sessions.map(({ id }) => id);
  await heard(frame, async () => trashAll(frame, store, deletion));
  const removed = await tidyUp(frame, store, deletion);
  const until = keptUntil(at, days);
  const document = {
    deleted: ids,
    keptUntil: new Date(until).toISOString(),
    removedForGood: removed,
    changed: true,
  };
  output.answer(document, () =>
    [
      ...sessions.map(({ name }) => strings.sessions.trashed(name)),
      strings.sessions.bringBack(ids.length, ids[0] ?? "", dateOf(until), shellWording(frame.common).command),
      ...(removed.length === 0 ? [] : [strings.sessions.removedForGood(removed.join(", "), days)]),
    ].join("\n"),
  );
}

/** All are held before the first is moved: when one is in use, none is deleted. */
async function trashAll(frame: Frame, store: LogStore, { sessions, at }: Deletion): Promise<void> {
  const leases: Lease[] = [];
  const done: SessionId[] = [];
  const { takeOver } = frame.common;
  try {
    for (const { id } of sessions)
      leases.push(
        await store.lease(id, { name: "worldline sessions delete", waitMs: 0, takeOver, room: "reserve" }),
      );
    for (const { id } of sessions) {
      await store.trash(id, at);
      done.push(id);
    }
  } catch (error) {
    if (done.length > 0) {
      const { command } = shellWording(frame.common);
      frame.output.warn(frame.strings.sessions.deletedBefore(done.join(", "), command));
    }
    throw error;
  } finally {
    for (const lease of leases) await lease.release();
  }
}

/** The deletion is done; that older things could not be removed must not make it look undone. */
async function tidyUp(frame: Frame, store: LogStore, { days, at }: Deletion): Promise<readonly SessionId[]> {
  try {
    const removed = await tidyTrash(store, { days, now: at });
    await dropFilesOf(frame, store, removed);
    return removed;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    frame.output.warn(frame.strings.sessions.notRemoved(error.message));
    return [];
  }
}

function twoThings(): WorldlineError {
  return new WorldlineError("trash-takes-no-session", {});
}

export interface Emptying {
  readonly mode: "real" | "dry-run";
  readonly yes: Consent["yes"];
}

/** Removes what was shown, and nothing that another program deletes meanwhile. */
export async function emptyTheTrash(frame: Frame, store: LogStore, { mode, yes }: Emptying): Promise<void> {
  const { output, strings } = frame;
  const trashed = await store.listTrash();
  const count = trashed.length;
  if (count === 0) {
    output.answer({ removedForGood: [], changed: false }, () => strings.sessions.trashEmpty);
    return;
  }
  const { values } = await frame.settings();
  const lines = trashLines(trashed, { days: values["trash.days"], now: systemClock.now(), strings });
  if (mode === "dry-run") {
    const ids = trashed.map(({ session }) => session);
    output.answer({ removedForGood: ids, changed: false }, () =>
      [strings.sessions.wouldEmpty(count), ...lines, strings.sessions.dryRun].join("\n"),
    );
    return;
  }
  if (yes === "absent" && output.mode === "text") for (const line of lines) output.notice(line);
  await requireConsent({ question: strings.sessions.emptyQuestion(count), yes }, frame);
  const removed = await heard(frame, async () => removeForGood(store, trashed));
  await dropFilesOf(frame, store, removed);
  output.answer({ removedForGood: removed, changed: true }, () =>
    strings.sessions.emptied(removed.length, removed.join(", ")),
  );
}

export const undelete = defineCommand({
  help: (help) => help.sessionsUndelete,
  arguments: { sessions: rest() },
  options: { list: flag() },
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const store = openStore(frame);
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    const trashed = await store.listTrash();
    if (options.list) {
      if (wanted.length > 0) throw listOrBring();
      await listTrash(frame, trashed);
      return;
    }
    if (wanted.length === 0) throw new WorldlineError("session-to-undelete-unnamed", {});
    const taken = new Set(await store.list());
    const ids = [...new Set(wanted.map((each) => resolveTrashed(each, trashed, taken)))];
    await heard(frame, async () => {
      for (const id of ids) await store.undelete(id);
    });
    await answer(frame, store, ids);
  },
});

async function listTrash(frame: Frame, trashed: readonly Trashed[]): Promise<void> {
  const { output, strings } = frame;
  const { values } = await frame.settings();
  const days = values["trash.days"];
  const document = trashed.map(({ session, at }) => ({
    session,
    deleted: new Date(at).toISOString(),
    keptUntil: new Date(keptUntil(at, days)).toISOString(),
  }));
  output.answer({ trash: document }, () =>
    trashed.length === 0
      ? strings.sessions.trashEmpty
      : trashLines(trashed, { days, now: systemClock.now(), strings }).join("\n"),
  );
}

async function answer(frame: Frame, store: LogStore, ids: readonly SessionId[]): Promise<void> {
  const { output, strings } = frame;
  const names = await Promise.all(ids.map((id) => nameOf(store, id, frame)));
  const look = strings.sessions.lookAt(ids[0] ?? "", shellWording(frame.common).command);
  output.answer({ undeleted: ids }, () =>
    [...names.map((name) => strings.sessions.undeleted(name)), look].join("\n"),
  );
}

/** All are found, and their ids free, before the first is moved. */
function resolveTrashed(
  wanted: string,
  trashed: readonly Trashed[],
  taken: ReadonlySet<SessionId>,
): SessionId {
  const start = wanted.trim().toLowerCase();
  const known = [...new Set(trashed.map(({ session }) => session))];
  const matches = start === "" ? [] : known.filter((id) => id.startsWith(start));
  const [only, ...others] = matches;
  if (only === undefined) {
    const there = [...taken].some((id) => start !== "" && id.startsWith(start));
    throw new WorldlineError("session-not-in-trash", {
      given: wanted,
      is: there ? "not-deleted" : "unknown",
    });
  }
  if (others.length > 0) {
    const some = matches.slice(0, 8);
    throw new WorldlineError("deleted-session-ambiguous", { given: wanted, matches: matches.length, some });
  }
  if (taken.has(only)) {
    throw new WorldlineError("session-there-already", { session: only });
  }
  return only;
}

function listOrBring(): WorldlineError {
  return new WorldlineError("trash-list-takes-no-session", {});
}

export interface TrashListing {
  readonly days: number;
  readonly now: number;
  readonly strings: Strings;
}

/** A line for each, last deleted first. */
export function trashLines(trashed: readonly Trashed[], { days, now, strings }: TrashListing): string[] {
  const { trashRow } = strings.sessions;
  return table(
    [...trashed]
      .sort((a, b) => b.at - a.at)
      .map(({ session, at }) => {
        const until = keptUntil(at, days);
        return [
          session,
          trashRow.deleted(relativeTime(at, now, strings.time)),
          until < now ? trashRow.due : trashRow.until(dateOf(until)),
        ];
      }),
  );
}

/** What to call a session that perhaps cannot be opened. */
export async function nameOf(store: LogStore, id: SessionId, { strings }: Frame): Promise<string> {
  try {
    return oneLine(sessionName(await namedSession(await viewSession(store, id)), strings));
  } catch (error) {
    if (isWorldlineError(error)) return id;
    throw error;
  }
}
