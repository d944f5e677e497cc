import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonOptions } from "../../../src/cli/command/common-options.ts";
import { routeOf } from "../../../src/cli/command/route.ts";
import { agentOptions } from "../../../src/cli/commands/agent/options.ts";
import { commands } from "../../../src/cli/registry.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

function routeIn(folder: string, words: readonly string[], screen: "there" | "none" = "none") {
  const cwd = () => folder;
  return routeOf(words, { commands, common: commonOptions, agent: agentOptions, cwd, screen });
}

const nowhere = (...words: string[]) => routeIn("/nonexistent", words);

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
    [["zzzzzz"], ["--", "zzzzzz"]],
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

  it.each(["/nonexistent/at/all", "./typo", "../typo", "~/typo", "typo/"])(
    "that can only be meant for a folder is refused where there is none: %s",
    (word) => {
      const route = () => routeIn("/nonexistent", [word, "--json"]);
      expect(route).toThrow(`There is no folder ${word}`);
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
      expect(() => words("file")).toThrow("file is a file, and no folder to work in.");
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
