import { describe, expect, it } from "vitest";
import { atAShell, commandOnScreen } from "../../src/strings/wording.ts";
import { findCommand } from "../../src/tui/commands/slash-commands.ts";
import { commandSamples } from "./command-samples.ts";

describe("a command that a text names", () => {
  it.each(commandSamples)("is for a shell: $shell", ({ command, shell }) => {
    expect(atAShell.command(command)).toBe(shell);
  });

  it.each(commandSamples)("is a slash command on the screen, if there is one: $shell", (sample) => {
    expect(commandOnScreen(sample.command)).toBe(sample.screen ?? sample.shell);
  });

  it("is one that the screen has, with the words that it takes", () => {
    const faults = commandSamples.flatMap(({ screen }) => {
      const [, name = "", words] = /^\/(\S+)(?: (.*))?$/u.exec(screen ?? "") ?? [];
      if (screen === undefined) return [];
      const found = findCommand(name);
      return found !== undefined && (words === undefined || found.takes !== "") ? [] : [screen];
    });
    expect(faults).toEqual([]);
  });
});
