import { requireKey } from "../../../app/settings/outside.ts";
import { valueText } from "../../../app/settings/value-text.ts";
import { defineCommand } from "../../command/command.ts";
import { required } from "../../command/parameters.ts";

export const get = defineCommand({
  arguments: { key: required("the setting's name, such as lock.waitMs") },
  examples: [
    {
      command: "worldline config get lock.waitMs",
      meaning: "prints the value that counts here, and nothing else",
    },
    { command: "worldline config get trash.days --json", meaning: 'as {"key": ..., "value": ...}' },
  ],
  async run({ arguments: { key: name }, frame }) {
    const key = requireKey(name);
    const { values } = await frame.settings();
    frame.output.answer({ key, value: values[key] }, () => valueText(values[key]));
  },
});
