import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { LogStore } from "../../src/ports/log-store.ts";
import type { Entry } from "../../src/record/entry.ts";
import { newEntryId, toSeq } from "../../src/record/ids.ts";
import { ManualClock, type Story } from "../../src/testing/testing.ts";
import type { Ledger } from "./script.ts";

const EVER = toSeq(1_000_000);

/**
 * Reopens the session after a fault and continues writing to it. Every acknowledged entry must exist; entries in flight
 * may exist, in their place.
 */
export async function checkNothingLost(open: () => LogStore, story: Story, ledger: Ledger): Promise<void> {
  const { session } = story;
  const store = open();
  if ((await store.listTrash()).some((each) => each.session === session)) await store.undelete(session);
  if (ledger.acknowledged.length === 0 && !(await store.list()).includes(session)) return;
  expect(await store.list()).toEqual([session]);
  await store.open(session);
  expectEntries(await store.read(session, toSeq(1), EVER), ledger);

  const lease = await store.lease(session, { name: "the next one", waitMs: 0 });
  await store.recover(session);
  const { outline } = await store.open(session);
  const found = await store.read(session, toSeq(1), EVER);
  expectEntries(found, ledger);
  for (const { hash, bytes } of ledger.blobs) {
    expect(Buffer.from(await store.getBlob(session, hash)).equals(bytes)).toBe(true);
  }
  const next = nextEntry(outline.nextSeq, outline.head?.id ?? null);
  await store.append(session, next.seq, [next]);
  await lease.release();
  await store.close();

  const after = open();
  const reopened = await after.open(session);
  expect(reopened.outline.head?.id).toBe(next.id);
  expect(reopened.damage.filter((each) => each.what === "torn-tail")).toEqual([]);
  expect(await after.read(session, toSeq(1), EVER)).toEqual([...found, next]);
  await after.close();
}

function expectEntries(found: readonly Entry[], ledger: Ledger): void {
  const { acknowledged, underway, rewriting } = ledger;
  const wanted = acknowledged.map((entry, at) => {
    const after = rewriting(entry);
    return isDeepStrictEqual(found[at], after) ? after : entry;
  });
  expect(found.slice(0, acknowledged.length)).toEqual(wanted);
  for (const entry of found.slice(acknowledged.length)) {
    expect(underway).toContainEqual(entry);
  }
}

function nextEntry(seq: Entry["seq"], parent: Entry["parent"]): Entry {
  const clock = new ManualClock({ seed: 99 });
  const id = newEntryId((count) => clock.random(count));
  return { seq, id, parent, at: "2026-01-02T00:00:00.000Z", kind: "title", title: "after the crash" };
}
