import { expect, it } from "vitest";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { conversations, hostSession, lastShown, sdkSessions } from "../support/wire.ts";

describeWithClaude("probe", () => {
  it("asked", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: ["one", "two", "three", "four", "five", "six", "seven"].map((w) => ({ text: `on ${w}` })), summaries: ["In short.", "x", "y"] }),
    });
    const { agent, session } = stage;
    console.log("none", await agent.compact());
    for (const words of ["one", "two", "three", "four"]) await agent.prompt(words);
    console.log("told", await agent.compact("the leak"));
    console.log(session.outline.rows().map((r) => `${r.seq} ${r.kind} ${r.number || ""}`).slice(-14).join("\n"));
    console.log(await session.entriesOf("compaction"));
    await agent.prompt("five");
    console.log(lastShown(stage));
    await session.rewind(7);
    await agent.prompt("six");
    console.log(lastShown(stage), sdkSessions().size);
    await session.redo();
    await agent.prompt("seven");
    console.log(lastShown(stage), sdkSessions().size, await hostSession(stage));
    console.log("again", await agent.compact());
  });
  it("auto", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: ["one", "two", "three", "four", "five"].map((w) => ({ text: `on ${w}`, ...(w === "three" ? { usage: { uncached: 990000 } } : {}) })), summaries: ["In short.", "x"] }),
    });
    const { agent, session, events } = stage;
    for (const words of ["one", "two", "three", "four"]) console.log((await agent.prompt(words)).outcome);
    console.log(conversations(stage), stage.server.requests.length);
    console.log(session.outline.rows().map((r) => `${r.seq} ${r.kind} ${r.number || ""}`).slice(-14).join("\n"));
    console.log(events.filter((e) => e.type === "compaction" || e.type === "model"));
  });
});
