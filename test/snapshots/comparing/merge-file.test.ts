import { describe, expect, it } from "vitest";
import type { FileContent } from "../../../src/record/files.ts";
import { mergeFile } from "../../../src/snapshots/comparing/merge-file.ts";
import { MemoryObjects } from "../memory-objects.ts";

function merging() {
  const objects = new MemoryObjects();
  const file = (text: string, mode = 0o644): FileContent => {
    const bytes = Buffer.from(text);
    return { kind: "file", mode, size: bytes.length, hash: objects.put("content", bytes) };
  };
  return { objects, file };
}

describe("putting edits onto a file", () => {
  it("keeps the target's mode where no edit changed it", () => {
    const { objects, file } = merging();
    const edits = [{ before: file("a\nb\nc\n"), after: file("a\nb\nC\n") }];
    expect(mergeFile(objects, file("A\nb\nc\n", 0o600), edits)).toEqual(file("A\nb\nC\n", 0o600));
  });

  it("takes the mode that the last edit to change it gave it", () => {
    const { objects, file } = merging();
    const edits = [
      { before: file("a\nb\nc\n"), after: file("a\nb\nc\n", 0o700) },
      { before: file("a\nb\nc\n", 0o700), after: file("a\nb\nC\n", 0o755) },
      { before: file("a\nb\nC\n", 0o755), after: file("a\nb\nD\n", 0o755) },
    ];
    expect(mergeFile(objects, file("A\nb\nc\n", 0o600), edits)).toEqual(file("A\nb\nD\n", 0o755));
  });

  it("does not put them onto anything but a file", () => {
    const { objects, file } = merging();
    const edits = [{ before: file("a"), after: file("b") }];
    expect(mergeFile(objects, { kind: "link", target: "x" }, edits)).toBeUndefined();
    expect(mergeFile(objects, file("a"), [{ before: file("a"), after: undefined }])).toBeUndefined();
  });
});
