import type { ObjectHash } from "../../record/ids.ts";
import { recordFault } from "../../strings/errors/en/files.ts";
import { type Stretch, scan } from "./format/scan.ts";
import { decodePayload } from "./format/segment-record.ts";
import { isUnfinished } from "./format/settled.ts";
import type { Segment } from "./segment.ts";
import type { SegmentDamage } from "./segment-store.ts";

/** Reads every record of a segment. What its writer may still be writing, or died over, is no damage. */
export function verifySegment(segment: Segment, onProgress: (bytes: number) => void): SegmentDamage[] {
  const stretches: Stretch[] = [];
  const found: { readonly stretch: Stretch; readonly why: string }[] = [];
  scan(segment.read, { from: 0, to: segment.size }, (stretch, payload) => {
    stretches.push(stretch);
    const why = whyDamaged(stretch, payload);
    if (why !== undefined) found.push({ stretch, why });
    onProgress(stretch.end);
  });
  const names = found.some(({ stretch }) => stretch.is === "gap") ? namesByPlace(segment) : new Map();
  return found
    .filter(({ stretch }) => segment.lock !== "held" || !isUnfinished(stretch, stretches))
    .map(({ stretch, why }) => {
      const hash = stretch.is === "record" ? stretch.header.hash : names.get(stretch.at);
      return { segment: segment.id, offset: stretch.at, ...(hash === undefined ? {} : { hash }), why };
    });
}

function whyDamaged(stretch: Stretch, payload: Buffer): string | undefined {
  if (stretch.is === "gap") return `${stretch.end - stretch.at} bytes are no record`;
  const decoded = decodePayload(stretch.header, payload);
  if ("why" in decoded) return recordFault(decoded.why);
  return stretch.payload === "damaged" ? "its checksum does not fit" : undefined;
}

/** The index may know what stood where now nothing can be read. */
function namesByPlace(segment: Segment): Map<number, ObjectHash> {
  const names = new Map<number, ObjectHash>();
  segment.each((hash, { at }) => names.set(at, hash));
  return names;
}
