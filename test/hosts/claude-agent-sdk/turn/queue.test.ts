import { expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./support/lines.ts";
import { heard } from "./support/until.ts";

function bash(id: string, command: string): ScriptedReply {
  return { calls: [{ id, name: "Bash", input: { command, description: "A command" } }] };
}

describeWithClaude("what the person says during a turn of the Claude Agent SDK", () => {
  it("is heard behind the results of the step, at the end of the turn, or handed back after an interrupt", async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { agent, session, server } = await claudeStage({
      responder: scripted(
        bash("first", "sleep 0.2; echo hi"),
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
    expect.soft(await turn).toMatchObject({ outcome: "done", answer: "All done.", steps: 3 });
    expect.soft(await linesOf(session)).toEqual([]);
    expect.soft(spoken(server.requests[2] as never)).toEqual([]);

    const endless = agent.prompt("on and on");
    await heard(agent, ({ type }) => type === "text");
    agent.queue("stop that");
    await agent.interrupt();
    expect.soft(await endless).toMatchObject({
      outcome: "interrupted",
      unheard: [[{ type: "text", text: "stop that" }]],
    });
    expect.soft(await agent.prompt("again")).toMatchObject({ outcome: "done", answer: "Fresh." });
    expect.soft(spoken(server.requests[4] as never).at(-1)).toEqual({ role: "user", text: ["again"] });
  });
});
