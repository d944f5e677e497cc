import { createHash } from "node:crypto";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import { sealMember, sealRecord } from "../../src/machine/exchange/bundle/records.ts";
import type { SnapshotObject } from "../../src/ports/snapshot-objects.ts";
import { encodeEntry } from "../../src/record/codec.ts";
import type { Entry } from "../../src/record/entry.ts";
import type { JsonObject } from "../../src/record/parts.ts";

export type Line = Record<string, unknown>;

/** The lines of a bundle, without their seals. */
export function linesIn(bundle: Uint8Array): Line[] {
  const lines = gunzipSync(bundle).toString("utf8").trim().split("\n").slice(0, -1);
  return lines.map((line) => {
    const { sum: _sum, ...rest } = JSON.parse(line) as Line;
    return rest;
  });
}

/** Packs lines as Worldline would, with valid counts and seals, so that only their content is wrong. */
export function packed(lines: readonly Line[]): Buffer {
  const bytes = lines.map((line) => {
    const counted = line["record"] === "end" ? { ...line, records: lines.length - 1 } : line;
    return "seq" in line
      ? encodeEntry(counted as unknown as Entry, crc32)
      : sealRecord(counted as JsonObject);
  });
  const member = gzipSync(Buffer.concat(bytes), { level: 1 });
  return Buffer.concat([member, sealMember(createHash("sha256").update(member).digest("hex"))]);
}

function objectLine({ kind, hash, bytes }: SnapshotObject): Line {
  const data = Buffer.from(bytes).toString("base64");
  return { record: "object", kind, hash, size: bytes.length, offset: 0, data };
}

/** The same bundle with another snapshot and its objects in place of its own. */
export function withSnapshot(
  lines: readonly Line[],
  snapshot: SnapshotObject,
  objects: readonly SnapshotObject[],
): Line[] {
  const ids = new Set(
    lines.flatMap((line) => (line["record"] === "files" ? (line["snapshots"] as string[]) : [])),
  );
  const others = lines
    .filter(({ record }) => record !== "object" && record !== "absent" && record !== "end")
    .map((line) => (ids.has(String(line["snapshot"])) ? { ...line, snapshot: snapshot.hash } : line))
    .map((line) => (line["record"] === "files" ? { ...line, snapshots: [snapshot.hash] } : line));
  return [...others, ...[...objects, snapshot].map(objectLine), { record: "end", records: 0 }];
}
