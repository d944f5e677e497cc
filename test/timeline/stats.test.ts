import { describe, expect, it } from "vitest";
import type { Entry, EntryOf } from "../../src/record/entry.ts";
import type { SessionId } from "../../src/record/ids.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { mergeStats, type Stats, Tally } from "../../src/timeline/stats.ts";
import { id, tell } from "../story.ts";
import { begun, usage, Work } from "./work.ts";

const nothing: Stats = {
  sessions: 1,
  prompts: 0,
  steps: 0,
  models: [],
  tools: [],
  backtracks: { count: 0, entries: 0, tokens: 0, saved: 0, notSent: 0 },
  rewinds: 0,
  redos: 0,
  compactions: [],
};

describe("the statistics of a session", () => {
  it("are zero if it has only begun", () => {
    expect(begun().stats).toEqual(nothing);
  });

  it("count prompts, steps, rewinds, and redos, and nothing else that is in the log", () => {
    const work = begun();
    work.prompt("One.");
    const step = work.step();
    work.title("A talk");
    work.checkpoint();
    for (const _ of [1, 2, 3]) work.rewindTo(step);
    work.step();
    const back = work.goesBack(step);
    for (const _ of [1, 2, 3, 4]) work.redoes(back);
    const { prompts, steps, rewinds, redos } = work.stats;
    expect({ prompts, steps, rewinds, redos }).toEqual({ prompts: 1, steps: 2, rewinds: 3, redos: 4 });
  });

  it("add up the usage of each model, and count the replies without usage", () => {
    const work = begun();
    work.says(1, { model: "other", usage: usage(500) });
    work.says(1, { usage: usage(100) });
    work.says(1);
    work.says(1, { usage: usage(200) });
    expect(work.stats).toEqual({
      ...nothing,
      models: [
        {
          model: "m",
          replies: 3,
          uncounted: 1,
          usage: { input: 300, output: 4, cacheRead: 6, cacheWrite: 8 },
          notSent: 0,
        },
        { model: "other", replies: 1, uncounted: 0, usage: usage(500), notSent: 0 },
      ],
    });
  });

  it("count each call by its tool and its outcome; a call without an end counts as interrupted", () => {
    const work = begun();
    work.requests("a Read");
    work.ends("a", "ok");
    work.requests("b Bash", "c Bash", "d Bash", "e Bash", "f Bash", "g Bash");
    work.ends("b", "denied");
    work.ends("c", "error");
    work.ends("d", "error");
    work.ends("e", "interrupted");
    work.ends("f", "interrupted");
    expect(work.stats.tools).toEqual([
      { name: "Bash", calls: 6, failed: 2, denied: 1, interrupted: 3 },
      { name: "Read", calls: 1, failed: 0, denied: 0, interrupted: 0 },
    ]);
  });

  it("match a result to the newest call with its id, and leave out a result without a call", () => {
    const work = begun();
    work.requests("a Read");
    work.requests("a Bash");
    work.ends("a", "error");
    work.ends("lost", "error");
    expect(work.stats.tools).toEqual([
      { name: "Bash", calls: 1, failed: 1, denied: 0, interrupted: 0 },
      { name: "Read", calls: 1, failed: 0, denied: 0, interrupted: 1 },
    ]);
  });

  it("give the size of the context before and after each compaction", () => {
    const work = begun();
    work.says(300);
    work.compacts();
    work.says(50);
    expect(work.stats).toMatchObject({
      models: [{ replies: 2 }],
      compactions: [{ reason: "full", before: 900, after: 40 }],
    });
  });

  it("add the usage of a compaction to the model that wrote the summary, but count no reply", () => {
    const work = begun();
    work.says(1, { usage: usage(100) });
    work.compacts({ usage: usage(700), model: "m" });
    work.compacts({ model: "summarizer" });
    expect(work.stats.models).toEqual([
      {
        model: "m",
        replies: 1,
        uncounted: 0,
        usage: { input: 800, output: 4, cacheRead: 6, cacheWrite: 8 },
        notSent: 0,
      },
      {
        model: "summarizer",
        replies: 0,
        uncounted: 0,
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        notSent: 0,
      },
    ]);
  });
});

