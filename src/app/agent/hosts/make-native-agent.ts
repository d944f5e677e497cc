import { DEFAULT_LIMITS, httpFetch } from "../../../agent/http-fetch.ts";
import { costOf } from "../../../agent/models/catalogue.ts";
import { NativeAgent, type NativeAgentOptions } from "../../../agent/native-agent.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { Model } from "../../../ports/model.ts";
import type { AppContext } from "../../context.ts";
import { agentSettings } from "../agent-settings.ts";
import { keptOutputs } from "../kept-outputs.ts";
import type { McpHere } from "../open-mcp.ts";
import { openModel, pricesOf } from "../open-model.ts";
import type { AgentMaterial, MadeAgent, NativeAnswering } from "./answering.ts";
import { openSubSessionIn } from "./open-sub-session.ts";
import { withoutPassword } from "./without-password.ts";

/** Our own agent, with the models and the tools that it has here. */
export async function makeNativeAgent(
  context: AppContext,
  material: AgentMaterial<NativeAnswering>,
  mcp: McpHere,
): Promise<MadeAgent> {
  const { opened, answering, rules, wish, person, gate, checkMode } = material;
  const { values } = await context.settings();
  const { finder, models } = answering;
  const { model, summariser } = models;
  const { environment } = context.surroundings;
  const agent = new NativeAgent({
    session: opened.session,
    resumed: opened.resumed,
    model,
    summariser,
    person,
    rules,
    mode: wish.mode ?? values["permissions.mode"],
    settings: agentSettings(values, wish),
    clock: systemClock,
    files: opened.here.files,
    environment: withoutPassword(environment, context.common.store),
    secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
    fetch: httpFetch(environment, DEFAULT_LIMITS),
    ...keptOutputs(opened.outputs),
    priceOf: await pricing(context),
    tools: mcp.tools,
    openModel: async (name): Promise<Model> =>
      (await openModel(context, { wanted: name, finder: () => finder.model })).model,
    openSubSession: openSubSessionIn(opened),
    gate,
    checkMode,
  });
  return { agent };
}

async function pricing(context: AppContext): Promise<NativeAgentOptions["priceOf"]> {
  const catalogue = await pricesOf(context);
  return (model, usage) => costOf(usage, model, catalogue);
}
