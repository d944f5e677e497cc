import { isUnreadable } from "../../disk/lock/owner.ts";
import type { Holding } from "../../machine/open.ts";
import { type Ground, holdSession } from "../../machine/open.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Frame } from "../command/frame.ts";

export interface Hold {
  readonly frame: Frame;
  readonly ground: Ground;
  readonly session: SessionId;
  /** What others are told while this command writes: "worldline rewind". */
  readonly name: string;
}

/**
 * Does `work` as the session's one writer. A living owner is waited for, and named; the right to write is
 * given back whatever happens.
 */
export async function withHeld<Result>(
  hold: Hold,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { frame, ground, name } = hold;
  const session = await holdSession(ground, hold.session, await holdingOf(frame, name));
  try {
    for (const { bytes, file } of session.recovery.setAside) {
      frame.output.warn(frame.strings.sessionsHere.setAside(bytes, file));
    }
    return await work(session);
  } finally {
    await session.close();
  }
}

async function holdingOf(frame: Frame, name: string): Promise<Holding> {
  const { values } = await frame.settings();
  const waitMs = values["lock.waitMs"];
  const { sessions, sessionsHere } = frame.strings;
  return {
    name,
    waitMs,
    takeOver: frame.common.takeOver,
    onWait: (owner) => {
      const who = isUnreadable(owner)
        ? sessions.holders.unreadable
        : sessionsHere.owner(owner.name, owner.pid, owner.host);
      frame.output.notice(sessionsHere.waiting(who, waitMs));
    },
  };
}
