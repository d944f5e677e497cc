import { describe, expect, it } from "vitest";
import { WorldlineError } from "../../../src/record/error.ts";
import { ALL_COMMANDS, closestName, findCommand } from "../../../src/tui/commands/slash-commands.ts";
import { parseSlash } from "../../../src/tui/editor/inputs.ts";
import { commandStage } from "./support/command-stage.ts";

describe("a command that is typed", () => {
  it("is recognized if a known-looking word follows the slash, and a path is not", () => {
    const typed = [
      "/undo",
      "/UNDO  2 ",
      "/title a\nb",
      "/usr/bin is broken",
      "//x",
      "/",
      "/ x",
      "/2",
      "/a.b",
      "x /undo",
    ];
    expect(typed.map(parseSlash)).toEqual([
      { name: "undo", words: "" },
      { name: "undo", words: "2" },
      { name: "title", words: "a\nb" },
      ...Array.from({ length: 7 }, () => undefined),
    ]);
  });

  it("is found by its name and by the names it has elsewhere", () => {
    const names = ["rewind", "checkpoint", "restore", "quit", "exit", "load", "conversations", "nothing"];
    expect(names.map((name) => findCommand(name)?.name)).toEqual([
      "rewind",
      "rewind",
      "rewind",
      "exit",
      "exit",
      "resume",
      "resume",
      undefined,
    ]);
  });

  it("has a name that nothing else has", () => {
    const names = ALL_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("is guessed where it was mistyped, and not where it is far from all", () => {
    expect(["udno", "rewnd", "modle", "hel", "permis", "xyzzy", "e"].map(closestName)).toEqual([
      "undo",
      "rewind",
      "model",
      "help",
      "permissions",
      undefined,
      undefined,
    ]);
  });

  it("gets one honest line if the name is unknown, and is back in the editor", async () => {
    expect(await commandStage().run("/udno 2")).toEqual([
      "warning: Unknown command /udno. Did you mean /undo?",
      "edit /udno 2",
    ]);
    expect(await commandStage().run("/xyzzy")).toEqual([
      "warning: Unknown command /xyzzy. /help lists all commands.",
      "edit /xyzzy",
    ]);
  });

  it("waits for the turn's end where it needs the session for itself", async () => {
    const idle = ALL_COMMANDS.filter((command) => command.while === "idle").map(({ name }) => name);
    expect(idle).toEqual([
      "undo",
      "redo",
      "rewind",
      "label",
      "tree",
      "resume",
      "fork",
      "save",
      "clear",
      "compact",
      "load-context",
      "init",
      "setup",
    ]);
    for (const name of idle) {
      expect(await commandStage().run(`/${name}`, "turn")).toEqual([
        `warning: /${name} is not available during a turn. Press Esc to stop the turn.`,
        `edit /${name}`,
      ]);
    }
    expect(await commandStage().run("/exit", "turn")).toEqual(["leave"]);
  });

  it("is refused where it takes nothing and something follows", async () => {
    expect(await commandStage().run("/clear all")).toEqual([
      "warning: /clear takes no arguments.",
      "edit /clear all",
    ]);
  });

  it("says what went wrong", async () => {
    const broken = async () => {
      throw new WorldlineError("stated", { code: "SESSION_HELD", message: "Somebody has it." });
    };
    expect(await commandStage({ app: { "sessions.retitle": broken } }).run("/title x")).toEqual([
      'sessions.retitle "x"',
      "error: Somebody has it.",
    ]);
  });
});
