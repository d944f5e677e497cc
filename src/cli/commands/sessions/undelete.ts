import { heard } from "../../../app/interrupts.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { keptUntil } from "../../../app/sessions/trash.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { LogStore, Trashed } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, rest } from "../../command/parameters.ts";
import { shellWording } from "../../places/command-again.ts";
import { nameOf } from "./name-of.ts";
import { trashLines } from "./trash-list.ts";

export const undelete = defineCommand({
  description: "Brings sessions back from the trash, as they were when they were deleted.",
  arguments: { sessions: rest("the sessions: ids, or beginnings of them; see --list") },
  options: { list: flag("list what is in the trash, and until when it is kept") },
  examples: [
    { command: "worldline sessions undelete --list", meaning: "what can be brought back" },
    { command: "worldline sessions undelete k3f9", meaning: "the one whose id begins like that" },
  ],
  run: async ({ arguments: { sessions: given }, options, frame }) => {
    const store = openStore(frame);
    const wanted = given.length === 0 && frame.common.session !== undefined ? [frame.common.session] : given;
    const trashed = await store.listTrash();
    if (options.list) {
      if (wanted.length > 0) throw listOrBring();
      await listTrash(frame, trashed);
      return;
    }
    if (wanted.length === 0) throw nothingNamed();
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
    throw new WorldlineError("session-not-in-trash", { given: wanted, is: there ? "not-deleted" : "unknown" });
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

function nothingNamed(): WorldlineError {
  return new WorldlineError("session-to-undelete-unnamed", {});
}

function listOrBring(): WorldlineError {
  return new WorldlineError("trash-list-takes-no-session", {});
}
