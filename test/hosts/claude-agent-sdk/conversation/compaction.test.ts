import { expect, it } from "vitest";
import { describeWithClaude, realClaudeSdk } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { conversations, commands, hostSession, lastShown, sdkSessions } from "../support/wire.ts";

describeWithClaude("probe", () => {
  it("auto", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: [{text:"on one"}, {text:"on two"}, {text:"on three", usage: { uncached: 990000 }}, {misbehave: {do: "status", status: 400, times: 1}}, {text:"on five"}, {...commands("echo 1"), usage: {uncached: 990000}}, {text: "after"}, {text: "x"}], summaries: ["In short.", "Shorter."] }),
    });
    const { agent, session, events } = stage;
    for (const words of ["one", "two", "three", "four"]) console.log((await agent.prompt(words)).outcome);
    const dump = async () => {
    const id = await hostSession(stage);
    console.log((sdkSessions().get(id) ?? "").split("\n").filter((l) => l.includes('"uuid"')).map((l) => JSON.parse(l)).map((m) => `${m.type} ${m.uuid.slice(0,4)} <- ${(m.parentUuid ?? m.logicalParentUuid ?? "").slice(0,4)} ${JSON.stringify(m.message?.content ?? m.attachment?.type ?? m.subtype).slice(0, 80)}`).join("\n"));
    const sdk = await realClaudeSdk();
    console.log((await sdk.getSessionMessages(id, { dir: stage.workspace })).map((m: any) => `${m.uuid.slice(0,4)} ${JSON.stringify(m.message?.content).slice(0,60)}`));
    console.log((await session.entriesOf("host")).map((h) => h.message?.slice(0, 4)));
    };
    await dump();
    console.log(conversations(stage), stage.server.requests.length);
    const again = await stage.again();
    await again.agent.prompt("five");
    console.log(lastShown(stage));
    await again.agent.prompt("six");
    console.log(conversations(stage).slice(-2));
    console.log(session.outline.rows().map((r) => `${r.seq} ${r.kind} ${r.number || ""}`).slice(-20).join("\n"));
    console.log(again.session.outline.rows().map((r) => `${r.seq} ${r.kind} ${r.number || ""}`).slice(-20).join("\n"));
  });
});
