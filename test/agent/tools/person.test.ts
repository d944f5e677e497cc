import { describe, expect, it } from "vitest";
import type { PermissionMode, Question } from "../../../src/ports/person.ts";
import type { TodoItem } from "../../../src/record/parts.ts";
import { nobody, toolshed } from "./support/toolshed.ts";

describe("TodoWrite", () => {
  it("hands the list on in the words of the log", async () => {
    const lists: (readonly TodoItem[])[] = [];
    const { call } = toolshed({ onTodos: (items) => void lists.push(items) });
    const said = await call("TodoWrite", {
      todos: [
        { content: "Look", status: "completed", activeForm: "Looking" },
        { content: "Fix", status: "in_progress", id: "2", priority: "high" },
        { content: "Test", status: "pending" },
      ],
    });
    expect([said.outcome, said.text]).toEqual(["ok", "Todo list saved: 1 done, 1 in progress, 1 open."]);
    expect(lists).toEqual([
      [
        { text: "Look", status: "done" },
        { text: "Fix", status: "doing" },
        { text: "Test", status: "open" },
      ],
    ]);
  });
});

describe("AskUser", () => {
  const questions = [
    {
      question: "Which store?",
      header: "Store",
      options: [{ label: "A", description: "fast" }, { label: "B" }],
    },
    {
      question: "Which checks?",
      header: "Checks",
      multiSelect: true,
      options: [{ label: "C" }, { label: "D" }],
    },
  ];

  it("asks the user and returns the answers in order", async () => {
    const asked: (readonly Question[])[] = [];
    const answer = async (all: readonly Question[]) => {
      asked.push(all);
      return ["A", "C, D"];
    };
    const { call } = toolshed({ person: { ...nobody, answer } });
    expect((await call("AskUser", { questions })).text).toBe("Which store?\n> A\n\nWhich checks?\n> C, D");
    expect(asked[0]?.map(({ several, options }) => [several, options])).toEqual([
      [
        "one",
        [
          { label: "A", description: "fast" },
          { label: "B", description: "" },
        ],
      ],
      [
        "any",
        [
          { label: "C", description: "" },
          { label: "D", description: "" },
        ],
      ],
    ]);
  });

  it("says so when there is no answer", async () => {
    const said = await toolshed().call("AskUser", { questions });
    expect([said.outcome, said.text]).toEqual([
      "error",
      "No user is available to answer. Make a cautious decision yourself, and state your assumptions in your answer.",
    ]);
  });
});

describe("ExitPlanMode", () => {
  it("leaves plan mode when the plan is approved", async () => {
    let mode: PermissionMode = "plan";
    const { call } = toolshed({
      mode: () => mode,
      onApproved: (approved) => {
        mode = approved;
      },
      person: { ...nobody, approve: async () => ({ answer: "approved", mode: "accept-edits" }) },
    });
    const said = await call("ExitPlanMode", { plan: "Do it." });
    expect([said.outcome, mode]).toEqual(["ok", "accept-edits"]);
    const again = await call("ExitPlanMode", { plan: "Do it." });
    expect([again.outcome, again.text]).toEqual([
      "error",
      "Not in plan mode, so there is no plan to approve. Just do the work.",
    ]);
  });

  it("stays in plan mode, with the reason, when it is not", async () => {
    const { call } = toolshed({
      mode: () => "plan",
      onApproved: () => expect.unreachable(),
      person: { ...nobody, approve: async () => ({ answer: "no", reason: "too large" }) },
    });
    const said = await call("ExitPlanMode", { plan: "Do it." });
    expect([said.outcome, said.text]).toEqual(["denied", "The plan was not approved: too large"]);
  });
});
