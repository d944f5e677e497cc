import { describe, expect, it } from "vitest";
import { en } from "../../../src/strings/en.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { ALL_COMMANDS, COMMAND_GROUPS, helpPage } from "../../../src/tui/commands/slash-commands.ts";
import { commandStage } from "./support/command-stage.ts";

describe.each([
  ["English", en],
  ["Chinese", zhCn],
])("the help page in %s", (_language, strings) => {
  const page = helpPage(COMMAND_GROUPS, strings);
  const rows = [...page.matchAll(/^- `([^`]+)` (.+)$/gmu)].map(([, typed = "", about = ""]) => ({
    typed,
    about,
  }));

  it("has every command and every key, and nothing else", () => {
    const commands = ALL_COMMANDS.map(({ name, takes }) => `/${name} ${takes}`.trim());
    const keys = strings.terminal.dialogs.keysHelp.rows.map(([key]) => key);
    expect(rows.map(({ typed }) => typed)).toEqual([...commands, ...keys]);
  });

  it("says of each command what it does, and its other names", () => {
    const described = ALL_COMMANDS.map(({ description, aliases }) => {
      const also = strings.terminal.commands.help.also(aliases.map((alias) => `/${alias}`).join(", "));
      const about = strings.terminal.commands.descriptions[description];
      return aliases.length === 0 ? about : `${about} (${also})`;
    });
    expect(rows.slice(0, ALL_COMMANDS.length).map(({ about }) => about)).toEqual(described);
  });

  it("is shown by /help, whole", async () => {
    const { run, done, shown } = commandStage({ strings });
    await run("/help");
    expect([done, shown]).toEqual([[`show ${strings.terminal.commands.help.title}`], [page]]);
  });
});

describe("the commands", () => {
  it("are those that people were promised", () => {
    const promised =
      "undo redo rewind checkpoint restore label diff tree resume fork title compact context stats model permissions config " +
      "language export doctor setup help clear exit quit status todos save load conversations delete init";
    const names = new Set(ALL_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]));
    expect(promised.split(" ").filter((name) => !names.has(name))).toEqual([]);
  });
});
