import { expect, it } from "vitest";
import { describeWithClaude, realClaudeSdk } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { conversations, commands, hostSession, lastShown, sdkSessions } from "../support/wire.ts";

describeWithClaude("probe", () => {
  it("manual", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: [..."abcdefghijk"].map((t) => ({ text: t })), summaries: ["In short.", "Shorter."] }),
    });
    const { agent, session, events } = stage;
    for (const words of ["one", "two", "three", "four"]) await agent.prompt(words);
    await agent.compact();
    const dump = async () => {
    const id = await hostSession(stage);
    console.log((sdkSessions().get(id) ?? "").split("\n").filter((l) => l.includes('"uuid"')).map((l) => JSON.parse(l)).filter((m) => m.type !== "attachment").map((m) => `${m.type} ${m.uuid.slice(0,4)} <- ${(m.parentUuid ?? m.logicalParentUuid ?? "").slice(0,4)} ${JSON.stringify(m.message?.content ?? m.attachment?.type ?? m.compactMetadata).slice(0, 280)}`).join("\n"));
    const sdk = await realClaudeSdk();
    console.log((await sdk.getSessionMessages(id, { dir: stage.workspace })).map((m: any) => `${m.uuid.slice(0,4)} ${JSON.stringify(m.message?.content).slice(0,60)}`));
    console.log((await session.entriesOf("host")).map((h) => h.message?.slice(0, 4)));
    };
    await dump();
    const again = await stage.again();
    await again.agent.prompt("five");
    console.log("after restart", lastShown(stage), sdkSessions().size);
    await again.session.rewind(9);
    await again.agent.prompt("six");
    console.log("at 9", lastShown(stage), sdkSessions().size);
    await again.session.rewind(8);
    await again.agent.prompt("seven");
    console.log("at 8", lastShown(stage), sdkSessions().size);
    await again.session.rewind(7);
    await again.agent.prompt("eight");
    console.log("at 7", lastShown(stage), sdkSessions().size);
  });
});