describe("the statistics of a fork", () => {
  const forkedFrom = { session: "s000000001" as SessionId, entry: id(2) };
  const header = { ...new Work().begin(), forkedFrom };

  function counted(entries: readonly Entry[], first: EntryOf<"session"> = header): Stats {
    const outline = new Outline();
    const tally = new Tally(outline, first);
    for (const entry of entries) {
      outline.add(entry);
      tally.add(entry);
    }
    return tally.finish();
  }

  const copied = tell("prompt one", "cp 1", "step 2", "reply left", "backtrack 1 n");
  const at = (time: string) => copied.entries.map((entry): Entry => ({ ...entry, at: time }));

  it("leave out what was copied, also the backtracks", () => {
    expect(counted(at("2020-01-01T00:00:00.000Z"))).toEqual(nothing);
  });

  it("include what was written when the fork was made", () => {
    expect(counted(at(header.at))).toMatchObject({ prompts: 1, steps: 1, backtracks: { count: 1 } });
  });

  it("are not affected in the requests by a backtrack that was copied", () => {
    const own = tell("prompt one", "cp 1", "step 2", "reply left", "backtrack 1 n", "reply right");
    const entries = own.entries.map((entry): Entry => {
      return { ...entry, at: entry.seq === 7 ? header.at : "2020-01-01T00:00:00.000Z" };
    });
    expect(counted(entries)).toMatchObject({ models: [{ replies: 1, notSent: 0 }] });
  });

  it("differ from those of a session that is not a fork, which has no copies, whatever the clock says", () => {
    const { forkedFrom: _, ...own } = header;
    expect(counted(at("2020-01-01T00:00:00.000Z"), own)).toMatchObject({ prompts: 1, steps: 1 });
  });
});

describe("merged statistics", () => {
  const model = (name: string, replies: number) => {
    return { model: name, replies, uncounted: 1, usage: usage(100), notSent: 7 };
  };
  const tool = (name: string, calls: number) => ({ name, calls, failed: 1, denied: 2, interrupted: 3 });
  const full = { reason: "full", before: 900, after: 40 } as const;
  const asked = { reason: "asked", before: 500, after: 30 } as const;
  const one: Stats = {
    sessions: 1,
    prompts: 2,
    steps: 3,
    models: [model("a", 4)],
    tools: [tool("Read", 5)],
    backtracks: { count: 6, entries: 7, tokens: 8, saved: 9, notSent: 10 },
    rewinds: 11,
    redos: 12,
    compactions: [full],
  };

  it("are zero for no session", () => {
    expect(mergeStats([])).toEqual({ ...nothing, sessions: 0 });
  });

  it("add up all numbers, by model and by tool, and list all compactions", () => {
    expect(mergeStats([one, { ...one, models: [], tools: [] }, { ...one, compactions: [asked] }])).toEqual({
      sessions: 3,
      prompts: 6,
      steps: 9,
      models: [
        {
          model: "a",
          replies: 8,
          uncounted: 2,
          usage: { input: 200, output: 4, cacheRead: 6, cacheWrite: 8 },
          notSent: 14,
        },
      ],
      tools: [{ name: "Read", calls: 10, failed: 2, denied: 4, interrupted: 6 }],
      backtracks: { count: 18, entries: 21, tokens: 24, saved: 27, notSent: 30 },
      rewinds: 33,
      redos: 36,
      compactions: [full, full, asked],
    });
  });

  it("list the models with the most replies and the tools with the most calls first, then by name", () => {
    const names = (stats: Stats) => [
      stats.models.map((each) => each.model).join(" "),
      stats.tools.map((each) => each.name).join(" "),
    ];
    const merged = mergeStats([
      { ...one, models: [model("b", 2), model("a", 2)], tools: [tool("b", 2), tool("a", 2)] },
      { ...one, models: [model("d", 1), model("c", 2)], tools: [tool("d", 1), tool("c", 2)] },
      { ...one, models: [model("e", 5)], tools: [tool("e", 5)] },
    ]);
    expect(names(merged)).toEqual(["e a b c d", "e a b c d"]);
  });
});
