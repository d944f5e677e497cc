import { describe, expect, it } from "vitest";
import type { SnapshotId } from "../../src/record/ids.ts";
import { textPart } from "../../src/record/parts.ts";
import {
  type BacktrackFacts,
  type BacktrackTally,
  planBacktrack,
  refuseBacktrack,
} from "../../src/travel/backtrack.ts";
import { id, type Told, tell } from "../story.ts";
import { refused } from "./refused.ts";

const story = tell("cp 1", "prompt a", "step 2", "reply I read on +x(a)", "ok a much", "prompt use tabs");
const request = { to: 2, note: "nothing there", files: "keep" } as const;
const still = { changed: [], running: [] };

function factsOf(told: Told, behind: number): BacktrackFacts {
  const since = told.outline
    .rows()
    .filter((row) => row.seq > behind && told.branch().includes(told.lines[row.seq - 1] ?? ""));
  return { since: since.map((row) => told.entry(row.seq)), backtracks: told.of("backtrack"), ...still };
}

describe("planning a backtrack", () => {
  it("goes below the step with the note, and with everything that the agent would forget", () => {
    const facts = { ...factsOf(story, 4), changed: ["a.ts"], running: ["npm start"] };
    expect(
      planBacktrack(story.outline, { ...request, rationale: "dead end" }, { facts, present: {} }),
    ).toEqual({
      reason: "backtrack",
      moves: [
        {
          do: "append",
          parent: id(4),
          body: {
            kind: "backtrack",
            to: 2,
            from: id(7),
            files: "keep",
            note: "nothing there",
            rationale: "dead end",
            prompts: [[textPart("use tabs")]],
            told: ["I read on"],
            changed: ["a.ts"],
            running: ["npm start"],
            times: 1,
          },
        },
      ],
    });
  });

  it("keeps the present that was captured before", () => {
    const present = { snapshot: "snap" as SnapshotId };
    const [move] = planBacktrack(story.outline, request, { facts: factsOf(story, 4), present }).moves;
    expect(move).toMatchObject({ body: { left: "snap" } });
  });

  it("carries on what an earlier backtrack carried, and counts how often", () => {
    const again = tell(...story.lines.slice(1), "backtrack 2 first", "reply done +x(b)", "ok b 1");
    const [first] = again.of("backtrack");
    const carrying = { ...first, prompts: [[textPart("use tabs")]], told: ["I read on"] } as typeof first &
      object;
    const since = [carrying, again.entry(9), again.entry(10)];
    const facts = { since, backtracks: [carrying], ...still };
    const [move] = planBacktrack(again.outline, request, { facts, present: {} }).moves;
    expect(move).toMatchObject({
      parent: id(4),
      body: { prompts: [[textPart("use tabs")]], told: ["I read on", "done"], times: 2 },
    });
  });

  it("names the answer to the prompt before the checkpoint first, keeps answers before other words, and counts the rest", () => {
    const long = tell(
      ...["cp 1", "prompt one", "step 2", "reply looking +x(a)", "ok a 1", "reply answer one"],
      ...["prompt two", "reply more +x(b)", "ok b 1", "reply answer two"],
      ...[
        "prompt three",
        "reply answer three",
        "prompt four",
        "reply w +x(c)",
        "ok c 1",
        "reply x +x(d)",
        "ok d 1",
      ],
      ...["reply back +Backtrack(e)"],
    );
    const [move] = planBacktrack(long.outline, request, { facts: factsOf(long, 4), present: {} }).moves;
    expect(move).toMatchObject({
      body: { told: ["answer one", "answer two", "answer three", "x", "back"], moreTold: 3 },
    });
  });

  it("shortens what the user was told, because the user has read it", () => {
    const long = tell("step 1", `reply ${"word ".repeat(200)}`);
    const [move] = planBacktrack(
      long.outline,
      { ...request, to: 1 },
      { facts: factsOf(long, 2), present: {} },
    ).moves;
    const body = move?.do === "append" && move.body.kind === "backtrack" ? move.body : undefined;
    expect(body?.told[0]).toHaveLength(302);
  });

  it("throws for a step that is not there", () => {
    const facts = factsOf(story, 4);
    const plan = () => planBacktrack(story.outline, { ...request, to: 9 }, { facts, present: {} });
    expect(refused(plan)).toContain("CHECKPOINT_UNKNOWN");
  });
});

