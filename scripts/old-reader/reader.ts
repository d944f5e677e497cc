import type { Checksum } from "../../src/record/codec.ts";
import { readLines } from "../../src/record/codec.ts";
import type { Entry, EntryOf } from "../../src/record/entry.ts";
import type { BlobHash } from "../../src/record/ids.ts";
import { fill } from "../../src/record/shape.ts";
import { checkpointsOf, findCheckpoint } from "../../src/timeline/checkpoints.ts";
import type { Context } from "../../src/timeline/context/context.ts";
import { contextOf, lastCompaction, shownLines } from "../../src/timeline/context/context.ts";
import { Outline } from "../../src/timeline/outline.ts";

/** What reading needs from the platform: the checksum of lines, and the texts in blobs. */
export interface World {
  readonly checksum: Checksum;
  readonly blob: (hash: string) => string;
}

export interface ReadLog {
  readonly entries: readonly Entry[];
  /** The reason why each unreadable stretch could not be read. */
  readonly faults: readonly string[];
  /** Kinds that this reader does not know, in log order. */
  readonly foreignKinds: readonly string[];
  /** Entries that could not be used. */
  readonly oddities: readonly object[];
  readonly checkpoints: readonly number[];
  /** The context at the head, or at a checkpoint. */
  readonly contextAt: (checkpoint?: number) => Context;
}

/**
 * Reads a log: from bytes to lines to entries, from these to an outline, and from that to the context at any
 * checkpoint.
 */
export function readLog(bytes: Uint8Array, world: World): ReadLog {
  const { stretches, consumed } = readLines(bytes, world.checksum);
  const entries = stretches.flatMap(({ entry }) =>
    entry === undefined ? [] : fill(entry, (hash: BlobHash) => world.blob(hash)),
  );
  const faults: string[] = stretches.flatMap((each) => (each.entry === undefined ? each.fault : []));
  if (consumed !== bytes.length) faults.push("tail");
  const outline = new Outline();
  for (const entry of entries) outline.add(entry);
  const entryAt = (line: number): Entry => {
    const entry = entries.find(({ seq }) => seq === line);
    if (entry === undefined) throw new Error(`Line ${line} is lost.`);
    return entry;
  };
  return {
    entries,
    faults,
    foreignKinds: entries.flatMap((entry) => (entry.kind === "foreign" ? entry.foreignKind : [])),
    oddities: outline.oddities,
    checkpoints: checkpointsOf(outline).map(({ number }) => number),
    contextAt: (checkpoint) => {
      const head = checkpoint === undefined ? outline.head : findCheckpoint(outline, checkpoint);
      const found = lastCompaction(outline, head);
      const compaction = found === undefined ? undefined : (entryAt(found.seq) as EntryOf<"compaction">);
      const shown = shownLines(outline, head, compaction);
      return contextOf({
        session: entryAt(1) as EntryOf<"session">,
        ...(compaction === undefined ? {} : { compaction }),
        pinned: shown.pinned.map(entryAt),
        entries: shown.entries.map(entryAt),
      });
    },
  };
}
