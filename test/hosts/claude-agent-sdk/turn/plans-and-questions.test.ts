import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PlanAnswer, Question } from "../../../../src/ports/person.ts";
import type { Responder } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./lines.ts";

describeWithClaude("plan mode and questions of the Claude Agent SDK", () => {
  it("changes nothing before the user has approved the plan, and continues in the mode of that answer", async () => {
    const plans: string[] = [];
    const answers: PlanAnswer[] = [
      { answer: "no", reason: "too short" },
      { answer: "approved", mode: "accept-edits" },
    ];
    let place = "";
    const responder: Responder = ({ body }, index) => {
      const plan = /[^"\s]*\/plans\/[\w-]+\.md/u.exec(JSON.stringify(body))?.[0] ?? "";
      const made = { file_path: join(place, "a.txt"), content: "one\n" };
      const replies = [
        { calls: [{ id: "early", name: "Write", input: made }] },
        { calls: [{ id: "plan", name: "Write", input: { file_path: plan, content: "# Make a.txt\n" } }] },
        { calls: [{ id: "first", name: "ExitPlanMode", input: {} }] },
        { calls: [{ id: "second", name: "ExitPlanMode", input: {} }] },
        { calls: [{ id: "late", name: "Write", input: made }] },
      ];
      return replies[index] ?? { text: "As planned." };
    };
    const { agent, session, events, workspace } = await claudeStage({
      mode: "plan",
      person: {
        approve: async (plan) => {
          plans.push(plan);
          return answers[plans.length - 1] as PlanAnswer;
        },
      },
      responder,
    });
    place = workspace;
    expect(await agent.prompt("plan it")).toMatchObject({ outcome: "done", answer: "As planned." });
    expect(plans).toEqual(["# Make a.txt\n", "# Make a.txt\n"]);
    expect(existsSync(join(workspace, "a.txt"))).toBe(true);
    expect([agent.mode, toldOf(events, "mode")]).toEqual([
      "accept-edits",
      [{ type: "mode", mode: "accept-edits" }],
    ]);
    expect((await linesOf(session)).filter((line) => line.startsWith("tool-"))).toEqual([
      "tool-end early denied: Denied: plan mode: nothing may be changed or run until a plan is approved. Explore, then show the plan with ExitPlanMode",
      "tool-start plan",
      expect.stringMatching(/^tool-end plan ok: /u),
      "tool-end first denied: The plan was not approved: too short",
      expect.stringMatching(/^tool-end second ok: /u),
      "tool-start late",
      expect.stringMatching(/^tool-end late ok: /u),
    ]);
  });

  it("asks the user, and continues without an answer", async () => {
    const asked: (readonly Question[])[] = [];
    const question = {
      question: "Which colour?",
      header: "Colour",
      options: [
        { label: "Red", description: "Like a dot" },
        { label: "Blue", description: "Like the sky" },
      ],
      multiSelect: false,
    };
    const responder: Responder = (_request, index) =>
      index < 2
        ? { calls: [{ id: `q${index + 1}`, name: "AskUserQuestion", input: { questions: [question] } }] }
        : { text: "Red then." };
    const { agent, session } = await claudeStage({
      responder,
      person: { answer: async (questions) => (asked.push(questions) === 1 ? ["Red"] : undefined) },
    });
    expect(await agent.prompt("paint")).toMatchObject({ outcome: "done", answer: "Red then." });
    const { multiSelect: _, ...put } = question;
    expect(asked).toEqual([[{ ...put, several: "one" }], [{ ...put, several: "one" }]]);
    expect(await linesOf(session, 4)).toEqual([
      "reply: AskUserQuestion q1",
      'tool-end q1 ok: Your questions have been answered: "Which colour?"="Red". You can now continue with these answers in mind.',
      "host 1",
      "step 3",
      "reply: AskUserQuestion q2",
      "tool-end q2 denied: No user is available to answer. Make a cautious decision yourself, and state your assumptions in your answer.",
      "host 1",
      "step 4",
      "reply: Red then.",
      "host 1",
    ]);
  });
});
