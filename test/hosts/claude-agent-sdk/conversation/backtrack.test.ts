import { it } from "vitest";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { commands, conversations, markers } from "../support/wire.ts";

const back = (input: object) => ({ calls: [{ name: "mcp__worldline__Backtrack", input: input as never }] });

describeWithClaude("probe", () => {
  it("works", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: [
        { text: "Hello." },
        { text: "I look.", ...commands("echo 1 > a.txt; seq 5000") },
        back({ checkpoint_id: 4, note: "It is 5000.", rationale: "long", files: "restore" }),
        { text: "It is 5000." },
        { text: "more" },
        { text: "more2" },
      ] }),
    });
    const { agent, session, server, events } = stage;
    console.log(await agent.prompt("hi"));
    console.log(await agent.prompt("how many?"));
    console.log(conversations(stage).map((c) => c.map((l) => l.slice(0, 500))));
    console.log(markers(stage), events.filter((e) => e.type === "backtrack"));
    console.log(server.requests.map((r) => [r.inputTokens, r.cachedTokens]));
    console.log((await session.entriesOf("reply")).map((r) => r.usage));
    console.log(session.outline.rows().map((r) => `${r.seq} ${r.kind} ${r.number || ""}`).slice(-24).join("\n"));
    await session.redo();
    await agent.prompt("and?");
    console.log(conversations(stage).at(-1)?.map((l) => l.slice(0, 500)));
    console.log(server.requests.at(-1)?.tools);
  });
});
