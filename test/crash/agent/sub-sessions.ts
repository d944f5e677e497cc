import { expect } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { holdSession } from "../../../src/machine/open.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Entry } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { expectTold, linesOfLog, lostOf } from "./judge.ts";

/**
 * Opens the sessions of all sub-agents and checks that each is intact, belongs to this parent, and knows its
 * own state.
 */
export async function expectSubSessions(
  store: LogStore,
  parent: SessionId,
  said: readonly string[],
): Promise<{ readonly count: number; readonly lost: number; readonly entries: readonly Entry[] }> {
  let lost = 0;
  const all: Entry[] = [];
  const others = (await store.list()).filter((id) => id !== parent);
  for (const id of others) {
    const session = await holdSession({ store, clock: systemClock }, id, { name: "the judge" });
    const entries = await linesOfLog(session, store, id);
    all.push(...entries);
    lost += lostOf(said, id, entries);
    expect(session.header.task?.session).toBe(parent);
    await expectTold(session, entries);
    expect(await store.verify(id)).toEqual([]);
    await session.close();
  }
  return { count: others.length, lost, entries: all };
}