describe("a backtrack", () => {
  const free: BacktrackTally = {
    enabled: "yes",
    pending: "no",
    backtracks: [],
    inThisTurn: 0,
    snapshots: "yes",
    maxPerTurn: 32,
    progress: "none",
  };
  const refusal = (told: Told, to: number, more: Partial<BacktrackTally> & { note?: string } = {}) =>
    refuseBacktrack(told.outline, { ...request, to, note: more.note ?? "note" }, { ...free, ...more });
  const hint = "Usable checkpoints: 2";

  it("may be filed to a step of the branch", () => {
    expect(refusal(story, 2)).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused to %d", (to) => {
    expect(refusal(story, to)).toEqual({ message: `${to} is not a checkpoint: numbers start at 1.`, hint });
  });

  it("is refused to a number that is unknown, or that is not a step", () => {
    expect(refusal(story, 9)).toEqual({ message: "There is no checkpoint 9 to go back to.", hint });
    expect(refusal(story, 1)).toEqual({ message: "There is no checkpoint 1 to go back to.", hint });
  });

  it("is refused to another branch", () => {
    const left = tell("step 1", "reply r", "step 2", "reply s", "backtrack 1 note", "step 3");
    expect(refusal(left, 2)).toEqual({
      message: "Checkpoint 2 is on a branch that was left.",
      hint: "Usable checkpoints: 1, 3",
    });
  });

  it("is refused to before the last compaction", () => {
    const compacted = tell("step 1", "reply r", "step 2", "reply s", "compact 5 short", "step 3");
    expect(refusal(compacted, 2)).toEqual({
      message: "Checkpoint 2 lies before the last compaction; only the person can rewind there.",
      hint: "Usable checkpoints: 3",
    });
  });

  it("is refused without a note", () => {
    const message = "The note is empty: without it you would not know why you came back.";
    expect(refusal(story, 2, { note: " \n\t" })).toEqual({ message, hint });
  });

  it("is refused to the same place with the same note", () => {
    const again = tell(...story.lines.slice(1), "backtrack 2 it failed", "reply +x(b)", "ok b 1");
    const tally = { backtracks: again.of("backtrack"), progress: "some" } as const;
    const message = "You went back to checkpoint 2 with this very note before.";
    expect(refusal(again, 2, { ...tally, note: " it failed " })).toEqual({ message, hint });
    expect(refusal(again, 2, { ...tally, note: "it failed again" })).toBeUndefined();
  });

  it("is refused while another is pending", () => {
    const message = "Another backtrack is pending already; only one can be filed in a step.";
    expect(refusal(story, 2, { pending: "yes" })).toEqual({ message, hint });
  });

  it("is refused past the limit of a turn", () => {
    const message = "This turn has gone back 32 times, which is the limit.";
    expect(refusal(story, 2, { inThisTurn: 32 })).toEqual({ message, hint });
    expect(refusal(story, 2, { inThisTurn: 31 })).toBeUndefined();
  });

  it("is refused when nothing was done since the last one", () => {
    const tally = { backtracks: tell("step 1", "backtrack 1 x").of("backtrack"), progress: "none" } as const;
    const message = "Nothing was done since the last backtrack: make a tool call first, or answer.";
    expect(refusal(story, 2, tally)).toEqual({ message, hint });
  });

  it("is refused where it is switched off", () => {
    expect(refusal(story, 2, { enabled: "no" })).toEqual({
      message: "Backtrack is not available in this context.",
      hint,
    });
  });

  it("says so if there is no checkpoint to go back to", () => {
    expect(refusal(tell("cp 1", "prompt a"), 1)?.hint).toBe("There is no checkpoint to go back to yet.");
  });
});
