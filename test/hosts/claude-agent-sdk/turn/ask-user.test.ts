import { describe, expect, it } from "vitest";
import { sdkMode } from "../../../../src/hosts/claude-agent-sdk/options.ts";
import { answerQuestions, approvePlan } from "../../../../src/hosts/claude-agent-sdk/turn/ask-user.ts";
import type { Person, PlanAnswer, Question } from "../../../../src/ports/person.ts";

const { signal } = new AbortController();

function personWho({
  answers,
  plan = { answer: "no", reason: "nobody is there" },
}: {
  readonly answers?: readonly string[];
  readonly plan?: PlanAnswer;
}) {
  const heard: (Question | string)[] = [];
  const person: Person = {
    allow: async () => ({ answer: "no", reason: "not asked" }),
    answer: async (questions) => {
      heard.push(...questions);
      return answers;
    },
    approve: async (text) => {
      heard.push(text);
      return plan;
    },
  };
  return { person, heard };
}

const input = {
  questions: [
    {
      question: "Which?",
      header: "Pick",
      multiSelect: false,
      options: [{ label: "A", description: "a", preview: "..." }],
    },
    { question: "All of them?", header: "Many", multiSelect: true, options: [{ label: "B" }] },
  ],
};

describe("the questions of AskUserQuestion", () => {
  it("are asked of the user, and answered by question", async () => {
    const { person, heard } = personWho({ answers: ["A", "B, or so"] });
    expect(await answerQuestions(person, input, signal)).toEqual({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which?": "A", "All of them?": "B, or so" } },
    });
    expect(heard).toEqual([
      { question: "Which?", header: "Pick", options: [{ label: "A", description: "a" }], several: "one" },
      {
        question: "All of them?",
        header: "Many",
        options: [{ label: "B", description: "" }],
        several: "any",
      },
    ]);
  });

  it("are refused if there is no answer, or nothing is asked", async () => {
    const { person } = personWho({});
    expect(await answerQuestions(person, input, signal)).toEqual({
      behavior: "deny",
      message:
        "No user is available to answer. Make a cautious decision yourself, and state your assumptions in your answer.",
    });
    expect(await answerQuestions(person, { questions: [7] }, signal)).toEqual({
      behavior: "deny",
      message: "The call contains no questions.",
    });
  });
});

describe("the plan of ExitPlanMode", () => {
  it("is shown to the user, who chooses the mode", async () => {
    const { person, heard } = personWho({ plan: { answer: "approved", mode: "accept-edits" } });
    expect(await approvePlan(person, { plan: "# Do it", planFilePath: "/p.md" }, signal)).toEqual({
      permission: { behavior: "allow", updatedInput: { plan: "# Do it", planFilePath: "/p.md" } },
      mode: "accept-edits",
    });
    expect(heard).toEqual(["# Do it"]);
  });

  it("is refused with the reason, and without asking if there is none", async () => {
    const { person, heard } = personWho({});
    expect(await approvePlan(person, { plan: "x" }, signal)).toEqual({
      permission: { behavior: "deny", message: "The plan was not approved: nobody is there" },
      reason: { code: "said", words: "nobody is there" },
    });
    expect((await approvePlan(person, {}, signal)).permission.behavior).toBe("deny");
    expect(heard).toEqual(["x"]);
  });
});

describe("the mode that the SDK works in", () => {
  it("is its own only while a plan is made", () => {
    expect((["plan", "manual", "accept-edits", "auto"] as const).map(sdkMode)).toEqual([
      "plan",
      "default",
      "default",
      "default",
    ]);
  });
});
