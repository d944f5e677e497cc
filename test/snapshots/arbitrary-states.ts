import { createHash } from "node:crypto";
import fc from "fast-check";
import type { FileContent, FileState, LeftOut, PathBytes } from "../../src/record/files.ts";
import type { ObjectHash } from "../../src/record/ids.ts";

export const REASONS: readonly LeftOut[] = [
  "ignored",
  "too-large",
  "git",
  "own-store",
  "special",
  "unreadable",
  "changing",
];

/** The hash of a content; tests that only look at folders never need the content itself. */
export function hashOf(text: string): ObjectHash {
  return createHash("sha256").update(text).digest("hex") as ObjectHash;
}

export function fileOf(text: string, mode = 0o644): FileContent {
  return { kind: "file", mode, size: text.length, hash: hashOf(text) };
}

/** Any bytes that a file system accepts as a name. */
export const anyName: fc.Arbitrary<PathBytes> = fc
  .array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString("latin1"))
  .filter((name) => !name.includes("/") && ![".", "..", ".git"].includes(name));

const anyMode = fc.integer({ min: 0, max: 0o7777 });
const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 });

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex") as ObjectHash;

export const anyFile: fc.Arbitrary<FileState> = fc.record({
  kind: fc.constant("file" as const),
  mode: anyMode,
  size: fc.maxSafeNat(),
  hash: anyHash.map(hexOf),
});

export const anyLink: fc.Arbitrary<FileState> = fc.record({
  kind: fc.constant("link" as const),
  target: fc.array(anyName, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
});

export const anyLeftOut: fc.Arbitrary<FileState> = fc.record({
  kind: fc.constant("left-out" as const),
  why: fc.constantFrom(...REASONS),
});

export const anyFolderState: fc.Arbitrary<FileState> = fc.record({
  kind: fc.constant("folder" as const),
  mode: anyMode,
  hash: anyHash.map(hexOf),
});
