import { holderIn } from "../../../../app/sessions/store.ts";
import type { Holder, Owner } from "../../../../ports/lease.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import type { SessionId } from "../../../../record/ids.ts";
import type { Frame } from "../../../frame.ts";
import { type Check, holdingOf, type SessionsExam } from "./check.ts";

/** Who has locked the session, when that is worth a word; what is only left over goes with `--fix`. */
export async function lockChecks(exam: SessionsExam, session: SessionId): Promise<readonly Check[]> {
  const { frame, mode } = exam;
  const holder = await holderIn(exam.store, session);
  if (holder === undefined) return [];
  const finding = findingOf(holder, frame);
  const { doctor } = frame.strings;
  const found: Check = {
    about: "sessions",
    status: finding.status,
    message: doctor.about(session, "", finding.message),
    ...(finding.hint === undefined ? {} : { hint: finding.hint }),
  };
  if (finding.removed === undefined) return [found];
  if (mode === "look") return [{ ...found, fixable: true }];
  try {
    // Taking it over and giving it back is the one way that is safe beside others who try the same.
    const lease = await exam.store.lease(session, { ...holdingOf(frame), waitMs: 0 });
    await lease.release();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [{ ...found, hint: [error.message, error.hint].join(" ").trim() }];
  }
  return [{ about: "sessions", status: "fixed", message: doctor.about(session, "", finding.removed) }];
}

interface Finding {
  readonly status: "note" | "warning";
  readonly message: string;
  readonly hint?: string;
  /** What to say when it is gone; without it the lock is not ours to remove. */
  readonly removed?: string;
}

function findingOf({ owner, life }: Holder, frame: Frame): Finding {
  const { doctor } = frame.strings;
  if (owner === undefined) {
    const { lockUnreadable: message, lockUnreadableHint: hint, lockUnreadableRemoved: removed } = doctor;
    return { status: "warning", message, hint, removed };
  }
  const name = nameOf(owner, frame);
  switch (life) {
    case "living":
      return { status: "note", message: doctor.inUse(name) };
    case "dead":
      return {
        status: "note",
        message: doctor.lockOfDead(name),
        hint: doctor.lockOfDeadHint,
        removed: doctor.lockRemoved(name),
      };
    case "elsewhere":
      return {
        status: "warning",
        message: doctor.lockElsewhere(name),
        hint: doctor.lockElsewhereHint,
        ...(frame.common.takeOver === "yes" ? { removed: doctor.lockTakenOver(name) } : {}),
      };
    default:
      return life satisfies never;
  }
}

function nameOf({ name, pid, host }: Owner, { strings }: Frame): string {
  return strings.sessionsHere.owner(name, pid, host);
}
