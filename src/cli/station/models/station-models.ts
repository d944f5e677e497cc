import { providersOf } from "../../../agent/models/provider-table.ts";
import type { StationModels } from "../../../ports/station/models.ts";
import { modelSources } from "../../agent/open-model.ts";
import { changeSetting } from "../../settings/change.ts";
import type { Seat } from "../here/seat.ts";
import { connectLocal, connectProvider, defaultModelNow } from "./connect-provider.ts";
import { findOllama } from "./find-ollama.ts";
import { modelRows } from "./model-rows.ts";
import { providerRow } from "./provider-row.ts";

/** Which model answers the agent here. */
export function stationModels(seat: Seat): StationModels {
  const choose: StationModels["choose"] = async (name, remember) => {
    const { agent, frame } = seat.here;
    const heard = { window: 0 };
    const release = agent.on((event) => {
      if (event.type === "session" || event.type === "model") heard.window = event.window;
    });
    try {
      await agent.setModel(name);
    } finally {
      release();
    }
    seat.setModel({ state: "ready", name: agent.model, window: heard.window });
    if (remember === "no") return;
    const { home } = frame;
    const change = {
      home,
      workspace: agent.workspace,
      where: "user",
      key: "model",
      value: agent.model,
    } as const;
    await changeSetting(change);
    await seat.refresh();
  };
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
