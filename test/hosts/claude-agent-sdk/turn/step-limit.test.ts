import { expect, it } from "vitest";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";

describeWithClaude("a turn of the Claude Agent SDK that would not end", () => {
  it("is stopped at its step limit, even if the model calls what does not exist, and can be continued", async () => {
    let calls = 0;
    let name = "Bash";
    const { agent, session, server } = await claudeStage({
      settings: { maxSteps: 2 },
      responder: () => {
        const input = name === "Bash" ? { command: "true", description: "Nothing" } : {};
        return name === "" ? { text: "At last." } : { calls: [{ id: `c${++calls}`, name, input }] };
      },
    });
    const limit = {
      outcome: "step-limit",
      steps: 2,
      error: { code: "STEP_LIMIT", message: "The turn was stopped after 2 steps." },
    };
    expect(await agent.prompt("for ever")).toMatchObject(limit);
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: for ever",
      "host 1",
      "step 2",
      "reply: Bash c1",
      "tool-start c1",
      "tool-end c1 ok: (Bash completed with no output)",
      "host 1",
      "step 3",
      "reply: Bash c2",
      "tool-start c2",
      "tool-end c2 ok: (Bash completed with no output)",
      "host 1",
      "interrupt by limit",
      "checkpoint 4 (manual)",
    ]);
    name = "Nonsense";
    expect(await agent.prompt("for ever")).toMatchObject(limit);
    const unknown = "error: <tool_use_error>Error: No such tool available: Nonsense</tool_use_error>";
    expect(await linesOf(session, 15)).toEqual([
      "checkpoint 5 (prompt)",
      "prompt: for ever",
      "host 1",
      "step 6",
      "reply: Nonsense c3",
      `tool-end c3 ${unknown}`,
      "host 1",
      "step 7",
      "reply: Nonsense c4",
      `tool-end c4 ${unknown}`,
      "host 1",
      "interrupt by limit",
    ]);
    name = "Write";
    expect(await agent.prompt("for ever")).toMatchObject(limit);
    expect(await linesOf(session, 27)).toEqual([
      "checkpoint 8 (prompt)",
      "prompt: for ever",
      "host 1",
      "step 9",
      "reply: Write c5",
      expect.stringContaining("tool-end c5 error: <tool_use_error>InputValidationError: "),
      "host 1",
      "step 10",
      "reply: Write c6",
      expect.stringContaining("tool-end c6 error: <tool_use_error>InputValidationError: "),
      "host 1",
      "interrupt by limit",
    ]);
    expect(calls).toBe(6);

    const { tag } = session.header;
    name = "";
    expect(await agent.resume("continue")).toMatchObject({ outcome: "done", answer: "At last.", steps: 1 });
    expect(await linesOf(session, 39)).toEqual(["notice", "host 1", "step 11", "reply: At last.", "host 1"]);
    expect(server.requests.map(spoken).at(-1)?.at(-1)).toEqual({
      role: "user",
      results: [{ text: expect.stringContaining("InputValidationError: Write failed"), isError: true }],
      text: [
        `<system-${tag}>The turn was stopped before it was finished. Continue where it left off.</system-${tag}>`,
      ],
    });
  });
});
