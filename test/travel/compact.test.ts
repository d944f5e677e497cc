import { describe, expect, it } from "vitest";
import type { EntryId } from "../../src/record/ids.ts";
import { reachesOf } from "../../src/timeline/calls.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { type CutRequest, compactionCut, planCompaction } from "../../src/travel/compact.ts";
import { id, type Told, tell } from "../story.ts";
import { refused } from "./refused.ts";

function cut(story: Told, keep: number, asking: readonly EntryId[] = []) {
  const reaches = reachesOf(story.entries);
  const request: CutRequest = { keep, last: story.of("compaction").at(-1), asking: new Set(asking), reaches };
  const { summarised, kept, pinned } = compactionCut(story.outline, request);
  const lines = (rows: typeof kept) => rows.map((row) => story.lines[row.seq - 1]);
  return { summarised: lines(summarised), kept: lines(kept), pinned: lines(pinned) };
}

const turn = tell(
  "cp 1",
  "prompt task",
  "step 2",
  "reply r +x(a)",
  "start a x",
  "ok a 1",
  "step 3",
  "reply s +x(b) +x(c)",
  "ok c 3",
  "prompt and hurry",
  "ok b 2",
  "step 4",
  "reply t",
);

describe("where a compaction cuts", () => {
  it("is after a finished exchange, so that no call is separated from its result", () => {
    expect(cut(turn, 1)).toEqual({
      summarised: ["prompt task", "reply r +x(a)", "ok a 1", "reply s +x(b) +x(c)", "ok c 3", "ok b 2"],
      kept: ["step 4", "reply t"],
      pinned: ["prompt and hurry"],
    });
    expect(cut(turn, 2)).toEqual({
      summarised: ["prompt task", "reply r +x(a)", "ok a 1"],
      kept: ["step 3", "reply s +x(b) +x(c)", "ok c 3", "prompt and hurry", "ok b 2", "step 4", "reply t"],
      pinned: [],
    });
  });

  it("moves up where several replies share a step, or a result came late", () => {
    const shared = tell("prompt a", "reply q", "reply +x(a)", "reply +x(b)", "ok a 1", "ok b 2", "reply r");
    expect(cut(shared, 2).kept).toEqual(["reply +x(a)", "reply +x(b)", "ok a 1", "ok b 2", "reply r"]);
    const late = tell("prompt a", "reply q", "reply +x(a)", "prompt b", "reply r", "ok a 1");
    expect(cut(late, 1)).toMatchObject({ kept: ["reply +x(a)", "prompt b", "reply r", "ok a 1"] });
  });

  it("is the same where it is written down how far another agent got", () => {
    const hosted = tell(
      ...["cp 1", "prompt task", "host x 1", "step 2", "reply r +x(a)", "host x 2", "ok a 1", "host x 3"],
      ...["step 3", "reply s +x(b)", "ok b 2", "host x 4", "step 4", "reply t", "host x 5"],
    );
    expect(cut(hosted, 1)).toEqual({
      summarised: ["reply r +x(a)", "ok a 1", "reply s +x(b)", "ok b 2"],
      kept: ["host x 4", "step 4", "reply t", "host x 5"],
      pinned: ["prompt task"],
    });
    expect(cut(hosted, 2).kept.slice(0, 3)).toEqual(["host x 3", "step 3", "reply s +x(b)"]);
  });

  it("keeps calls that are still open", () => {
    const open = tell("prompt a", "reply q", "reply +x(a)", "prompt b", "reply r");
    expect(cut(open, 1).kept).toEqual(["reply +x(a)", "prompt b", "reply r"]);
    const closed = tell("prompt a", "reply q", "reply +x(a)", "prompt b", "step 1", "reply r");
    expect(cut(closed, 1).kept).toEqual(["prompt b", "step 1", "reply r"]);
  });

  it("leaves the last exchange alone, however little is to be kept", () => {
    for (const keep of [0, -3, 1]) expect(cut(turn, keep)).toEqual(cut(turn, 1));
  });

  it("keeps whole replies, also directly before one with calls", () => {
    const story = tell("prompt a", "reply q", "reply p", "reply +x(a)", "ok a 1");
    expect(cut(story, 2).kept).toEqual(["reply p", "reply +x(a)", "ok a 1"]);
  });

  it("is never between a command of the user's and the notice about it", () => {
    const call = `shell-${id(9)}`;
    const lines = [`start ${call} Shell`, `ok ${call} out`, "notice npm test", "prompt b", "reply r"];
    const story = tell("prompt a", "reply q", ...lines);
    expect(cut(story, 1)).toEqual({
      summarised: ["prompt a", "reply q"],
      kept: lines,
      pinned: [],
    });
  });

  it("summarizes notices and notes of backtracks, but not the marks of steps", () => {
    const story = tell("prompt a", "step 1", "reply q", "backtrack 1 note", "notice n", "reply r", "reply s");
    expect(cut(story, 1).summarised).toEqual(["backtrack 1 note", "notice n", "reply r"]);
  });

  it("pins the prompt that is being worked on", () => {
    const story = tell("prompt task", "reply r +x(a)", "ok a 1", "reply s +x(b)", "ok b 2", "reply t");
    expect(cut(story, 2).pinned).toEqual(["prompt task"]);
  });

  it("pins the note that holds the newest prompt if a backtrack left that prompt", () => {
    const story = tell(
      "prompt task",
      "step 1",
      "reply r",
      "prompt use tabs",
      "backtrack 1 note",
      "reply s",
      "reply t",
    );
    const note = story.of("backtrack").map((entry) => entry.id);
    expect(cut(story, 1, note)).toEqual({
      summarised: ["prompt task", "reply s"],
      kept: ["reply t"],
      pinned: ["backtrack 1 note"],
    });
  });

  it("is nowhere when there is nothing to compact", () => {
    const none = "NOTHING_TO_COMPACT Nothing to compact. The last 2 exchanges are always kept.";
    expect(refused(() => cut(tell(), 2))).toBe(none);
    expect(refused(() => cut(tell("prompt a", "reply r", "prompt b", "reply s"), 2))).toBe(none);
    expect(refused(() => cut(tell("prompt a", "reply r"), 1))).toContain("The last exchange is always kept");
  });

  it("is nowhere when all before the last exchanges belongs to them", () => {
    const commanded = tell("start a x", "ok a 1", "prompt a", "reply r");
    expect(refused(() => cut(commanded, 1))).toContain("NOTHING_TO_COMPACT");
    const open = tell("reply +x(a)", "reply r");
    expect(refused(() => cut(open, 1))).toContain("NOTHING_TO_COMPACT");
  });
});

