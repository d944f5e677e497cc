import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeptFor } from "../../../src/ports/workspace-files.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { chooseToRelease } from "../../../src/snapshots/keeping/gc.ts";
import { byAge, type Ref } from "../../../src/snapshots/keeping/ref.ts";
import { minute, ONE, prompt, RETENTION, TWO, WORKSPACE } from "./kept-scene.ts";

function refs(...kept: readonly KeptFor[]): Ref[] {
  return kept.map((keptFor, at) => ({
    keptFor,
    snapshot: String(at).padStart(64, "0") as SnapshotId,
    workspace: WORKSPACE,
    at: minute(at),
  }));
}

const left: KeptFor = { session: ONE, journey: "left" };
const reached: KeptFor = { session: ONE, journey: "reached" };

describe("choosing what may be let go", () => {
  it("keeps the newest prompt checkpoints of each session, and lets steps and manual ones go, oldest first", () => {
    const all = refs(
      prompt(1),
      { session: ONE, checkpoint: 2, on: "step" },
      { session: ONE, checkpoint: 3, on: "manual" },
      prompt(1, TWO),
      prompt(4),
      prompt(5),
      prompt(2, TWO),
    );
    expect(chooseToRelease(all, RETENTION)).toEqual(all.slice(0, 3));
  });

  it("keeps every label", () => {
    const all = refs(
      { session: ONE, checkpoint: 1, on: "step", label: "it worked here" },
      prompt(2),
      prompt(3),
      prompt(4),
    );
    expect(chooseToRelease(all, RETENTION)).toEqual([all[1]]);
  });

  it("keeps both ends of the last journeys", () => {
    const all = refs(left, reached, left, reached, left, reached, prompt(1));
    expect(chooseToRelease(all, RETENTION)).toEqual(all.slice(0, 2));
  });

  it("counts manual checkpoints like prompts in a session that has no prompts", () => {
    const all = refs(
      ...[1, 2, 3, 4].map((checkpoint): KeptFor => ({ session: ONE, checkpoint, on: "manual" })),
    );
    expect(chooseToRelease(all, RETENTION)).toEqual(all.slice(0, 2));
  });

  it("keeps the newest of each session whatever it is", () => {
    const all = refs(prompt(1), prompt(2), prompt(3), { session: ONE, checkpoint: 4, on: "step" });
    expect(chooseToRelease(all, { keepCount: 0, keepJourneys: 0 })).toEqual(all.slice(0, 3));
  });

  it("law: never lets go of a label or of a session's newest, and answers in the order of age", () => {
    const session = fc.constantFrom(ONE, TWO);
    const checkpoint = fc.record(
      {
        session,
        checkpoint: fc.nat(20),
        on: fc.constantFrom("prompt" as const, "manual" as const, "step" as const),
        label: fc.constant("kept"),
      },
      { requiredKeys: ["session", "checkpoint", "on"] },
    );
    const journey = fc.record({ session, journey: fc.constantFrom("left" as const, "reached" as const) });
    const kept = fc.array(fc.oneof(checkpoint, journey), { maxLength: 40 });
    fc.assert(
      fc.property(kept, fc.nat(5), fc.nat(5), (each, keepCount, keepJourneys) => {
        const all = refs(...each);
        const released = chooseToRelease(all, { keepCount, keepJourneys });
        expect(released).toEqual(released.toSorted(byAge));
        expect(released.filter(({ keptFor }) => "label" in keptFor)).toEqual([]);
        for (const of of [ONE, TWO]) {
          const newest = all.findLast(({ keptFor }) => keptFor.session === of);
          if (newest !== undefined) expect(released).not.toContainEqual(newest);
        }
      }),
    );
  });
});
