import type { Phase } from "../view/view-state.ts";
import type { Desk } from "./desk.ts";
import { closestName, findCommand } from "./find-command.ts";
import type { SlashTyped } from "./parse-slash.ts";
import { sayError } from "./say-error.ts";

/** Does what was typed, or says why not and gives it back. Never rejects: what goes wrong is said. */
export async function runSlash(desk: Desk, { name, words }: SlashTyped, phase: Phase): Promise<void> {
  const said = desk.strings.terminal.commands;
  const command = findCommand(name);
  const refuse = (line: string): void => {
    desk.say({ tone: "warning", line });
    desk.edit(`/${name} ${words}`.trim());
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
    await command.run(desk, words);
  } catch (error) {
    sayError(desk, error);
  }
}
