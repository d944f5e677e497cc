import type { ObjectHash } from "../../../record/ids.ts";
import type { ObjectKind } from "../../objects/object-store.ts";
import type { RecordStretch, ScanRange, Stretch } from "./scan.ts";

/** Where a record is. */
export interface Row {
  readonly at: number;
  readonly kind: ObjectKind;
  readonly rawBytes: number;
  readonly packedBytes: number;
}

export type Rows = Map<ObjectHash, Row>;

/**
 * What is known of the records of a stretch of a segment.
 *
 * Only what is settled may save somebody from writing it again: what another process has written but not
 * synced may be cut off again, or lost with the power. It can be read while it is there.
 */
export interface Settled {
  readonly sure: Rows;
  /** Settled, but damaged, or behind damage. */
  readonly doubtful: Rows;
  /** Not settled: to be looked at again. */
  readonly loose: Rows;
  /** Where to look on. */
  readonly end: number;
}

/**
 * Sorts what a scan found. "free": nobody holds the segment, so its last writer has synced it, or what is there
 * has survived the loss of power. "held": its last batch may still be on its way.
 */
export function settle(stretches: readonly Stretch[], from: number, lock: "free" | "held"): Settled {
  const end =
    (lock === "free" ? stretches.findLast((each) => each.is === "record")?.end : lastBatch(stretches)?.at) ??
    from;
  const settled = { sure: new Map(), doubtful: new Map(), loose: new Map(), end } satisfies Settled;
  for (const stretch of stretches) {
    if (stretch.is === "gap") continue;
    rowsFor(settled, stretch).set(stretch.header.hash, rowOf(stretch));
  }
  return settled;
}

function rowsFor(settled: Settled, { at, payload, reached }: RecordStretch): Rows {
  if (at >= settled.end) return settled.loose;
  return payload === "whole" && reached === "in-order" ? settled.sure : settled.doubtful;
}

function rowOf({ at, header: { kind, rawBytes, packedBytes } }: RecordStretch): Row {
  return { at, kind, rawBytes, packedBytes };
}

/** The first record of the last batch: everything before it is durable. */
function lastBatch(stretches: readonly Stretch[]): Stretch | undefined {
  return stretches.findLast(
    (each) => each.is === "record" && each.header.batch === "begins" && each.reached === "in-order",
  );
}

/** Whether bytes that are no whole record may be what somebody was still writing, and never acknowledged. */
export function isUnfinished(stretch: Stretch, stretches: readonly Stretch[]): boolean {
  return stretch.at >= (lastBatch(stretches)?.at ?? 0);
}

/**
 * Where a writer may go on, cutting what is behind. Undefined when something could be lost by that: then the segment is
 * left as it is. Only what is torn at the end is ever cut, in the last batch, which was then never acknowledged: a whole
 * record behind the damage may have been, and one byte that went bad must not cost it.
 */
export function endToGoOnFrom(stretches: readonly Stretch[], { from, to }: ScanRange): number | undefined {
  const bad = stretches.findIndex(isBad);
  const torn = stretches[bad];
  if (torn === undefined) return stretches.at(-1)?.end ?? Math.min(from, to);
  const settledEnd = lastBatch(stretches)?.at ?? from;
  const isCut = torn.at >= settledEnd && stretches.slice(bad).every(isBad);
  return isCut ? torn.at : undefined;
}

function isBad(stretch: Stretch): boolean {
  return stretch.is === "gap" || stretch.payload === "damaged";
}
