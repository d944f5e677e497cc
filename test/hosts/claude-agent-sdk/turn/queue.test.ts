import { expect, it } from "vitest";
import { scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";
import { heard } from "./until.ts";

const FIRST = { command: "sleep 0.2; echo hi", description: "Says hi" };

describeWithClaude("what the user says during a turn of the Claude Agent SDK", () => {
  it("reaches the model after the results of the step, at the end of the turn, or is handed back after an interrupt", async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { agent, session, server } = await claudeStage({
      responder: scripted(
        { calls: [{ id: "first", name: "Bash", input: FIRST }] },
        { text: "Nearly done.", hold },
        { text: "All done." },
        { text: "Going on for ever.", hold: new Promise(() => undefined) },
        { text: "Fresh." },
      ),
    });
    const turn = agent.prompt("go");
    await heard(agent, (event) => event.type === "entry" && event.entry.kind === "tool-start");
    agent.queue("and hurry");
    await heard(agent, ({ type }) => type === "text");
    agent.queue("and be kind");
    release();
    expect(await turn).toMatchObject({ outcome: "done", answer: "All done.", steps: 3 });
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: go",
      "host 1",
      "step 2",
      "reply: Bash first",
      "tool-start first",
      "tool-end first ok: hi",
      "host 1",
      "checkpoint 3 (prompt)",
      "prompt: and hurry",
      "host 1",
      "step 4",
      "reply: Nearly done.",
      "host 1",
      "checkpoint 5 (prompt)",
      "prompt: and be kind",
      "host 1",
      "step 6",
      "reply: All done.",
      "host 1",
    ]);
    expect(server.requests.map(spoken)[2]).toEqual([
      { role: "user", text: ["go"] },
      { role: "assistant", calls: [{ name: "Bash", input: FIRST }] },
      { role: "user", meanwhile: ["and hurry"], results: [{ text: "hi" }] },
      { role: "assistant", text: ["Nearly done."] },
      { role: "user", text: ["and be kind"] },
    ]);

    const endless = agent.prompt("on and on");
    await heard(agent, ({ type }) => type === "text");
    agent.queue("stop that");
    await agent.interrupt();
    expect(await endless).toMatchObject({
      outcome: "interrupted",
      unheard: [[{ type: "text", text: "stop that" }]],
    });
    expect(await agent.prompt("again")).toMatchObject({ outcome: "done", answer: "Fresh." });
    expect(server.requests.map(spoken)[4]?.at(-1)).toEqual({
      role: "user",
      text: [
        "[Request interrupted by user]",
        `<system-${session.header.tag}>The person interrupted the turn here.</system-${session.header.tag}>`,
        "again",
      ],
    });
  });
});
