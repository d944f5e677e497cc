import { isUnreadable } from "../../disk/lock/owner.ts";
import { lastMomentLine } from "../../machine/files/intervals.ts";
import type { Holding } from "../../machine/open.ts";
import { type Ground, holdSession } from "../../machine/open.ts";
import type { Session } from "../../machine/session.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Frame } from "../command/frame.ts";
import { settledText } from "../show/files/settled-text.ts";
import { noteCaptured } from "./files/files.ts";

export interface Hold {
  readonly frame: Frame;
  readonly ground: Ground;
  readonly session: SessionId;
  /** What others are told while this command writes: "worldline rewind". */
  readonly name: string;
  /** The files of the session's workspace, where the command has to do with them. */
  readonly files?: WorkspaceFiles | undefined;
  /** How long to wait for a living owner; by default as long as the settings say. */
  readonly waitMs?: number;
}

/**
 * Does `work` as the session's one writer. A living owner is waited for, and named; the right to write is
 * given back whatever happens.
 */
export async function withHeld<Result>(
  hold: Hold,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { frame, name, files } = hold;
  const ground = files === undefined ? hold.ground : { ...hold.ground, files };
  const session = await holdSession(ground, hold.session, await holdingOf(frame, name, hold.waitMs));
  const moments = lastMomentLine(session.outline);
  session.on((event) => {
    if (event.type === "publish-failed")
      frame.output.warn(frame.strings.sessionsHere.listUnwritten(event.error.message));
  });
  try {
    const told = tellOpened(frame, session);
    const result = await work(session);
    tellSettled(frame, session, told);
    return result;
  } finally {
    if (files !== undefined && lastMomentLine(session.outline) > moments) noteCaptured(files);
    await session.close();
  }
}

/** What opening a session has put in order. Returns how many settled restores that were. */
export function tellOpened(frame: Frame, session: Session): number {
  for (const { bytes, file } of session.recovery.setAside) {
    frame.output.warn(frame.strings.sessionsHere.setAside(bytes, file));
  }
  return tellSettled(frame, session, 0);
}

/**
 * Restores that a crash had cut off were settled on the way: nobody should find that out by themselves. Returns how
 * many have been told, as a journey settles those of other sessions too.
 */
function tellSettled({ output, strings }: Frame, { settled }: Session, told: number): number {
  for (const restore of settled.restores.slice(told)) output.warn(settledText(restore, strings));
  if (settled.trouble !== undefined && told === 0) output.warn(settled.trouble.message);
  return settled.restores.length;
}

async function holdingOf(frame: Frame, name: string, wanted: number | undefined): Promise<Holding> {
  const { values } = await frame.settings();
  const waitMs = wanted ?? values["lock.waitMs"];
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
