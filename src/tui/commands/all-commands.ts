import type { Strings } from "../../strings/strings.ts";
import type { SlashCommand } from "./command.ts";
import { AGENT } from "./families/agent.ts";
import { exportSession } from "./families/export.ts";
import { GOING_BACK } from "./families/going-back.ts";
import { LOOKING } from "./families/looking.ts";
import { SESSIONS } from "./families/sessions.ts";
import { SETTINGS } from "./families/settings.ts";
import { helpPage } from "./help-page.ts";

export interface CommandGroup {
  readonly group: keyof Strings["terminal"]["commands"]["groups"];
  readonly commands: readonly SlashCommand[];
}

const help: SlashCommand = {
  name: "help",
  aliases: ["commands"],
  takes: "",
  description: ({ terminal }) => terminal.commands.descriptions.help,
  while: "any",
  run: async (desk) => {
    const { title } = desk.strings.terminal.commands.help;
    await desk.show({ title, text: helpPage(COMMAND_GROUPS, desk.strings), form: "markdown" });
  },
};

const exit: SlashCommand = {
  name: "exit",
  aliases: ["quit"],
  takes: "",
  description: ({ terminal }) => terminal.commands.descriptions.exit,
  while: "any",
  run: async (desk) => desk.leave(),
};

/** Every command that there is, as help shows them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { group: "travel", commands: GOING_BACK },
  { group: "sessions", commands: [...SESSIONS, exportSession] },
  { group: "looking", commands: LOOKING },
  { group: "agent", commands: AGENT },
  { group: "settings", commands: SETTINGS },
  { group: "program", commands: [help, exit] },
];

export const ALL_COMMANDS: readonly SlashCommand[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
