import type { Strings } from "../../strings/strings.ts";
import type { CommandGroup } from "./all-commands.ts";
import type { SlashCommand } from "./command.ts";

/** All commands and all keys, as Markdown. Nothing stands on it that is not in the tables of the commands and the keys. */
export function helpPage(groups: readonly CommandGroup[], strings: Strings): string {
  const { help, groups: names } = strings.terminal.commands;
  const { rows } = strings.terminal.dialogs.keysHelp;
  return [
    `# ${help.commands}`,
    ...groups.flatMap(({ group, commands }) => [
      "",
      `## ${names[group]}`,
      "",
      ...commands.map((command) => commandLine(command, strings)),
    ]),
    "",
    `# ${help.keys}`,
    "",
    ...rows.map(([key, does]) => `- \`${key}\` ${does}`),
  ].join("\n");
}

function commandLine({ name, aliases, takes, description }: SlashCommand, strings: Strings): string {
  const { help } = strings.terminal.commands;
  const typed = takes === "" ? `/${name}` : `/${name} ${takes}`;
  const also = aliases.length === 0 ? "" : ` (${help.also(aliases.map((alias) => `/${alias}`).join(", "))})`;
  return `- \`${typed}\` ${description(strings)}${also}`;
}
