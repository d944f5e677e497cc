import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentOptions } from "../../src/cli/commands/agent/agent.ts";
import { commonOptions } from "../../src/cli/frame.ts";
import { commands } from "../../src/cli/registry.ts";
import { routeOf } from "../../src/cli/route.ts";
import { isWorldlineError } from "../../src/record/error.ts";
import { inTempFolder } from "../../src/testing/testing.ts";

function routeIn(folder: string, words: readonly string[], screen: "there" | "none" = "none") {
  const cwd = () => folder;
  return routeOf(words, { commands, common: commonOptions, agent: agentOptions, cwd, screen });
}

const nowhere = (...words: string[]) => routeIn("/nonexistent", words);

function hintOf(words: readonly string[]): string | undefined {
  try {
    nowhere(...words);
  } catch (error) {
    if (isWorldlineError(error, "USAGE")) return error.hint;
    throw error;
  }
  return undefined;
}

describe("a command line", () => {
  it.each([
    [["rewind", "12"]],
    [["--session", "k3f9", "rewind", "12"]],
    [["--json", "sessions", "list"]],
    [["restore", "-p"]],
    [["help", "config"]],
    [["run", "--", "npm", "test"]],
    [["--json"]],
    [["--workspace", "rewind", "tree"]],
  ])("is a command's: %j", (words) => {
    expect(nowhere(...words)).toEqual({ to: "command", words });
  });

  it.each([
    [[], ["--help"]],
    [["--help"], ["--help"]],
    [["help"], ["help"]],
    [
      ["-p", "--help"],
      ["-p", "--help"],
    ],
    [["fix it", "--help"], ["--help"]],
  ])("asks for help: %j", (words, read) => {
    expect(nowhere(...words)).toEqual({ to: "help", words: read });
  });

  it.each([
    [["fix the build"], ["--", "fix the build"]],
    [["修复登录测试"], ["--", "修复登录测试"]],
    [["why?"], ["--", "why?"]],
    [
      ["explain", "it"],
      ["--", "explain", "it"],
    ],
    [
      ["fix", "12"],
      ["--", "fix", "12"],
    ],
    [
      ["--", "undo"],
      ["--", "undo"],
    ],
    [
      ["undo", "-p"],
      ["-p", "--", "undo"],
    ],
    [
      ["-p", "undo", "--json"],
      ["-p", "--json", "--", "undo"],
    ],
    [
      ["make", "it", "work"],
      ["--", "make", "it", "work"],
    ],
    [
      ["-p", "rewind"],
      ["-p", "--", "rewind"],
    ],
    [
      ["-p", "rewnd"],
      ["-p", "--", "rewnd"],
    ],
    [
      ["--", "rewind"],
      ["--", "rewind"],
    ],
    [
      ["-c", "go on"],
      ["-c", "--", "go on"],
    ],
    [
      ["go on", "-r", "k3f9", "--json"],
      ["-r", "k3f9", "--json", "--", "go on"],
    ],
    [
      ["-cp", "go on"],
      ["-cp", "--", "go on"],
    ],
    [["-r"], ["-r"]],
    [
      ["-r", "-p", "go on"],
      ["-r", "-p", "--", "go on"],
    ],
    [
      ["--model=x/y", "-p", "- [ ] a list"],
      ["--model=x/y", "-p", "--", "- [ ] a list"],
    ],
    [
      ["--allow", "Bash(ls:*)", "why?"],
      ["--allow", "Bash(ls:*)", "--", "why?"],
    ],
    [
      ["-p", "--model"],
      ["-p", "--model"],
    ],
    [
      ["-p", "how much is", "-1"],
      ["-p", "--", "how much is", "-1"],
    ],
    [["--list-sessions"], ["--list-sessions"]],
  ])("is the agent's: %j", (words, read) => {
    expect(nowhere(...words)).toEqual({ to: "agent", words: read });
  });

  it.each([[["rewnd"]], [["rewnd", "12"]], [["checkpionts"]], [["session", "--json"]]])(
    "that is nearly a command is refused, and costs no model call: %j",
    (words) => {
      expect(() => nowhere(...words)).toThrow(/There is no command "worldline/u);
    },
  );

  it.each([
    [["undo"], "worldline rewind"],
    [["undo", "2"], "worldline rewind"],
    [["undo", "--json"], "worldline rewind"],
    [["--model", "x/y", "undo"], "worldline rewind"],
    [["branch"], "worldline tree"],
    [["login"], "worldline setup"],
    [["history"], "worldline log"],
    [["version"], "worldline --version"],
    [["ls"], "worldline sessions list"],
    [["chat"], "worldline"],
  ])("of one word that is not a command is refused with a suggestion: %j", (words, meant) => {
    const [word] = words.filter((each) => /^[a-z]+$/u.test(each));
    expect(hintOf(words)).toBe(
      `Did you mean \`${meant}\`? To send this text to the agent, run: worldline -- ${word}`,
    );
  });

  it.each(["zzzzzz", "summarize", "mcp", "x", "no-such-thing"])(
    "of one unknown word is refused, with the way to say it to the agent: %s",
    (word) => {
      expect(() => nowhere(word)).toThrow(`There is no command "worldline ${word}".`);
      for (const before of [[], ["-c"], ["--json"], ["--permission-mode", "auto"], ["-r", "k3f9"]])
        expect(hintOf([...before, word])).toContain(
          `To send this text to the agent, run: worldline -- ${word}`,
        );
    },
  );

  it("asks for help about no command is refused with what was probably meant", () => {
    expect(() => nowhere("help", "undo")).toThrow('There is no command "worldline undo".');
    expect(hintOf(["help", "undo"])).toBe("Did you mean `worldline rewind`?");
    expect(hintOf(["help", "sesions"])).toBe("Did you mean `worldline sessions`?");
    expect(hintOf(["help", "zzzzzz"])).toBe("See: worldline --help");
  });

  it("law: one word of a to z and dashes never reaches a model, unless -p or -- says that it is a prompt", () => {
    const names = new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases, "help"]));
    const word = fc.stringMatching(/^[a-z][a-z-]{0,12}$/u).filter((each) => !names.has(each));
    const options = fc.constantFrom<readonly string[]>([], ["--json"], ["-c"], ["--host", "claude"]);
    fc.assert(
      fc.property(word, options, fc.boolean(), (each, given, isFirst) => {
        const words = isFirst ? [each, ...given] : [...given, each];
        expect(() => nowhere(...words)).toThrow(expect.objectContaining({ code: "USAGE" }));
        expect(nowhere(...given, "-p", each).to).toBe("agent");
        expect(nowhere(...given, "--", each).to).toBe("agent");
      }),
    );
  });

  it.each(["/nonexistent/at/all", "./typo", "../typo", "~/typo", "typo/"])(
    "that only makes sense with a folder is refused if there is none: %s",
    (word) => {
      const route = () => routeIn("/nonexistent", [word, "--json"]);
      expect(route).toThrow(`The folder ${word} does not exist.`);
      expect(nowhere("--", word)).toEqual({ to: "agent", words: ["--", word] });
      expect(nowhere("-p", word)).toEqual({ to: "agent", words: ["-p", "--", word] });
      expect(nowhere(`${word} is broken`).to).toBe("agent");
    },
  );

  it("may name a folder that is there: the workspace", async () => {
    await inTempFolder(async (folder) => {
      mkdirSync(join(folder, "project"));
      mkdirSync(join(folder, "tree"));
      writeFileSync(join(folder, "file"), "");
      const words = (...given: string[]) => routeIn(folder, given);
      const list = ["sessions", "list", "--workspace"];
      expect(words("project", "--json")).toEqual({ to: "command", words: [...list, "project", "--json"] });
      expect(words("--json", "project")).toEqual({ to: "command", words: [...list, "project", "--json"] });
      expect(words("./tree")).toEqual({ to: "command", words: [...list, "./tree"] });
      expect(words("tree")).toEqual({ to: "command", words: ["tree"] });
      expect(() => words("file")).toThrow("file is a file, not a folder.");
      expect(words("file", "is", "wrong")).toEqual({ to: "agent", words: ["--", "file", "is", "wrong"] });
      expect(words("project\0")).toEqual({ to: "agent", words: ["--", "project\0"] });
      expect(words("project", "fix it")).toEqual({
        to: "agent",
        words: ["--workspace", "project", "--", "fix it"],
      });
      expect(words("project", "-p")).toEqual({ to: "agent", words: ["--workspace", "project", "-p"] });
      expect(words("-p", "project")).toEqual({ to: "agent", words: ["-p", "--", "project"] });
      expect(words("--", "project")).toEqual({ to: "agent", words: ["--", "project"] });
    });
  });

  it.each([
    [[], []],
    [
      ["--workspace", "x"],
      ["--workspace", "x"],
    ],
    [["project"], ["--workspace", "project"]],
    [
      ["project", "-c"],
      ["--workspace", "project", "-c"],
    ],
  ])("opens the screen where there is one: %j", async (given, words) => {
    await inTempFolder(async (folder) => {
      mkdirSync(join(folder, "project"));
      expect(routeIn(folder, given, "there")).toEqual({ to: "agent", words });
    });
  });

  it("means the same on a screen where it names a command, or asks for help or the version", () => {
    const there = (...words: string[]) => routeIn("/nonexistent", words, "there");
    expect(there("tree")).toEqual({ to: "command", words: ["tree"] });
    expect(there("--help")).toEqual({ to: "help", words: ["--help"] });
    expect(there("--version", "--trust")).toEqual({ to: "help", words: ["--version", "--trust"] });
  });

  it("law: what follows -p and -- reaches the agent whole, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (prompt) => {
        const words = nowhere("-p", "--", ...prompt);
        expect(words).toEqual({ to: "agent", words: prompt.length === 0 ? ["-p"] : ["-p", "--", ...prompt] });
      }),
    );
  });
});
