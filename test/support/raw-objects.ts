import { createHash } from "node:crypto";
import type { SnapshotObject } from "../../src/ports/snapshot-objects.ts";
import type { ObjectHash } from "../../src/record/ids.ts";

/** One folder entry as docs/format.md defines it, without any checks: names and targets are latin1. */
export type RawEntry =
  | { readonly kind: "file"; readonly name: string; readonly mode?: number; readonly hash: string }
  | { readonly kind: "folder"; readonly name: string; readonly mode?: number; readonly hash: string }
  | { readonly kind: "link"; readonly name: string; readonly target: string }
  | { readonly kind: "raw"; readonly bytes: Buffer };

const ROOM = 16;

function number(value: number): Buffer {
  const bytes = Buffer.alloc(ROOM);
  let length = 0;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[length++] = (rest % 0x80) + 0x80;
  bytes[length++] = rest;
  return bytes.subarray(0, length);
}

function text(value: string, encoding: "latin1" | "utf8"): Buffer {
  const bytes = Buffer.from(value, encoding);
  return Buffer.concat([number(bytes.length), bytes]);
}

function entryBytes(entry: RawEntry): Buffer {
  switch (entry.kind) {
    case "file": {
      const { name, mode = 0o644, hash } = entry;
      const fields = [text(name, "latin1"), number(mode), number(1), Buffer.from(hash, "hex")];
      return Buffer.concat([Buffer.of(1), ...fields]);
    }
    case "folder": {
      const { name, mode = 0o755, hash } = entry;
      const fields = [text(name, "latin1"), number(mode), number(0), Buffer.from(hash, "hex")];
      return Buffer.concat([Buffer.of(2), ...fields]);
    }
    case "link":
      return Buffer.concat([Buffer.of(3), text(entry.name, "latin1"), text(entry.target, "latin1")]);
    default:
      return entry.bytes;
  }
}

export function rawFolder(entries: readonly RawEntry[], count: number = entries.length): SnapshotObject {
  const bytes = Buffer.concat([Buffer.of(1), number(0), number(count), ...entries.map(entryBytes)]);
  return { kind: "folder", hash: hashOf("folder", bytes), bytes };
}

export function rawContent(value: string): SnapshotObject {
  const bytes = Buffer.from(value);
  return { kind: "content", hash: createHash("sha256").update(bytes).digest("hex") as ObjectHash, bytes };
}

export function rawSnapshot(root: string, workspace = "/work/space", mode = 0o755): SnapshotObject {
  const fields = [number(mode), Buffer.from(root, "hex"), text(workspace, "utf8"), Buffer.of(0)];
  const bytes = Buffer.concat([Buffer.of(1), ...fields]);
  return { kind: "snapshot", hash: hashOf("snapshot", bytes), bytes };
}

function hashOf(kind: "folder" | "snapshot", bytes: Buffer): ObjectHash {
  return createHash("sha256").update(`worldline ${kind}\0`).update(bytes).digest("hex") as ObjectHash;
}

/** Nested folders with one file at the bottom: `depth` folders below the root. */
export function nested(depth: number, name = "d"): { root: ObjectHash; objects: SnapshotObject[] } {
  const content = rawContent("x");
  const objects = [content, rawFolder([{ kind: "file", name: "secret", hash: content.hash }])];
  for (let level = 0; level < depth; level += 1) {
    objects.push(rawFolder([{ kind: "folder", name, hash: (objects.at(-1) as SnapshotObject).hash }]));
  }
  return { root: (objects.at(-1) as SnapshotObject).hash, objects };
}

/** Each folder contains the next one twice: 2^levels paths, but only as many objects as levels. */
export function diamond(levels: number): { root: ObjectHash; objects: SnapshotObject[] } {
  const content = rawContent("x");
  const objects = [content, rawFolder([{ kind: "file", name: "secret", hash: content.hash }])];
  for (let level = 0; level < levels; level += 1) {
    const { hash } = objects.at(-1) as SnapshotObject;
    objects.push(rawFolder(["a", "b"].map((name) => ({ kind: "folder", name, hash }))));
  }
  return { root: (objects.at(-1) as SnapshotObject).hash, objects };
}
