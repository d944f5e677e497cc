import type { ClaudeModel } from "../../hosts/claude-agent-sdk/models.ts";
import type { Agent } from "../../ports/agent.ts";
import { WorldlineError } from "../../record/error.ts";
import { providerRows } from "../agent/keys.ts";
import {
  connectLocal,
  connectProvider,
  defaultModelNow,
  findOllama,
  type ModelState,
  type Models,
  modelRows,
} from "../agent/models.ts";
import { changeSetting } from "../settings/change.ts";
import type { SettingKey } from "../settings/table.ts";
import type { SessionSwitcher } from "./session-switcher.ts";

/** Returns the models for the current agent, whichever host runs it. */
export function modelsOn(switcher: SessionSwitcher): Models {
  const [native, claude] = [nativeModels(switcher), claudeModels(switcher)];
  const here = (): Models => (switcher.here.host === "claude" ? claude : native);
  return {
    list: async () => here().list(),
    choose: async (name, remember) => here().choose(name, remember),
    providers: async () => here().providers(),
    connect: async (provider, key) => here().connect(provider, key),
    connectLocal: async (name) => here().connectLocal(name),
    findOllama: async () => here().findOllama(),
  };
}

function nativeModels(switcher: SessionSwitcher): Models {
  const choose: Models["choose"] = async (name, remember) =>
    chooseModel(switcher, name, remember === "yes" ? "model" : undefined);
  return {
    list: async () => modelRows(switcher.here.context, switcher.model),
    choose,
    providers: async () => providerRows(switcher.here.context),
    connect: async (provider, key) => {
      const { context } = switcher.here;
      const model = await connectProvider(context, provider, key);
      // The model is not written to the settings if Worldline would choose it at the next start anyway.
      await choose(model, (await defaultModelNow(context)) === model ? "no" : "yes");
    },
    connectLocal: async (name) => {
      await connectLocal(switcher.here.context, name);
      await choose(name, "yes");
    },
    findOllama: async () => findOllama(switcher.here.context),
  };
}

const PROVIDER = "anthropic";

/**
 * Returns the Claude Agent SDK's models, which only the SDK's process can list, and the one provider whose key the SDK
 * can use.
 */
function claudeModels(switcher: SessionSwitcher): Models {
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
      const rows = await providerRows(switcher.here.context);
      return rows.filter(({ provider }) => provider === PROVIDER);
    },
    connect: async (provider, key) => {
      await connectProvider(switcher.here.context, provider, key);
      // The SDK's processes receive the key only when the session is opened.
      await switcher.reopen();
    },
    connectLocal: async (name) => {
      throw new WorldlineError("model-not-of-the-sdk", { model: name });
    },
    findOllama: async () => undefined,
  };
}

/** Returns the model with that name, otherwise the first one whose alias resolves to it. */
function currentOf(models: readonly ClaudeModel[], now: ModelState): ClaudeModel | undefined {
  if (now.state === "none") return undefined;
  const answers = now.name.replace(/^anthropic\//u, "");
  return models.find(({ name }) => name === answers) ?? models.find(({ resolved }) => resolved === answers);
}

/** Caches the list for each agent, because it comes from a process and does not change while the agent works. */
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

/** Sets the model for the next prompts, and for later sessions if `kept` names the setting to write. */
async function chooseModel(
  switcher: SessionSwitcher,
  name: string,
  kept: SettingKey | undefined,
): Promise<void> {
  const { agent, context } = switcher.here;
  const heard = { window: 0 };
  const release = agent.on((event) => {
    if (event.type === "session" || event.type === "model") heard.window = event.window;
  });
  try {
    await agent.setModel(name);
  } finally {
    release();
  }
  switcher.setModel({ state: "ready", name: agent.model, window: heard.window });
  if (kept === undefined) return;
  await changeSetting(context, { where: "user", key: kept, value: agent.model });
  await switcher.refresh();
}
