import { NativeAgent, type NativeAgentParts } from "../../../agent/agent.ts";
import { DEFAULT_LIMITS, httpFetch } from "../../../agent/http/http-fetch.ts";
import { costOf } from "../../../agent/models/catalogue.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { Model } from "../../../ports/model.ts";
import type { Frame } from "../../command/frame.ts";
import { agentSettings } from "../agent-settings.ts";
import { keptOutputs } from "../kept-outputs.ts";
import type { McpHere } from "../open-mcp.ts";
import { openModel, pricesOf } from "../open-model.ts";
import type { AgentMaterial, MadeAgent, NativeAnswering } from "./answering.ts";
import { openSubSessionIn } from "./open-sub-session.ts";
import { withoutPassword } from "./without-password.ts";

/** Our own agent, with the models and the tools that it has here. */
export async function makeNativeAgent(
  frame: Frame,
  material: AgentMaterial<NativeAnswering>,
  mcp: McpHere,
): Promise<MadeAgent> {
  const { opened, answering, rules, wish, person, gate, checkMode } = material;
  const { values } = await frame.settings();
  const { finder, models } = answering;
  const { model, summariser } = models;
  const { environment } = frame.surroundings;
  const agent = new NativeAgent({
    session: opened.session,
    resumed: opened.resumed,
    common: {
      model: () => model,
      ...(summariser === undefined ? {} : { summariser }),
      person,
      rules,
      settings: agentSettings(values, wish),
      clock: systemClock,
      environment: withoutPassword(environment, frame.common.store),
      secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
      fetch: httpFetch(environment, DEFAULT_LIMITS),
      ...keptOutputs(opened.outputs),
      priceOf: await pricing(frame),
    },
    mode: wish.mode ?? values["permissions.mode"],
    ...(opened.here.files === undefined ? {} : { files: opened.here.files }),
    tools: mcp.tools,
    gate,
    checkMode,
    openModel: async (name): Promise<Model> =>
      (await openModel(frame, { wanted: name, finder: () => finder.model })).model,
    openSubSession: openSubSessionIn(opened),
  });
  return { agent };
}

async function pricing(frame: Frame): Promise<NativeAgentParts["common"]["priceOf"]> {
  const catalogue = await pricesOf(frame);
  return (model, usage) => costOf(usage, model, catalogue);
}
