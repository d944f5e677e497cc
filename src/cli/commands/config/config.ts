import { shownValue } from "../../../app/settings/value-text.ts";
import { defineCommand } from "../../command/command.ts";
import { flag } from "../../command/parameters.ts";
import { explanationData, explanationText } from "./explanation.ts";

export const config = defineCommand({
  description:
    "Shows every setting, with the value that counts here. Layers, each stronger than the one before: default, " +
    "~/.worldline/settings.json, .worldline/settings.json and .worldline/settings.local.json in the workspace, " +
    "the environment, --setting.",
  options: {
    explain: flag(
      "say for each value where it comes from, what it overrode, and what is ignored until trusted",
    ),
  },
  examples: [
    { command: "worldline config", meaning: "all settings" },
    { command: "worldline config --explain", meaning: "and where each value comes from" },
    { command: "worldline config get lock.waitMs", meaning: "one value, for a script" },
    { command: "worldline config set trash.days 90", meaning: "in your own settings" },
    { command: "worldline config trust", meaning: "accept what this workspace's settings say" },
  ],
  subcommands: [
    { name: "get", summary: "print one setting's value", load: async () => (await import("./get.ts")).get },
    { name: "set", summary: "write one setting to a file", load: async () => (await import("./set.ts")).set },
    {
      name: "trust",
      summary: "accept this workspace's settings as they are now",
      load: async () => (await import("./trust.ts")).trust,
    },
    {
      name: "untrust",
      summary: "take that back",
      load: async () => (await import("./untrust.ts")).untrust,
    },
  ],
  async run({ options, frame }) {
    const loaded = await frame.settings();
    if (options.explain) {
      frame.output.answer(explanationData(loaded), () => explanationText(loaded, frame));
      return;
    }
    const lines = loaded.explained.map(({ key, value }) => `${key} = ${shownValue(value)}`);
    frame.output.answer({ settings: loaded.values }, () => lines.join("\n"));
  },
});
