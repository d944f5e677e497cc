import { systemClock } from "../../../disk/system-clock.ts";
import { knownModel } from "../../../hosts/claude-agent-sdk/models.ts";
import type { AppContext } from "../../context.ts";
import { agentSettings } from "../agent-settings.ts";
import { keptOutputs } from "../kept-outputs.ts";
import type { AgentMaterial, ClaudeAnswering, MadeAgent } from "./answering.ts";
import { openSubSessionIn } from "./open-sub-session.ts";
import { withoutPassword } from "./without-password.ts";

/** The agent of the Claude Agent SDK. Servers of a trusted `.mcp.json` are started by the SDK itself. */
export async function makeClaudeAgent(
  context: AppContext,
  { opened, answering, rules, wish, person, gate, checkMode }: AgentMaterial<ClaudeAnswering>,
): Promise<MadeAgent> {
  const { values } = await context.settings();
  const { ClaudeAgent } = await import("../../../hosts/claude-agent-sdk/claude-agent.ts");
  const agent = new ClaudeAgent({
    sdk: answering.sdk,
    start: answering.start,
    session: opened.session,
    known: await knownModel(opened.session),
    resumed: opened.resumed,
    mode: wish.mode ?? values["permissions.mode"],
    person,
    rules,
    settings: agentSettings(values, wish),
    clock: systemClock,
    files: opened.here.files,
    environment: withoutPassword(context.surroundings.environment, context.common.store),
    secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
    ...keptOutputs(opened.outputs),
    openSubSession: openSubSessionIn(opened),
    gate,
    checkMode,
  });
  return { agent, models: async () => agent.models() };
}
