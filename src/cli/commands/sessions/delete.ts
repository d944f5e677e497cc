import { dropFilesOf } from "../../../app/files/drop-files.ts";
import { heard } from "../../../app/interrupts.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { holderIn } from "../../../app/sessions/holder.ts";
import { expiredTrash, keptUntil, tidyTrash } from "../../../app/sessions/trash.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { resolveSession } from "../../../machine/looking/sessions.ts";
import type { Lease } from "../../../ports/lease.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { dateOf } from "../../../strings/clock.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, rest } from "../../command/parameters.ts";
import { shellWording } from "../../places/command-again.ts";
import { emptyTheTrash } from "./empty-trash.ts";
import { nameOf } from "./name-of.ts";

export const deleteSessions = defineCommand({
  description:
    "Moves sessions to the trash, where they are kept for trash.days days (30) and can be brought back. What has been " +
    "there for longer is then removed for good, and named. A session that another program holds is not deleted. " +
    "Files that the Claude Agent SDK keeps of its own stay where they are.",
  arguments: { sessions: rest("the sessions: ids, beginnings of them, or titles") },
  options: {
    emptyTrash: flag("remove everything in the trash for good, now"),
    dryRun: flag("show what would happen, and change nothing"),
    yes: flag("do not ask for agreement, which only --empty-trash needs"),
  },
  examples: [
    { command: "worldline sessions delete k3f9", meaning: "can be undone: worldline sessions undelete k3f9" },
    { command: "worldline sessions delete k3f9 b7qa --dry-run", meaning: "what would be deleted" },
    { command: "worldline sessions delete --empty-trash --yes", meaning: "cannot be undone" },
  ],
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const store = openStore(frame);
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    const mode = options.dryRun ? "dry-run" : "real";
    if (options.emptyTrash) {
      if (wanted.length > 0) throw twoThings();
      await emptyTheTrash(frame, store, { mode, yes: options.yes ? "given" : "absent" });
      return;
    }
    if (wanted.length === 0) throw nothingNamed();
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
      strings.sessions.bringBack(
        ids.length,
        ids[0] ?? "",
        dateOf(until),
        shellWording(frame.common).command,
      ),
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

function nothingNamed(): WorldlineError {
  return new WorldlineError("session-to-delete-unnamed", {});
}

function twoThings(): WorldlineError {
  return new WorldlineError("trash-takes-no-session", {});
}
