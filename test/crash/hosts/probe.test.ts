import { it } from "vitest";
import { turnStateOf } from "../../../src/machine/looking/turn-state.ts";
import { claudeScript } from "../../support/claude/series.ts";
import { claudeStage } from "../../hosts/claude-agent-sdk/support/claude-stage.ts";
it("x", async () => {
  const { agent, session } = await claudeStage({ responder: claudeScript({ main: [{ text: "a" }, { text: "b" }, { text: "c" }], summaries: ["s"] }) });
  for (const p of ["one", "two", "three"]) await agent.prompt(p);
  console.log(await turnStateOf(session));
  console.log(await agent.compact());
  console.log(await turnStateOf(session));
});
