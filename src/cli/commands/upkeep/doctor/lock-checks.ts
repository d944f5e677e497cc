import type { Owner } from "../../../../ports/lease.ts";
import type { SessionId } from "../../../../record/ids.ts";
import type { Frame } from "../../../command/frame.ts";
import { holderOf } from "../../../timeline/on-disk.ts";
import { type Check, holding, type SessionsExam } from "./check.ts";

/** Who has locked the session, when that is worth a word. */
export async function lockChecks(exam: SessionsExam, session: SessionId): Promise<readonly Check[]> {
  const { frame } = exam;
  const holder = holderOf(frame.home, session);
  if (holder === undefined) return [];
  const { doctor } = frame.strings;
  const about = (text: string) => doctor.about(session, "", text);
  const { owner, life } = holder;
  if (owner === undefined || life === "elsewhere") {
    const message = owner === undefined ? doctor.lockUnreadable : doctor.lockElsewhere(nameOf(owner, frame));
    return [
      { about: "sessions", status: "warning", message: about(message), hint: doctor.lockElsewhereHint },
    ];
  }
  const name = nameOf(owner, frame);
  if (life === "living") return [{ about: "sessions", status: "note", message: about(doctor.inUse(name)) }];
  if (exam.mode === "look") {
    const message = about(doctor.lockOfDead(name));
    return [{ about: "sessions", status: "note", message, hint: doctor.lockOfDeadHint, fixable: true }];
  }
  // Taking it over and giving it back is the one way that is safe beside others who try the same.
  const lease = await exam.store.lease(session, { ...holding, waitMs: 0 });
  await lease.release();
  return [{ about: "sessions", status: "fixed", message: about(doctor.lockRemoved(name)) }];
}

function nameOf({ name, pid, host }: Owner, { strings }: Frame): string {
  return strings.sessionsHere.owner(name, pid, host);
}
