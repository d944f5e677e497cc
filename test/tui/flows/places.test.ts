import { describe, expect, it } from "vitest";
import type { PathBytes, PathChange } from "../../../src/record/files.ts";
import type { EntryId, SessionId } from "../../../src/record/ids.ts";
import { diffFlow, labelFlow, saveFlow } from "../../../src/tui/flows/checkpoints.ts";
import { treeFlow } from "../../../src/tui/flows/tree.ts";
import { TREE } from "../dialogs/rows.ts";
import { fakeDesk } from "./fake-context.ts";

describe("labels and checkpoints by hand", () => {
  const state = async () => ({ checkpoint: 14 }) as never;

  it("name a checkpoint by its number, the newest, or one that is chosen", async () => {
    const byNumber = fakeDesk([]);
    await labelFlow(byNumber, "#12 good place");
    const newest = fakeDesk([], { queries: { state } });
    await labelFlow(newest, "good place");
    const chosen = fakeDesk([["2"], ["'er'", "enter"]]);
    await labelFlow(chosen, "");
    expect([byNumber.told, newest.told, chosen.told]).toEqual([
      ['label {"row":{"session":"here","number":12},"label":"good place"}'],
      ['label {"row":{"session":"here","number":14},"label":"good place"}'],
      ["ask", "ask", 'label {"row":{"session":"here","number":3},"label":"gooder"}'],
    ]);
  });

  it("begin with the label that there is, which Enter leaves as it is", async () => {
    const kept = fakeDesk([["enter"]]);
    await labelFlow(kept, "3");
    const changed = fakeDesk([["'er'", "enter"]]);
    await labelFlow(changed, "#3");
    expect([kept.told, changed.told]).toEqual([
      ["ask"],
      ["ask", 'label {"row":{"session":"here","number":3},"label":"gooder"}'],
    ]);
  });

  it("make a checkpoint, with a label or without", async () => {
    const context = fakeDesk([], { journeys: { save: async (label) => (label === undefined ? 15 : 16) } });
    await saveFlow(context, "");
    await saveFlow(context, " before the storm ");
    expect(context.told).toEqual([
      "wait: Creating a checkpoint",
      "say good: Checkpoint #15",
      "wait: Creating a checkpoint",
      'say good: Checkpoint #16 "before the storm"',
    ]);
  });
});

describe("comparing", () => {
  it("takes the last prompt or command, a checkpoint, or two", async () => {
    const asked: unknown[] = [];
    const change: PathChange = { path: "a" as PathBytes, before: undefined, after: undefined };
    const diff = async (request: unknown) => {
      asked.push(request);
      return {
        changes: asked.length === 3 ? [] : [change],
        files: { content: async () => new Uint8Array(0) },
      };
    };
    const context = fakeDesk([], { queries: { diff, turnStart: async () => 12 } });
    await diffFlow(context, "");
    await diffFlow(context, "#3");
    await diffFlow(context, "3  12");
    await diffFlow(context, "leak");
    const empty = fakeDesk([], { queries: { diff, turnStart: async () => undefined } });
    await diffFlow(empty, "");
    expect(empty.told).toEqual(["say quiet: No checkpoints found."]);
    expect(asked).toEqual([{ from: 12 }, { from: 3 }, { from: 3, to: 12 }]);
    expect(context.told.filter((line) => !line.startsWith("wait"))).toEqual([
      "show diff: Since checkpoint #12",
      "show diff: Since checkpoint #3",
      "say quiet: From checkpoint #3 to #12: no files differ.",
      "say error: /diff takes up to two checkpoint numbers: /diff, /diff 12, /diff 12 15",
    ]);
  });
});

describe("the tree", () => {
  const queries = { tree: async () => TREE, place: async () => [] };
  const draw = () => ["what was said there"];

  it("is open again after a look, where it was", async () => {
    const context = fakeDesk([["home", "enter"], ["escape"], ["l"], ["'x'", "enter"], ["escape"]], {
      queries,
    });
    await treeFlow(context, draw);
    expect(context.told).toEqual([
      "ask",
      "ask",
      "ask",
      "ask",
      'label {"row":{"session":"here","number":1},"label":"x"}',
      "ask",
    ]);
  });

  it("leads to exactly the row that was chosen: a checkpoint, or the end of a branch that was left", async () => {
    const checkpoint = fakeDesk([["home", "g"], ["1"], ["enter"]], { queries });
    await treeFlow(checkpoint, draw);
    expect(checkpoint.told.filter((line) => line.startsWith("rewind"))).toEqual([
      'rewind {"session":"here","number":1,"scope":"both"}',
    ]);
    const redoScopes = async () => ({ scopes: ["both", "conversation", "files"] as const });
    const end = fakeDesk([["home", "down", "down", "g"], ["1"], ["enter"]], {
      queries,
      journeys: { redoScopes },
    });
    await treeFlow(end, draw);
    expect(end.told.filter((line) => /^re(?:wind|do) /u.test(line))).toEqual([
      'redo {"journey":"j7","scope":"both"}',
    ]);
  });

  it("goes nowhere else where a row cannot be reached, or is the head's own, and says so above the tree", async () => {
    const context = fakeDesk([["g"], ["up", "g"], ["l"], ["escape"]], { queries });
    await treeFlow(context, draw);
    expect(context.asked).toEqual([
      "Session tree",
      "You are here.",
      expect.stringMatching(/^This row has no checkpoint\./u),
      "Only checkpoints can be labeled. Choose a row with a number.",
    ]);
    expect(context.told).toEqual(["ask", "ask", "ask", "ask"]);
  });

  it("forks anywhere", async () => {
    const forked: unknown[] = [];
    const fork = async (at?: EntryId) => {
      forked.push(at);
      return "fork1" as SessionId;
    };
    const context = fakeDesk([["home", "down", "f"]], { queries, sessions: { fork } });
    await treeFlow(context, draw);
    expect(forked).toEqual(["b"]);
    expect(context.told.slice(0, 3)).toEqual(["ask", "wait: Forking", "reload"]);
  });
});
