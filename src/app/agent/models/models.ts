import { providersOf } from "../../../agent/models/catalogue.ts";
import type { SessionSwitcher } from "../../current/session-switcher.ts";
import { modelSources } from "../open-model.ts";
import { chooseModel } from "./choose-model.ts";
import { claudeModels } from "./claude-models.ts";
import { connectLocal, connectProvider, defaultModelNow } from "./connect-provider.ts";
import { findOllama } from "./find-ollama.ts";
import { modelRows } from "./model-rows.ts";
import type { Models } from "./model-types.ts";
import { providerRow } from "./provider-row.ts";

/** Which model answers the agent here, whosever it is. */
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
    providers: async () => {
      const { settings, environment, keys } = await modelSources(switcher.here.context);
      return providersOf(settings, environment).flatMap((provider) => providerRow(provider, keys));
    },
    connect: async (provider, key) => {
      const { context } = switcher.here;
      const model = await connectProvider(context, provider, key);
      // What would be taken at the next start by itself need not be written down.
      await choose(model, (await defaultModelNow(context)) === model ? "no" : "yes");
    },
    connectLocal: async (name) => {
      await connectLocal(switcher.here.context, name);
      await choose(name, "yes");
    },
    findOllama: async () => findOllama(switcher.here.context),
  };
}
