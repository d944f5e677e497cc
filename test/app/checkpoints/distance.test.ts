import { describe, expect, it } from "vitest";
import { distance } from "../../../src/app/rewind.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { Outline, wayLeft } from "../../../src/timeline/outline.ts";
import { tell } from "../../story.ts";

/**
 * Lists each entry's parent by line: `[0, 1, 2, 1]` is a branch of three and a second one that forks off
 * after its first entry.
 */
function outlineOf(parents: readonly number[]): Outline {
  const outline = new Outline();
  for (const [index, parent] of parents.entries()) {
    const place = { seq: index + 1, id: `e${index + 1}`, parent: parent === 0 ? null : `e${parent}` };
    outline.add({
      ...place,
      at: "2026-11-15T10:30:45.000Z",
      kind: "notice",
      text: "",
      estimate: 0,
    } as unknown as Entry);
  }
  return outline;
}

describe("the distance between two places", () => {
  const outline = outlineOf([0, 1, 2, 3, 2, 5]);
  const between = (from: number, to: number) => distance(outline, outline.at(from), outline.at(to));

  it("counts what only the one way has and what only the other has", () => {
    expect(between(4, 2)).toEqual({ left: 2, back: 0 });
    expect(between(6, 4)).toEqual({ left: 2, back: 2 });
    expect(between(2, 6)).toEqual({ left: 0, back: 2 });
    expect(between(3, 3)).toEqual({ left: 0, back: 0 });
  });

  it("is the same between rows that were read twice", () => {
    const again = outlineOf([0, 1, 2, 3, 2, 5]);
    expect(distance(outline, outline.at(6), again.at(2))).toEqual({ left: 2, back: 0 });
  });

  it("does not count how far another agent got", () => {
    const { outline: hosted } = tell(
      "cp 1",
      "prompt a",
      "host x 1",
      "step 2",
      "reply b",
      "host x 2",
      "rewind 1",
    );
    expect(distance(hosted, hosted.at(7), hosted.at(2))).toEqual({ left: 3, back: 0 });
    expect(distance(hosted, hosted.at(2), hosted.at(7))).toEqual({ left: 0, back: 3 });
    expect(wayLeft(hosted, hosted.at(7), hosted.head).map(({ seq }) => seq)).toEqual([7, 6, 5, 4, 3]);
  });

  it("reaches nowhere from a place that is not there", () => {
    expect(distance(outline, undefined, outline.at(2))).toEqual({ left: 0, back: 2 });
  });
});
