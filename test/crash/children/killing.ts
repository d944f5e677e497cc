import { setTimeout } from "node:timers/promises";
import { openStore } from "../../../src/open-store.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { type BlobHash, type SessionId, toSeq } from "../../../src/record/ids.ts";
import { ManualClock, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { startChild } from "./child.ts";

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly rotations: number;
  readonly tornTails: number;
  readonly damage: number;
  /**
   * Writers that got the session at once, as they all must, but did not take it over from the killed writer.
   */
  readonly disinherited: number;
}

/** The entries and blobs that a session's writers acknowledged before they were killed. */
interface Acknowledged {
  readonly entries: Map<number, string>;
  readonly blobs: Set<BlobHash>;
}

/**
 * Starts writers on one session, kills each at a random moment, and compares what they acknowledged with what
 * the store holds.
 */
export async function killWriters(options: {
  readonly script: string;
  /** The store's address, and the home for whatever is kept in files. */
  readonly store: string;
  readonly home: string;
  /** The number of the session; 1 by default. */
  readonly session?: number;
  readonly kills: number;
  readonly seed: number;
}): Promise<KillReport> {
  const { script, home, kills, seed } = options;
  const story = new Story(sessionNumber(options.session ?? 1));
  const dice = new ManualClock({ seed });
  const store = openStore(options.store, { home });
  await store.create(story.begin());
  const acknowledged: Acknowledged = { entries: new Map(), blobs: new Set() };
  const heirs: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = startChild(script, [options.store, home, story.session]);
    await child.said("entry", dice.below(12));
    await setTimeout(dice.below(4));
    await child.kill();
    // A writer exits by itself only if it was refused the session or failed.
    const code = await child.ended;
    if (code !== null) throw new Error(`A writer ended by itself, with code ${code}.`);
    take(child.lines, acknowledged);
    heirs.push(...child.lines.filter((line) => line.startsWith("heir of ")));
  }
  const report = await compare(store, story.session, acknowledged);
  await store.close();
  const disinherited = heirs.slice(1).filter((line) => line === "heir of nobody").length;
  return { kills, disinherited, ...report };
}

function take(lines: readonly string[], into: Acknowledged): void {
  for (const line of lines) {
    const [what, first = "", second = ""] = line.split(" ");
    if (what === "entry") into.entries.set(Number(first), second);
    if (what === "blob") into.blobs.add(first as BlobHash);
  }
}

async function compare(store: LogStore, session: SessionId, acknowledged: Acknowledged) {
  const lease = await store.lease(session, { name: "the judge", waitMs: 0 });
  const { setAside } = await store.recover(session);
  const { outline } = await store.open(session);
  const found = new Map<number, string>(
    (await store.read(session, toSeq(1), outline.nextSeq)).map((entry) => [entry.seq, entry.id]),
  );
  const blobs = new Set(await store.listBlobs(session));
  const lostEntries = [...acknowledged.entries].filter(([seq, id]) => found.get(seq) !== id);
  const lostBlobs = [...acknowledged.blobs].filter((hash) => !blobs.has(hash));
  const damage = await store.verify(session);
  await lease.release();
  return {
    acknowledged: acknowledged.entries.size + acknowledged.blobs.size,
    lost: lostEntries.length + lostBlobs.length,
    rotations: outline.rows().filter((row) => row.kind === "rotated").length,
    tornTails: setAside.length,
    damage: damage.length,
  };
}
