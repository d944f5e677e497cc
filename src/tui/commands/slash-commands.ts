import type { Strings } from "../../strings/strings.ts";
import type { Completion, Suggested } from "../editor/completion.ts";
import type { SlashTyped } from "../editor/inputs.ts";
import { type CommandContext, showError } from "../flows/command-context.ts";
import type { Phase } from "../view/view-state.ts";
import { AGENT, SETTINGS } from "./agent-settings.ts";
import type { SlashCommand } from "./command.ts";
import { GOING_BACK } from "./going-back.ts";
import { LOOKING } from "./inspect.ts";
import { exportSession, SESSIONS } from "./sessions.ts";

interface CommandGroup {
  readonly group: keyof Strings["terminal"]["commands"]["groups"];
  readonly commands: readonly SlashCommand[];
}

const help: SlashCommand = {
  name: "help",
  aliases: ["commands"],
  takes: "",
  description: "help",
  while: "any",
  run: async (context) => {
    const { title } = context.strings.terminal.commands.help;
    await context.show({ title, text: helpPage(COMMAND_GROUPS, context.strings), form: "markdown" });
  },
};

const exit: SlashCommand = {
  name: "exit",
  aliases: ["quit"],
  takes: "",
  description: "exit",
  while: "any",
  run: async (context) => context.leave(),
};

/** All commands, in the same groups as on the help page. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { group: "travel", commands: GOING_BACK },
  { group: "sessions", commands: [...SESSIONS, exportSession] },
  { group: "looking", commands: LOOKING },
  { group: "agent", commands: AGENT },
  { group: "settings", commands: SETTINGS },
  { group: "program", commands: [help, exit] },
];

export const ALL_COMMANDS: readonly SlashCommand[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

/** Finds a command by its name, given in lowercase and without the slash. */
export function findCommand(name: string): SlashCommand | undefined {
  return ALL_COMMANDS.find((command) => command.name === name || command.aliases.includes(name));
}

const MAX_MISTAKES = 2;

/** Returns the name that the user most likely meant, or undefined if none is similar. */
export function closestName(typed: string): string | undefined {
  const names = ALL_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  const ranked = names
    .map((name) => ({ name, mistakes: mistakesBetween(typed, name) }))
    .filter(({ name, mistakes }) => mistakes <= MAX_MISTAKES && mistakes < name.length - 1)
    .sort((one, other) => one.mistakes - other.mistakes);
  return ranked[0]?.name ?? names.find((name) => typed.length > 2 && name.startsWith(typed));
}

/** Returns how many letters must be added, removed, changed or swapped to turn one name into the other. */
function mistakesBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const now = [row + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = at(last, column) + (letter === wanted ? 0 : 1);
      const isSwap = row > 0 && column > 0 && one[row - 1] === wanted && other[column - 1] === letter;
      const swapped = isSwap ? at(beforeLast, column - 1) + 1 : Number.POSITIVE_INFINITY;
      now.push(Math.min(changed, swapped, at(last, column + 1) + 1, at(now, column) + 1));
    }
    beforeLast = last;
    last = now;
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/**
 * Runs a typed command. If the command cannot run, explains why and puts the command back in the editor. Never rejects,
 * because errors are shown to the user.
 */
export async function runSlash(
  context: CommandContext,
  { name, words }: SlashTyped,
  phase: Phase,
): Promise<void> {
  const said = context.strings.terminal.commands;
  const command = findCommand(name);
  const refuse = (line: string): void => {
    context.say({ tone: "warning", line });
    context.edit(`/${name} ${words}`.trim());
  };
  if (command === undefined) {
    const close = closestName(name);
    refuse(close === undefined ? said.unknown(name) : said.unknownButClose(name, close));
    return;
  }
  if (command.while === "idle" && phase === "turn") {
    refuse(said.interruptFirst(name));
    return;
  }
  if (command.takes === "" && words !== "") {
    refuse(said.takesNothing(name));
    return;
  }
  try {
    await command.run(context, words);
  } catch (error) {
    showError(context, error);
  }
}

const MAX_ITEMS = 30;

/**
 * Returns the completions at the cursor: commands, or the arguments for a command. `before` is the text from the slash
 * to the cursor.
 */
export async function completeSlash(
  context: CommandContext,
  before: string,
  how: "typed" | "tab",
): Promise<Suggested | undefined> {
  const [, name = "", gap, words = ""] = /^\/([a-z-]*)(\s+)?([\s\S]*)$/iu.exec(before) ?? [];
  if (gap === undefined) return { prefix: before, items: commandsLike(context, name.toLowerCase()) };
  const offer = findCommand(name.toLowerCase())?.completions;
  // Enter accepts the chosen row, so a list that opened automatically would make it impossible to send the command
  // without arguments.
  if (offer === undefined || (words === "" && how === "typed")) return undefined;
  try {
    return { prefix: words, items: like(await offer(context, words), words) };
  } catch {
    // If the lookup fails, no completions are offered. The command itself reports the reason when it runs.
    return undefined;
  }
}

function commandsLike({ strings }: CommandContext, typed: string): readonly Completion[] {
  const described = (command: SlashCommand, name: string): Completion => ({
    value: `/${name}${command.takes === "" ? "" : " "}`,
    description: `${strings.terminal.commands.descriptions[command.description]} ${command.takes}`.trimEnd(),
  });
  if (typed === "") return ALL_COMMANDS.map((command) => described(command, command.name));
  const named = ALL_COMMANDS.flatMap((command) =>
    [command.name, ...command.aliases].map((name) => ({ command, name })),
  );
  const exact = named.filter(({ name }) => name === typed);
  const begun = named.filter(({ name }) => name !== typed && name.startsWith(typed));
  const within = named.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...exact, ...begun, ...within].map(({ command, name }) => described(command, name));
}

function like(items: readonly Completion[], typed: string): readonly Completion[] {
  const wanted = typed.toLowerCase();
  const begins = items.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const holds = items.filter(
    ({ value, description = "" }) =>
      !value.toLowerCase().startsWith(wanted) && `${value} ${description}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...holds].slice(0, MAX_ITEMS);
}

/**
 * Returns a page with all commands and all keys as Markdown. The page is generated entirely from the tables of commands
 * and keys.
 */
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
  const { help, descriptions } = strings.terminal.commands;
  const typed = takes === "" ? `/${name}` : `/${name} ${takes}`;
  const also = aliases.length === 0 ? "" : ` (${help.also(aliases.map((alias) => `/${alias}`).join(", "))})`;
  return `- \`${typed}\` ${descriptions[description]}${also}`;
}
