import { readdir } from "node:fs/promises";
import { heard } from "../../../../app/context.ts";
import { systemCode } from "../../../../app/places/home.ts";
import { dropFilesOf, expiredTrash, tidyTrash } from "../../../../app/sessions/trash.ts";
import { systemClock } from "../../../../disk/system-clock.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import { sessionsFolder, trashFolder } from "../../../../stores/files/places.ts";
import type { Frame } from "../../../frame.ts";
import type { Check, Mode } from "./check.ts";

export interface TrashExam {
  readonly frame: Frame;
  readonly store: LogStore;
  readonly mode: Mode;
  /** Undefined when the settings cannot tell: then nothing is removed. */
  readonly days: number | undefined;
}

export async function trashChecks(exam: TrashExam): Promise<readonly Check[]> {
  const { frame, store, mode, days } = exam;
  const { doctor } = frame.strings;
  const leftovers = await leftoversIn(store);
  const count = (await store.listTrash()).length;
  const fine = (kept: number): Check => ({ about: "trash", status: "ok", message: doctor.trash(kept) });
  if (days === undefined) {
    const untouched = count === 0 ? [] : [note(doctor.trashUntouched)];
    return [fine(count), ...untouched, ...leftoverNotes(frame, leftovers)];
  }
  const moment = { days, now: systemClock.now() };
  const expired = (await expiredTrash(store, moment)).map(({ session }) => session);
  if (mode === "look") {
    const due: Check = {
      ...note(doctor.trashExpired(expired.join(", "), days)),
      hint: doctor.trashExpiredHint,
      fixable: true,
    };
    return [fine(count), ...(expired.length === 0 ? [] : [due]), ...leftoverNotes(frame, leftovers)];
  }
  const removed = await heard(frame, async () => tidyTrash(store, moment));
  await dropFilesOf(frame, store, removed);
  const left = await leftoversIn(store);
  return [
    fine(count - removed.length),
    ...(removed.length === 0 ? [] : [fixed(doctor.trashRemoved(removed.join(", "), days))]),
    ...(left < leftovers ? [fixed(doctor.leftoversRemoved(leftovers - left))] : []),
    ...leftoverNotes(frame, left),
  ];
}

function leftoverNotes({ strings: { doctor } }: Frame, count: number): Check[] {
  return count === 0 ? [] : [{ ...note(doctor.leftovers(count)), hint: doctor.leftoversHint }];
}

/** What a crash left behind: only of files can there be any. They get a name without a dot when they are whole. */
async function leftoversIn({ place }: LogStore): Promise<number> {
  if (place.kind !== "files") return 0;
  let count = 0;
  for (const folder of [sessionsFolder(place.name), trashFolder(place.name)]) {
    try {
      count += (await readdir(folder)).filter((name) => /^\.(?:new|gone)-/u.test(name)).length;
    } catch (error) {
      if (!["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
    }
  }
  return count;
}

function note(message: string): Check {
  return { about: "trash", status: "note", message };
}

function fixed(message: string): Check {
  return { about: "trash", status: "fixed", message };
}
