import { describe, expect, it } from "vitest";
import type { FileState, PathChange } from "../../src/record/files.ts";
import { isCovered, seenChanges } from "../../src/travel/plan-files.ts";

const file: FileState = { kind: "file", hash: "h" as never, size: 1, mode: 0o644 };
const folder: FileState = { kind: "folder", hash: "f" as never, mode: 0o755 };
const unread: FileState = { kind: "left-out", why: "unreadable" };

it("a folder that could not be read says nothing about its contents", () => {
  const changes: PathChange[] = [
    { path: "a.txt", before: file, after: undefined },
    { path: "closed", before: folder, after: unread },
    { path: "closed/in/deep.txt", before: file, after: undefined },
    { path: "closed/s.txt", before: file, after: undefined },
    { path: "closed.txt", before: file, after: undefined },
    { path: "opened", before: unread, after: folder },
    { path: "opened/new.txt", before: undefined, after: file },
  ];
  expect(seenChanges(changes).map(({ path }) => path)).toEqual(["a.txt", "closed", "closed.txt", "opened"]);
});

it("without such a folder all changes were seen", () => {
  const changes: PathChange[] = [{ path: "a.txt", before: file, after: undefined }];
  expect(seenChanges(changes)).toBe(changes);
});

it("the contents of a root that could not be read are unknown, but not the fact that it could not be read", () => {
  const root: PathChange = { path: "", before: folder, after: unread };
  const changes: PathChange[] = [root, { path: "a.txt", before: file, after: undefined }];
  expect(seenChanges(changes)).toEqual([root]);
});

describe("a path", () => {
  it("is covered unless a snapshot left it out, or a folder above it", () => {
    const changes: PathChange[] = [
      { path: "a.txt", before: file, after: undefined },
      { path: "closed", before: folder, after: unread },
      { path: "closed/s.txt", before: file, after: undefined },
      { path: "closed.txt", before: undefined, after: file },
      { path: "opened", before: unread, after: undefined },
      { path: "opened/in/new.txt", before: undefined, after: file },
    ];
    const covered = changes.filter(isCovered(changes)).map(({ path }) => path);
    expect(covered).toEqual(["a.txt", "closed.txt"]);
  });
});
