import {
  type Deletion,
  deleteSessions,
  emptyTrash,
  foreseeDeletion,
  keptUntil,
  listTrash,
  planDeletion,
  undeleteSessions,
} from "../../../app/sessions/trash.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { Trashed } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
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

export const deleteCommand = defineCommand({
  help: (help) => help.sessionsDelete,
  arguments: { sessions: rest() },
  options: {
    emptyTrash: flag(),
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    const mode = options.dryRun ? "dry-run" : "real";
    if (options.emptyTrash) {
      if (wanted.length > 0) throw new WorldlineError("trash-takes-no-session", {});
      return empty(frame, { mode, yes: options.yes ? "given" : "absent" });
    }
    if (wanted.length === 0) throw new WorldlineError("session-to-delete-unnamed", {});
    const deletion = await planDeletion(frame, wanted);
    return mode === "real" ? perform(frame, deletion) : foresee(frame, deletion);
  },
});

async function foresee(frame: Frame, deletion: Deletion): Promise<void> {
  const { output, strings } = frame;
  const { sessions, days } = deletion;
  const { held, expired } = await foreseeDeletion(frame, deletion);
  for (const { id, owner } of held) {
    const who =
      owner === undefined
        ? strings.sessions.holders.unreadable
        : strings.sessionsHere.owner(owner.name, owner.pid, owner.host);
    output.warn(strings.sessions.wouldBeRefused(id, who));
  }
  const ids = sessions.map(({ id }) => id);
  output.answer({ deleted: ids, removedForGood: expired, changed: false }, () =>
    [
      ...sessions.map((session) => strings.sessions.wouldTrash(nameOf(session, strings))),
      ...(expired.length === 0 ? [] : [strings.sessions.wouldRemoveForGood(expired.join(", "), days)]),
      strings.sessions.dryRun,
    ].join("\n"),
  );
}

async function perform(frame: Frame, deletion: Deletion): Promise<void> {
  const { output, strings } = frame;
  const { sessions, days, at } = deletion;
  const ids = sessions.map(({ id }) => id);
  const removed = await deleteSessions(frame, deletion);
  const until = keptUntil(at, days);
  const document = {
    deleted: ids,
    keptUntil: new Date(until).toISOString(),
    removedForGood: removed,
    changed: true,
  };
  output.answer(document, () =>
    [
      ...sessions.map((session) => strings.sessions.trashed(nameOf(session, strings))),
      strings.sessions.bringBack(ids.length, ids[0] ?? "", dateOf(until), shellWording(frame.common).command),
      ...(removed.length === 0 ? [] : [strings.sessions.removedForGood(removed.join(", "), days)]),
    ].join("\n"),
  );
}

async function empty(
  frame: Frame,
  { mode, yes }: { readonly mode: "real" | "dry-run"; readonly yes: Consent["yes"] },
): Promise<void> {
  const { output, strings } = frame;
  const listed = await listTrash(frame);
  const { trashed } = listed;
  const count = trashed.length;
  if (count === 0) {
    output.answer({ removedForGood: [], changed: false }, () => strings.sessions.trashEmpty);
    return;
  }
  const lines = trashLines(listed, strings);
  if (mode === "dry-run") {
    const ids = trashed.map(({ session }) => session);
    output.answer({ removedForGood: ids, changed: false }, () =>
      [strings.sessions.wouldEmpty(count), ...lines, strings.sessions.dryRun].join("\n"),
    );
    return;
  }
  if (yes === "absent" && output.mode === "text") for (const line of lines) output.notice(line);
  await requireConsent({ question: strings.sessions.emptyQuestion(count), yes }, frame);
  const removed = await emptyTrash(frame, listed);
  output.answer({ removedForGood: removed, changed: true }, () =>
    strings.sessions.emptied(removed.length, removed.join(", ")),
  );
}

export const undelete = defineCommand({
  help: (help) => help.sessionsUndelete,
  arguments: { sessions: rest() },
  options: { list: flag() },
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    if (options.list) {
      if (wanted.length > 0) throw new WorldlineError("trash-list-takes-no-session", {});
      return answerTrash(frame);
    }
    if (wanted.length === 0) throw new WorldlineError("session-to-undelete-unnamed", {});
    const sessions = await undeleteSessions(frame, wanted);
    const { output, strings, common } = frame;
    const ids = sessions.map(({ id }) => id);
    const look = strings.sessions.lookAt(ids[0] ?? "", shellWording(common).command);
    output.answer({ undeleted: ids }, () =>
      [...sessions.map((session) => strings.sessions.undeleted(nameOf(session, strings))), look].join("\n"),
    );
  },
});

async function answerTrash(frame: Frame): Promise<void> {
  const { output, strings } = frame;
  const listed = await listTrash(frame);
  const document = listed.trashed.map(({ session, at }) => ({
    session,
    deleted: new Date(at).toISOString(),
    keptUntil: new Date(keptUntil(at, listed.days)).toISOString(),
  }));
  output.answer({ trash: document }, () =>
    listed.trashed.length === 0 ? strings.sessions.trashEmpty : trashLines(listed, strings).join("\n"),
  );
}

/** Returns one line for each session, most recently deleted first. */
function trashLines(
  { trashed, days }: { readonly trashed: readonly Trashed[]; readonly days: number },
  strings: Strings,
): string[] {
  const { trashRow } = strings.sessions;
  const now = systemClock.now();
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

/** Returns the name of a session. The session may be unreadable. */
function nameOf({ id, named }: Deletion["sessions"][number], strings: Strings): string {
  return named === undefined ? id : oneLine(sessionName(named, strings));
}
