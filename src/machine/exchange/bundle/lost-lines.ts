import { createHash } from "node:crypto";
import type { Entry, EntryBase, EntryOf, Origin } from "../../../record/entry.ts";
import { type EntryId, newEntryId, toSeq } from "../../../record/ids.ts";

/**
 * Puts an `error` entry where a line of the source was lost: lines are dense in a new log, and
 * what was lost stays visible. It stands where the lost entry stood, as far as those behind it
 * tell. The same bundle always gives the same entries, so that a second import finds the first.
 */
export function fillLostLines(entries: readonly Entry[], lost: readonly number[]): Entry[] {
  if (lost.length === 0) return [...entries];
  const isLost = new Set(lost);
  const known = new Set(entries.map((entry) => entry.id));
  const filled: Entry[] = [];
  const rest = [...entries].reverse();
  for (let seq = 1; rest.length > 0 || isLost.has(seq); seq += 1) {
    const next = rest.at(-1);
    if (!isLost.has(seq)) filled.push(rest.pop() as Entry);
    else {
      const standIn = standInFor(seq, { filled, next, known });
      known.add(standIn.id);
      filled.push(standIn);
    }
  }
  return filled;
}

interface Neighbours {
  /** All lines before this one. */
  readonly filled: readonly Entry[];
  readonly next: Entry | undefined;
  readonly known: ReadonlySet<EntryId>;
}

function standInFor(seq: number, { filled, next, known }: Neighbours): Entry {
  const before = filled.at(-1) as Entry;
  // Only the entry right behind this line can have hung on it and on nothing that is known.
  const wanted = next?.seq === seq + 1 ? next.parent : null;
  const id = wanted === null || known.has(wanted) ? derivedId(before, seq) : wanted;
  const body: Pick<EntryOf<"error">, "kind" | "code" | "message"> = {
    kind: "error",
    code: "STORE_UNREADABLE",
    message: `Line ${seq} could not be read when this session was exported.`,
  };
  return { seq: toSeq(seq), id, at: before.at, ...placeOf(seq, filled, next), ...body };
}

/** If the next entry says that a journey stood here, the place is where that journey landed. */
function placeOf(
  seq: number,
  filled: readonly Entry[],
  next: Entry | undefined,
): Pick<EntryBase, "parent" | "origin"> {
  const landing = next?.origin?.[1] === seq ? filled[next.origin[0] - 1] : undefined;
  if (landing !== undefined && next?.origin !== undefined) return { parent: landing.id, origin: next.origin };
  const before = filled.at(-1) as Entry;
  const origin: Origin | undefined = before.origin;
  return { parent: before.id, ...(origin === undefined ? {} : { origin }) };
}

function derivedId(before: Entry, seq: number): EntryId {
  const bytes = createHash("sha256").update(`${before.id} ${seq}`).digest();
  return newEntryId((count) => bytes.subarray(0, count));
}