describe("a second compaction", () => {
  const again = [...turn.lines.slice(1), "compact 8/11 short"];

  it("is refused right after the first", () => {
    expect(refused(() => cut(tell(...again), 2))).toContain("NOTHING_TO_COMPACT");
  });

  it("also replaces the first summary and what that had kept", () => {
    const story = tell(...again, "step 5", "reply u", "step 6", "reply v");
    expect(cut(story, 2)).toEqual({
      summarised: ["compact 8/11 short", "reply s +x(b) +x(c)", "ok c 3", "ok b 2", "reply t"],
      kept: ["step 5", "reply u", "step 6", "reply v"],
      pinned: ["prompt and hurry"],
    });
  });

  it("still pins the prompt of a turn that has outlived two compactions", () => {
    const story = tell("prompt task", "reply r", "reply s", "compact 4/2 short", "reply t", "reply u");
    expect(cut(story, 1)).toEqual({
      summarised: ["compact 4/2 short", "reply s", "reply t"],
      kept: ["reply u"],
      pinned: ["prompt task"],
    });
  });
});

describe("planning a compaction", () => {
  const request = {
    summary: "it went well",
    summaryEstimate: 40,
    keep: 1,
    reason: "asked" as const,
    tokensBefore: 900,
    last: undefined,
    asking: new Set<EntryId>(),
    reaches: new Map<number, number>(),
  };

  it("is by reference: the log grows by the summary and nothing else", () => {
    const [system, prompt, reply] = [turn.row(1), turn.row(11), turn.row(14)].map((row) => row.estimate);
    const body = {
      kind: "compaction",
      summary: "it went well",
      firstKept: id(13),
      pinned: [id(11)],
      reason: "asked",
      tokensBefore: 900,
      kept: (system ?? 0) + 40 + (prompt ?? 0) + (reply ?? 0),
    };
    expect(planCompaction(turn.outline, request)).toStrictEqual({
      reason: "compaction",
      moves: [{ do: "append", parent: id(14), body }],
    });
    expect(planCompaction(turn.outline, { ...request, focus: "tests" }).moves).toStrictEqual([
      { do: "append", parent: id(14), body: { ...body, focus: "tests" } },
    ]);
  });

  it("counts what is shown from here on, without an earlier summary, and without a first line that is lost", () => {
    const story = tell("prompt task", "reply r", "reply s", "compact 3 short", "reply t");
    const outline = new Outline();
    for (const entry of story.entries) {
      outline.add(entry.kind === "compaction" ? { ...entry, kept: 5000 } : entry);
    }
    const last = story.of("compaction").at(-1);
    const [move] = planCompaction(outline, { ...request, keep: 2, last }).moves;
    const [system, ...shown] = [1, 4, 6].map((line) => story.row(line).estimate);
    const ofShown = shown.reduce((sum, estimate) => sum + estimate, 40);
    expect(move).toMatchObject({ body: { firstKept: id(4), kept: (system ?? 0) + ofShown } });
    const damaged = story.without(1).outline;
    expect(planCompaction(damaged, { ...request, keep: 2, last }).moves).toMatchObject([
      { body: { kept: ofShown } },
    ]);
  });

  it("refers to a line that a fork copies too", () => {
    const story = tell(
      "prompt a",
      "reply r",
      "cp 1",
      "label 1 x",
      "title t",
      "rotated 2",
      "prompt b",
      "reply s",
    );
    story.add("title u");
    story.add("reply t");
    const [move] = planCompaction(story.outline, { ...request }).moves;
    expect(move).toMatchObject({ body: { firstKept: id(11) } });
  });
});
