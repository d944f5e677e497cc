import { providersOf } from "../../../agent/models/provider-table.ts";
import type { StationModels } from "../../../ports/station/models.ts";
import { modelSources } from "../../agent/open-model.ts";
import type { Seat } from "../here/seat.ts";
import { chooseModel } from "./choose-model.ts";
import { claudeModels } from "./claude-models.ts";
import { connectLocal, connectProvider, defaultModelNow } from "./connect-provider.ts";
import { findOllama } from "./find-ollama.ts";
import { modelRows } from "./model-rows.ts";
import { providerRow } from "./provider-row.ts";

/** Which model answers the agent here, whosever it is. */
export function stationModels(seat: Seat): StationModels {
  const [native, claude] = [nativeModels(seat), claudeModels(seat)];
  const here = (): StationModels => (seat.here.host === "claude" ? claude : native);
  return {
    list: async () => here().list(),
    choose: async (name, remember) => here().choose(name, remember),
    providers: async () => here().providers(),
    connect: async (provider, key) => here().connect(provider, key),
    connectLocal: async (name) => here().connectLocal(name),
    findOllama: async () => here().findOllama(),
  };
}

function nativeModels(seat: Seat): StationModels {
  const choose: StationModels["choose"] = async (name, remember) =>
    chooseModel(seat, name, remember === "yes" ? "model" : undefined);
  return {
    list: async () => modelRows(seat.here.frame, seat.model),
    choose,
    providers: async () => {
      const { settings, environment, keys } = await modelSources(seat.here.frame);
      return providersOf(settings, environment).flatMap((provider) => providerRow(provider, keys));
    },
    connect: async (provider, key) => {
      const { frame } = seat.here;
      const model = await connectProvider(frame, provider, key);
      // What would be taken at the next start by itself need not be written down.
      await choose(model, (await defaultModelNow(frame)) === model ? "no" : "yes");
    },
    connectLocal: async (name) => {
      await connectLocal(seat.here.frame, name);
      await choose(name, "yes");
    },
    findOllama: async () => findOllama(seat.here.frame),
  };
}
