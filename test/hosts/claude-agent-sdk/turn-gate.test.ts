import { gateContract } from "../../agent/support/gate-contract.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { claudeStage } from "./support/claude-stage.ts";

describeWithClaude("the agent of the Claude Agent SDK, which does one thing at a time,", () => {
  gateContract(async (request) => claudeStage(request));
});
