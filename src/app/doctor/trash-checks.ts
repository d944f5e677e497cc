import { readdir } from "node:fs/promises";
import { systemClock } from "../../disk/system-clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { sessionsFolder, trashFolder } from "../../stores/files/places.ts";
import type { AppContext } from "../context.ts";
import { heard } from "../context.ts";
import { dropFilesOf, expiredTrash, tidyTrash } from "../sessions/trash.ts";
import { type Check, type Finding, finding, type Mode } from "./check.ts";

export interface TrashOptions {
  readonly context: AppContext;
  readonly store: LogStore;
  readonly mode: Mode;
  /**
   * Number of days that deleted sessions are kept. If the settings cannot be read, the number is undefined and nothing
   * is removed.
   */
  readonly days: number | undefined;
}

export async function trashChecks(options: TrashOptions): Promise<readonly Check[]> {
  const { context, store, mode, days } = options;
  const leftovers = await leftoversIn(store);
  const count = (await store.listTrash()).length;
  const fine = (kept: number): Check => ({ about: "trash", status: "ok", finding: finding("trash", kept) });
  if (days === undefined) {
    const untouched = count === 0 ? [] : [note(finding("trashUntouched"))];
    return [fine(count), ...untouched, ...leftoverNotes(leftovers)];
  }
  const moment = { days, now: systemClock.now() };
  const expired = (await expiredTrash(store, moment)).map(({ session }) => session);
  if (mode === "check") {
    const due: Check = {
      ...note(finding("trashExpired", expired.join(", "), days)),
      hint: finding("trashExpiredHint"),
      fixable: true,
    };
    return [fine(count), ...(expired.length === 0 ? [] : [due]), ...leftoverNotes(leftovers)];
  }
  const removed = await heard(context, async () => tidyTrash(store, moment));
  await dropFilesOf(context, store, removed);
  const left = await leftoversIn(store);
  return [
    fine(count - removed.length),
    ...(removed.length === 0 ? [] : [fixed(finding("trashRemoved", removed.join(", "), days))]),
    ...(left < leftovers ? [fixed(finding("leftoversRemoved", leftovers - left))] : []),
    ...leftoverNotes(left),
  ];
}

function leftoverNotes(count: number): Check[] {
  return count === 0 ? [] : [{ ...note(finding("leftovers", count)), hint: finding("leftoversHint") }];
}

/**
 * Counts folders that a crash left unfinished in a file store. A folder's name begins with a dot until the folder is
 * complete.
 */
async function leftoversIn({ place }: LogStore): Promise<number> {
  if (place.kind !== "files") return 0;
  let count = 0;
  for (const folder of [sessionsFolder(place.name), trashFolder(place.name)]) {
    // If a folder cannot be read, the store reports the error when it lists the sessions in that folder.
    const names = await readdir(folder).catch(() => []);
    count += names.filter((name) => /^\.(?:new|gone)-/u.test(name)).length;
  }
  return count;
}

function note(found: Finding): Check {
  return { about: "trash", status: "note", finding: found };
}

function fixed(found: Finding): Check {
  return { about: "trash", status: "fixed", finding: found };
}
