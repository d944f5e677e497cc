import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../src/record/entry.ts";
import type { SnapshotId } from "../../src/record/ids.ts";
import { textPart } from "../../src/record/parts.ts";
import {
  type BacktrackFacts,
  type BacktrackRequest,
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

/** The entry as planned, for a request to checkpoint 2. */
function planned(told: Told, facts: BacktrackFacts) {
  const [move] = planBacktrack(told.outline, request, { facts, present: {} }).moves;
  if (move?.do !== "append" || move.body.kind !== "backtrack") throw new Error("no backtrack was planned");
  return move.body;
}

describe("planning a backtrack", () => {
  const body = {
    kind: "backtrack",
    to: 2,
    from: id(7),
    files: "keep",
    note: "nothing there",
    prompts: [[textPart("use tabs")]],
    told: ["I read on"],
    changed: [],
    running: [],
    times: 1,
  };

  it("goes below the step with the note, and with all that the agent would forget", () => {
    const facts = factsOf(story, 4);
    expect(planBacktrack(story.outline, request, { facts, present: {} })).toStrictEqual({
      reason: "backtrack",
      moves: [{ do: "append", parent: id(4), body }],
    });
  });

  it("records why the agent goes back, what it returns to, and what has changed", () => {
    const changes = { changed: ["a.ts"], moreChanged: 3, running: ["npm start"], prompt: "find the leak" };
    const facts = { ...factsOf(story, 4), ...changes };
    const withReason = { ...request, rationale: "dead end" };
    expect(planBacktrack(story.outline, withReason, { facts, present: {} }).moves).toStrictEqual([
      { do: "append", parent: id(4), body: { ...body, ...changes, rationale: "dead end" } },
    ]);
  });

  it("keeps the present that was captured before", () => {
    const present = { snapshot: "snap" as SnapshotId };
    const [move] = planBacktrack(story.outline, request, { facts: factsOf(story, 4), present }).moves;
    expect(move).toMatchObject({ body: { left: "snap" } });
  });

  it("counts how often the agent has returned to this checkpoint", () => {
    const lines = ["backtrack 2 first", "step 3", "backtrack 3 other", "backtrack 2 second"];
    const again = tell(...story.lines.slice(1), ...lines);
    expect(planned(again, { ...factsOf(again, 11), since: [] })).toMatchObject({ told: [], times: 3 });
  });

  it("throws for a step that is not there", () => {
    const facts = factsOf(story, 4);
    const plan = () => planBacktrack(story.outline, { ...request, to: 9 }, { facts, present: {} });
    expect(refused(plan)).toContain("CHECKPOINT_UNKNOWN");
  });
});

describe("the texts shown to the user that a backtrack repeats", () => {
  const told = (...lines: readonly string[]) => {
    const session = tell("cp 1", "prompt one", "step 2", ...lines);
    const { told: texts, moreTold } = planned(session, factsOf(session, 4));
    return { texts, moreTold };
  };
  const calls = ["reply +x(a)", "ok a 1"];

  it("are none if the user was shown none", () => {
    expect(told()).toEqual({ texts: [], moreTold: undefined });
    expect(told(...calls)).toEqual({ texts: [], moreTold: undefined });
  });

  it("begin with the answer to the prompt before the checkpoint", () => {
    expect(told("reply looking", "reply answer one", "prompt two", "reply more").texts).toEqual([
      "answer one",
      "looking",
      "more",
    ]);
  });

  it("are in order if that prompt had no answer", () => {
    const lines = ["prompt two", "reply looking", "reply answer two", "prompt three", "reply more"];
    expect(told(...lines).texts).toEqual(["looking", "answer two", "more"]);
    expect(told("reply looking", "reply more").texts).toEqual(["looking", "more"]);
  });

  it("are the newest five, with the number of the others", () => {
    const lines = ["a", "b", "c", "d", "e", "f"].map((text) => `reply ${text}`);
    expect(told(...lines.slice(0, 5))).toEqual({ texts: ["a", "b", "c", "d", "e"], moreTold: undefined });
    expect(told(...lines)).toEqual({ texts: ["b", "c", "d", "e", "f"], moreTold: 1 });
  });

  it("include answers rather than other texts", () => {
    const lines = [
      ...["reply looking", ...calls, "reply answer one", "prompt two", "reply more", "reply answer two"],
      ...["prompt three", "reply answer three", "prompt four", "reply w", "reply x", "reply back"],
    ];
    expect(told(...lines)).toEqual({
      texts: ["answer one", "answer two", "answer three", "x", "back"],
      moreTold: 3,
    });
    const few = ["reply a", "reply b", "reply answer one", "prompt two", "reply c", "reply answer two"];
    expect(told(...few, "prompt three", "reply back")).toEqual({
      texts: ["answer one", "b", "c", "answer two", "back"],
      moreTold: 1,
    });
  });

  it("include the answer to the prompt before the checkpoint rather than other answers", () => {
    const answers = ["two", "three", "four", "five", "six", "seven"].flatMap((word) => [
      `prompt ${word}`,
      `reply answer ${word}`,
    ]);
    expect(told("reply answer one", ...answers)).toEqual({
      texts: ["answer one", "answer three", "answer four", "answer five", "answer six"],
      moreTold: 2,
    });
  });

  it("are shortened beyond 300 characters, because the user has read them", () => {
    const long = "x".repeat(300);
    expect(told(`reply ${long}`, `reply ${long}y`).texts).toEqual([long, `${long} …`]);
  });

  it("do not include the white space around a reply", () => {
    const session = tell("step 2", "reply padded");
    const reply = { ...(session.entry(3) as EntryOf<"reply">), parts: [textPart(" \n done \n")] };
    expect(planned(session, { since: [reply], backtracks: [], ...still }).told).toEqual(["done"]);
  });

  it("include those that an earlier backtrack repeated, in the same order", () => {
    const session = tell("step 2", "reply looking", "backtrack 2 first", "reply back");
    const [backtrack] = session.of("backtrack") as [EntryOf<"backtrack">];
    const prompts = [[textPart("use tabs")]];
    const earlier = { ...backtrack, prompts, told: ["answer one", "later"] };
    const body = (entry: EntryOf<"backtrack">) => {
      const since = [session.entry(3), entry, session.entry(5)];
      return planned(session, { since, backtracks: [entry], ...still });
    };
    const texts = ["answer one", "looking", "later", "back"];
    expect(body(earlier)).toMatchObject({ prompts, told: texts });
    expect(body(earlier).moreTold).toBeUndefined();
    expect(body({ ...earlier, moreTold: 2 })).toMatchObject({ told: texts, moreTold: 2 });
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
  const refusal = (
    told: Told,
    to: number,
    { note = "note", files = "keep", ...tally }: Partial<BacktrackTally & BacktrackRequest> = {},
  ) => refuseBacktrack(told.outline, { to, note, files }, { ...free, ...tally });
  const hint = "Usable checkpoints: 2";

  it("may be filed to a step of the branch", () => {
    expect(refusal(story, 2)).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused to %d", (to) => {
    expect(refusal(story, to)).toEqual({ message: `${to} is not a checkpoint. Numbers start at 1.`, hint });
  });

  it("is refused to a number that is unknown, or that is not a step", () => {
    expect(refusal(story, 9)).toEqual({ message: "There is no checkpoint 9 to go back to.", hint });
    expect(refusal(story, 1)).toEqual({ message: "There is no checkpoint 1 to go back to.", hint });
  });

  it("is refused to another branch", () => {
    const left = tell("step 1", "reply r", "step 2", "reply s", "backtrack 1 note", "step 3");
    expect(refusal(left, 2)).toEqual({
      message: "Checkpoint 2 is on an abandoned branch.",
      hint: "Usable checkpoints: 1, 3",
    });
  });

  it("is refused to before the last compaction", () => {
    const compacted = tell("step 1", "reply r", "step 2", "reply s", "compact 5 short", "step 3");
    expect(refusal(compacted, 2)).toEqual({
      message: "Checkpoint 2 is before the last compaction. Only the user can rewind to it.",
      hint: "Usable checkpoints: 3",
    });
  });

  it("is refused without a note", () => {
    const message = "The note is empty. Without it, you would not know why you came back.";
    expect(refusal(story, 2, { note: " \n\t" })).toEqual({ message, hint });
  });

  it("is refused to the same place with the same note", () => {
    const again = tell(...story.lines.slice(1), "backtrack 2 it failed", "reply +x(b)", "ok b 1");
    const tally = { backtracks: again.of("backtrack"), progress: "some" } as const;
    const message = "You have already gone back to checkpoint 2 with exactly this note.";
    expect(refusal(again, 2, { ...tally, note: " it failed " })).toEqual({ message, hint });
    expect(refusal(again, 2, { ...tally, note: "it failed again" })).toBeUndefined();
    const spaced = tell(...story.lines.slice(1), "backtrack 2 it failed ", "step 3");
    const spacedTally = { backtracks: spaced.of("backtrack"), progress: "some" } as const;
    expect(refusal(spaced, 2, { ...spacedTally, note: "it failed" })?.message).toBe(message);
    expect(refusal(spaced, 3, { ...spacedTally, note: "it failed" })).toBeUndefined();
  });

  it("is refused with files if they cannot be restored", () => {
    const instead = 'Go back with files: "keep", and undo the changes yourself.';
    const files = "restore";
    expect(refusal(story, 2, { files, snapshots: "no" })?.message).toBe(
      `Files cannot be restored here. ${instead}`,
    );
    expect(refusal(story, 2, { files, snapshots: "gone" })?.message).toBe(
      `Checkpoint 2 has no files to restore. ${instead}`,
    );
    expect(refusal(story, 2, { files, snapshots: "yes" })).toBeUndefined();
    for (const snapshots of ["no", "gone"] as const) {
      expect(refusal(story, 2, { files: "keep", snapshots })).toBeUndefined();
    }
  });

  it("is refused while another is pending", () => {
    const message = "Another backtrack is already pending. Only one is possible in each step.";
    expect(refusal(story, 2, { pending: "yes" })).toEqual({ message, hint });
  });

  it("is refused past the limit of a turn", () => {
    const message = "You have gone back 32 times in this turn, which is the limit.";
    expect(refusal(story, 2, { inThisTurn: 32 })).toEqual({ message, hint });
    expect(refusal(story, 2, { inThisTurn: 31 })).toBeUndefined();
  });

  it("is refused if nothing was done since the last one", () => {
    const tally = { backtracks: tell("step 1", "backtrack 1 x").of("backtrack"), progress: "none" } as const;
    const message = "You have done nothing since the last backtrack. Make a tool call first, or answer.";
    expect(refusal(story, 2, tally)).toEqual({ message, hint });
  });

  it("is refused if backtracks are switched off", () => {
    expect(refusal(story, 2, { enabled: "no" })).toEqual({
      message: "Backtrack is not available in this context.",
      hint,
    });
  });

  it("says so if there is no checkpoint to go back to", () => {
    expect(refusal(tell("cp 1", "prompt a"), 1)?.hint).toBe("There is no checkpoint to go back to yet.");
  });
});
