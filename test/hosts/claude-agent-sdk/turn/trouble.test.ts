import { expect, it } from "vitest";
import type { Responder, ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./support/lines.ts";

const status = (code: number, message?: string): ScriptedReply => ({
  misbehave: {
    do: "status",
    status: code,
    ...(message === undefined
      ? {}
      : { body: { type: "error", error: { type: "invalid_request_error", message } } }),
  },
});

describeWithClaude("an API that fails behind the Claude Agent SDK", () => {
  it("ends the turn as failed, with an error in the log and no words of its own, and the next prompt works", async () => {
    let answer: () => ScriptedReply = () => ({ text: "Fine." });
    const responder: Responder = () => answer();
    const { agent, session, server, events } = await claudeStage({ responder });

    answer = () => status(401);
    expect.soft(await agent.prompt("a")).toMatchObject({ outcome: "failed", answer: "", error: { code: "MODEL_KEY" } });
    expect.soft(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: a",
      "host 1",
      "step 2",
      "error MODEL_KEY",
    ]);

    let failures = 1;
    answer = () => (failures-- > 0 ? status(529) : { text: "At last." });
    expect.soft(await agent.prompt("b")).toMatchObject({ outcome: "done", answer: "At last." });
    expect.soft(toldOf(events, "retry").map(({ waitMs: _, ...retry }) => retry)).toEqual([]);
    expect.soft(await linesOf(session, 5)).toEqual([]);
    expect.soft(spoken(server.requests.at(-1) as never)).toEqual([]);

    answer = () => status(529);
    expect.soft(await agent.prompt("c")).toMatchObject({ outcome: "failed", error: { code: "MODEL_BUSY" } });

    answer = () => status(400, "prompt is too long: 250000 tokens > 200000 maximum");
    expect.soft(await agent.prompt("d")).toMatchObject({ outcome: "failed", error: { code: "CONTEXT_TOO_LONG" } });

    answer = () => ({ text: "Fine." });
    expect.soft(await agent.prompt("e")).toMatchObject({ outcome: "done", answer: "Fine." });
    expect.soft(await linesOf(session, 10)).toEqual([]);
    expect.soft(spoken(server.requests.at(-1) as never)).toEqual([]);

    await server.close();
    expect.soft(await agent.prompt("f")).toMatchObject({ outcome: "failed", error: { code: "MODEL_UNREACHABLE" } });
  });

  it("is stopped at the most steps of a turn, also where it calls what does not exist for ever", async () => {
    let calls = 0;
    let name = "Bash";
    const { agent, session } = await claudeStage({
      settings: { maxSteps: 2 },
      responder: () => ({
        calls: [{ id: `c${++calls}`, name, input: name === "Bash" ? { command: "true", description: "Nothing" } : {} }],
      }),
    });
    const limit = {
      outcome: "step-limit",
      steps: 2,
      error: { code: "STEP_LIMIT", message: "The turn was stopped after 2 steps." },
    };
    expect.soft(await agent.prompt("for ever")).toMatchObject(limit);
    expect.soft(await linesOf(session)).toEqual([]);
    name = "Nonsense";
    expect.soft(await agent.prompt("for ever")).toMatchObject(limit);
    expect.soft(await linesOf(session, 13)).toEqual([]);
    name = "Write";
    expect.soft(await agent.prompt("for ever")).toMatchObject(limit);
    expect.soft(await linesOf(session, 20)).toEqual([]);
    expect.soft(calls).toBe(6);
  });
});
