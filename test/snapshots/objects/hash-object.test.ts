import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashObject } from "../../../src/snapshots/objects/object.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("the hash of an object", () => {
  it("is, of a file's content, what any other tool computes", () => {
    expect(hashObject("content", Buffer.from("hello\n"))).toBe(sha256("hello\n"));
    expect(hashObject("content", Buffer.from(""))).toBe(sha256(""));
    expect(hashObject("content", Buffer.from("worldline"))).toBe(sha256("worldline"));
  });

  it("is never that of another kind, whatever a file holds", () => {
    const folder = "some entries";
    const asFolder = `worldline folder\0${folder}`;
    const asContent = `worldline content\0${asFolder}`;
    const hashes = [
      hashObject("folder", Buffer.from(folder)),
      hashObject("snapshot", Buffer.from(folder)),
      ...[folder, asFolder, asContent, "worldline "].map((text) => hashObject("content", Buffer.from(text))),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
