import type { Suggested } from "../editor/completion.ts";
import { ALL_COMMANDS } from "./all-commands.ts";
import type { Completion, SlashCommand } from "./command.ts";
import type { Desk } from "./desk.ts";
import { findCommand } from "./find-command.ts";

const MOST_ITEMS = 30;

/** What can stand where the cursor is: a command, or what a command takes. `before`: from the slash to the cursor. */
export async function completeSlash(
  desk: Desk,
  before: string,
  how: "typed" | "tab",
): Promise<Suggested | undefined> {
  const [, name = "", gap, words = ""] = /^\/([a-z-]*)(\s+)?([\s\S]*)$/iu.exec(before) ?? [];
  if (gap === undefined) return { prefix: before, items: commandsLike(desk, name.toLowerCase()) };
  const offer = findCommand(name.toLowerCase())?.completions;
  // Enter takes the chosen row: one that nobody asked for would stand in the way of a command without words.
  if (offer === undefined || (words === "" && how === "typed")) return undefined;
  try {
    return { prefix: words, items: like(await offer(desk, words), words) };
  } catch {
    // What cannot be looked up is not offered; the command itself says why when it is given.
    return undefined;
  }
}

function commandsLike({ strings }: Desk, typed: string): readonly Completion[] {
  const described = (command: SlashCommand, name: string): Completion => ({
    value: `/${name}${command.takes === "" ? "" : " "}`,
    description: `${command.description(strings)} ${command.takes}`.trimEnd(),
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
  return [...begins, ...holds].slice(0, MOST_ITEMS);
}
