import { describe, expect, it } from "vitest";
import type { EntryKind } from "../../src/record/entry.ts";
import { shapes } from "../../src/record/shape.ts";
import { isAboutPlace, isSamePlace } from "../../src/timeline/row.ts";

// Covers every kind, so that a new kind cannot be forgotten here.
const kinds = Object.keys(shapes) as EntryKind[];

describe("a row of the log", () => {
  it("is about a place if it adds nothing to the conversation and is not a report of a restore", () => {
    expect(kinds.filter((kind) => isAboutPlace({ kind })).sort()).toEqual(
      ["checkpoint-delete", "host", "interval", "label", "rotated", "snapshot", "title"].sort(),
    );
  });

  it("leads to the same place as the row above it if it is about that place, or reports a restore there", () => {
    const more = kinds.filter((kind) => isSamePlace({ kind }) && !isAboutPlace({ kind }));
    expect(more.sort()).toEqual(["notice", "restored"]);
  });
});
