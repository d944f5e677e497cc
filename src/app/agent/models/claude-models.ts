import { providersOf } from "../../../agent/models/catalogue.ts";
import type { ClaudeModel } from "../../../hosts/claude-agent-sdk/models.ts";
import type { Agent } from "../../../ports/agent.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionSwitcher } from "../../current/session-switcher.ts";
import { modelSources } from "../open-model.ts";
import { chooseModel } from "./choose-model.ts";
import { connectProvider } from "./connect-provider.ts";
import type { ModelState, Models } from "./model-types.ts";
import { providerRow } from "./provider-row.ts";

const PROVIDER = "anthropic";

/** The models of the Claude Agent SDK, which only a process of it knows; and the one provider whose key it can use. */
export function claudeModels(switcher: SessionSwitcher): Models {
  const asked = new WeakMap<Agent, Promise<readonly ClaudeModel[]>>();
  return {
    list: async () => {
      const models = await listed(switcher, asked);
      const current = currentOf(models, switcher.model);
      return models.map((model) => ({ name: model.name, state: "ready", isCurrent: model === current }));
    },
    choose: async (name, remember) =>
      chooseModel(switcher, name, remember === "yes" ? "claude.model" : undefined),
    providers: async () => {
      const { settings, environment, keys } = await modelSources(switcher.here.context);
      const providers = providersOf(settings, environment).filter(({ name }) => name === PROVIDER);
      return providers.flatMap((provider) => providerRow(provider, keys));
    },
    connect: async (provider, key) => {
      await connectProvider(switcher.here.context, provider, key);
      // The SDK's processes get the key when the session is opened.
      await switcher.reopen();
    },
    connectLocal: async (name) => {
      throw new WorldlineError("model-not-of-the-sdk", { model: name });
    },
    findOllama: async () => undefined,
  };
}

/** By its own name, else the first one whose name stands for it. */
function currentOf(models: readonly ClaudeModel[], now: ModelState): ClaudeModel | undefined {
  if (now.state === "none") return undefined;
  const answers = now.name.replace(/^anthropic\//u, "");
  return models.find(({ name }) => name === answers) ?? models.find(({ resolved }) => resolved === answers);
}

/** It takes a process to ask, and they do not change while one works. */
async function listed(
  { here }: SessionSwitcher,
  asked: WeakMap<Agent, Promise<readonly ClaudeModel[]>>,
): Promise<readonly ClaudeModel[]> {
  const { agent, models } = here;
  const known = asked.get(agent);
  if (known !== undefined || models === undefined) return known ?? [];
  const asking = models();
  asked.set(agent, asking);
  asking.catch(() => asked.delete(agent));
  return asking;
}
