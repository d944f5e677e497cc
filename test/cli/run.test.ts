import { describe, expect, it } from "vitest";
import {
  type CommandEntry,
  choice,
  defineCommand,
  flag,
  list,
  optional,
  required,
  rest,
  text,
  whole,
} from "../../src/cli/command.ts";
import { commonOptions } from "../../src/cli/frame.ts";
import { commands } from "../../src/cli/registry.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { widthOf } from "../../src/show/text-width.ts";
import { stringsFor } from "../../src/strings/strings.ts";
import { playground } from "./support/command-line.ts";

const examples = { "worldline x": "an example" };

/** Prints the arguments and options that it was given. */
const echo: CommandEntry = {
  name: "echo",
  aliases: ["repeat"],
  summary: () => "says what it got",
  load: async () =>
    defineCommand({
      arguments: { first: required(), second: optional(), others: rest() },
      options: {
        dryRun: flag(),
        name: text("<name>"),
        scope: choice(["files", "both"]),
        at: whole("<number>"),
        only: list("<path>"),
      },
      help: () => ({
        examples,
        arguments: { first: "f", second: "s", others: "o" },
        options: { dryRun: "d", name: "n", scope: "s", at: "a", only: "o" },
      }),
      async run({ arguments: given, options, frame }) {
        frame.output.answer({ ...given, ...options, session: frame.common.session }, () => "echoed");
      },
    }),
};

function failing(error: unknown): CommandEntry {
  return {
    name: "fail",
    summary: () => "fails",
    load: async () =>
      defineCommand({
        help: () => ({ examples }),
        async run({ frame }) {
          frame.output.answer({ half: "done" }, () => "half done");
          frame.output.warn("careful");
          throw error;
        },
      }),
  };
}

const unloadable: CommandEntry = {
  name: "heavy",
  summary: () => "must not be loaded for help",
  load: async () => {
    throw new Error("was loaded");
  },
};

/**
 * Finds English sentences: four words in a row outside commands in backticks. The first line and the example
 * commands stay in English.
 */
function englishIn(help: string): string[] {
  const [before = "", examples = ""] = help.split("\n示例：\n");
  const meanings = examples.split("\n").filter((line) => line.startsWith("      "));
  const prose = [...before.split("\n").slice(1), ...meanings]
    .join(" ")
    .replaceAll(/`[^`]*`/gu, "|")
    .replaceAll(/\s+/gu, " ");
  return [...prose.matchAll(/(?:[a-z]+ ){3,}[a-z]+/giu)].map(([words]) => words);
}

describe("a command line", () => {
  it("gives a command what it declared, typed, whatever was left out", async () => {
    const { worldline } = playground();
    const bare = await worldline("echo one --json", { commands: [echo] });
    expect(JSON.parse(bare.stdout)).toEqual({ first: "one", others: [], dryRun: false, only: [] });
    const line =
      "--session k3 repeat one two three -4 --dry-run --name n --scope both --at 12 --only a --only b --json";
    const full = await worldline(line, { commands: [echo] });
    expect(JSON.parse(full.stdout)).toEqual({
      first: "one",
      second: "two",
      others: ["three", "-4"],
      dryRun: true,
      name: "n",
      scope: "both",
      at: 12,
      only: ["a", "b"],
      session: "k3",
    });
  });

  it.each([
    ["ech", 2, "Did you mean `worldline echo`? To send this text to the agent, run: worldline -- ech"],
    ["ech 12", 2, "Did you mean `worldline echo`? To send this text to the agent, run: worldline -- ech"],
    ["echo", 2, "See: worldline echo --help"],
    ["echo one --drry-run", 2, "Did you mean --dry-run?"],
    ["echo one --name", 2, "See: worldline echo --help"],
    ["echo one --scope neither", 42, "See: worldline echo --help"],
    ["echo one --at -1", 42, "For example: --at 12"],
    ["echo one --at 1e3", 42, "For example: --at 12"],
    ["--json", 2, "Subcommands: echo, repeat. See: worldline --help"],
    ["help nosuch", 2, "See: worldline --help"],
    [
      "--store postgres echo one",
      42,
      "Use files, sqlite:path/to/file.db, or postgres://user@host:5432/database",
    ],
  ])("%j is refused with exit code %i and a hint", async (line, code, hint) => {
    const said = await playground().worldline(`${line} --json`, { commands: [echo] });
    expect(said).toMatchObject({ code, stderr: "" });
    expect(JSON.parse(said.stdout)).toMatchObject({
      error: { message: expect.stringMatching(/\.$/u), hint },
    });
  });

  it("refuses an empty --workspace or --session: the variable that it came from was not set", async () => {
    const { worldline } = playground();
    for (const option of ["--workspace", "--session"]) {
      expect(await worldline(["echo", "one", option, ""], { commands: [echo] })).toMatchObject({ code: 42 });
    }
  });

  it("takes the store from WORLDLINE_STORE too, where it needs one", async () => {
    const environment = { WORLDLINE_STORE: "sqlite" };
    const { worldline } = playground();
    expect(await worldline("echo one", { commands: [echo], environment })).toMatchObject({ code: 0 });
    const { code, stderr } = await worldline("sessions list", { environment });
    expect(code).toBe(42);
    expect(stderr).toContain('WORLDLINE_STORE: Unknown store "sqlite".');
  });

  it("leaves what follows -- alone", async () => {
    const { code, stdout } = await playground().worldline("echo -- --json", { commands: [echo] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "echoed\n" });
  });

  it("prints message and hint of an error, and its exit code says the kind", async () => {
    const error = new WorldlineError("stated", {
      code: "SESSION_HELD",
      message: "Somebody else writes.",
      hint: "Wait.",
    });
    expect(await playground().worldline("fail", { commands: [failing(error)] })).toEqual({
      code: 1,
      stdout: "half done\n",
      stderr: "warning: careful\nerror: Somebody else writes.\nhint: Wait.\n",
    });
  });

  it("with --json gives one document, where an error takes the answer's place", async () => {
    const error = new WorldlineError("stated", {
      code: "SESSION_HELD",
      message: "Somebody else writes.",
      hint: "Wait.",
    });
    const { stdout, stderr } = await playground().worldline("fail --json", { commands: [failing(error)] });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "SESSION_HELD",
        reason: "stated",
        params: { code: "SESSION_HELD", message: "Somebody else writes.", hint: "Wait." },
        message: "Somebody else writes.",
        hint: "Wait.",
      },
      warnings: ["careful"],
    });
  });

  it("shows where an unexpected error came from only when asked", async () => {
    const given = { commands: [failing(new TypeError("x is not a function"))] };
    const quiet = await playground().worldline("fail", given);
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toContain("error: x is not a function\nhint: ");
    expect(quiet.stderr).not.toContain("run.test.ts");
    const loud = await playground().worldline("fail", { ...given, environment: { WORLDLINE_DEBUG: "1" } });
    expect(loud.stderr).toContain("run.test.ts");
  });
});

/** The full name of every command, such as `sessions list` for a subcommand. */
async function pathsOf(entries: readonly CommandEntry[]): Promise<string[]> {
  const paths = await Promise.all(
    entries.map(async ({ name, load }) => {
      const below = await pathsOf((await load()).subcommands);
      return [name, ...below.map((path) => `${name} ${path}`)];
    }),
  );
  return paths.flat();
}

describe("help", () => {
  it("is shown without arguments, and loads no command", async () => {
    const { worldline } = playground();
    const { code, stdout, stderr } = await worldline("", { commands: [unloadable] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("must not be loaded for help");
    expect(await worldline("--help", { commands: [unloadable] })).toMatchObject({ code: 0, stdout });
  });

  it("is a document with --json", async () => {
    const { stdout } = await playground().worldline("echo --help --json", { commands: [echo] });
    expect(JSON.parse(stdout)).toEqual({ help: expect.stringContaining("Usage: worldline echo|repeat") });
  });

  it("of every command has examples and the common options", async () => {
    const { worldline } = playground();
    const paths = await pathsOf(commands);
    expect(paths).toContain("config get");
    for (const path of paths) {
      const { code, stdout } = await worldline(`${path} --help`);
      expect(code, path).toBe(0);
      for (const part of [
        "Examples:\n  worldline ",
        "--json",
        "--session <",
        "--workspace <",
        "--store <",
        "--trust",
      ]) {
        expect(stdout, path).toContain(part);
      }
    }
  });

  it("has a text for each argument and option of a command, and for no other", async () => {
    const { help } = stringsFor("en");
    const visit = async (entries: readonly CommandEntry[]) => {
      for (const entry of entries) {
        const command = await entry.load();
        const texts = command.help(help);
        expect(Object.keys(texts.arguments ?? {}).sort(), entry.name).toEqual(
          Object.keys(command.arguments).sort(),
        );
        expect(Object.keys(texts.options ?? {}).sort(), entry.name).toEqual(
          Object.keys(command.options).sort(),
        );
        expect(texts.summary, entry.name).toBe(entry.summary(help));
        await visit(command.subcommands);
      }
    };
    await visit(commands);
    expect(Object.keys(help.common).sort()).toEqual(Object.keys(commonOptions).sort());
  });
});

describe("help in Chinese", () => {
  const inChinese = async (line: string): Promise<string> =>
    (await playground().worldline(`${line} --setting language=zh-CN`)).stdout;

  it("has no English sentence, for any command", async () => {
    expect(englishIn((await playground().worldline("help rewind")).stdout)).not.toEqual([]);
    for (const line of [
      "--help",
      "help rewind",
      ...(await pathsOf(commands)).map((path) => `${path} --help`),
    ]) {
      const help = await inChinese(line);
      expect(help, line).toContain("示例：\n  ");
      expect(englishIn(help), line).toEqual([]);
    }
  });

  it("is wrapped between characters, and never before punctuation", async () => {
    const lines = (await inChinese("help rewind")).split("\n");
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
    expect(lines.filter((line) => widthOf(line) > 70).length).toBeGreaterThan(3);
    expect(lines.filter((line) => /^\s*[，。；：）]|（$/u.test(line))).toEqual([]);
  });

  it("is chosen by the locale", async () => {
    const { stdout } = await playground().worldline("--help", { environment: { LANG: "zh_CN.UTF-8" } });
    expect(stdout).toContain("用法： worldline ");
  });
});

describe("a mistake in the command line, in Chinese", () => {
  it.each([
    ["echo", "缺少参数：first。"],
    ["echo one --drry-run", "未知选项：--drry-run。"],
    ["echo one --name", "选项缺少值：--name <name>。"],
    ["echo one --scope neither", "--scope <scope> 的值“neither”无效。可选值：files、both。"],
    ["config get lock.waitMs more", "“worldline config get”的参数太多。"],
  ])("%j is reported in it", async (line, message) => {
    const words = `${line} --setting language=zh-CN`.split(" ");
    // An option without its value would swallow the following word, so it goes last.
    const given = line.endsWith("--name") ? [...words.slice(-2), ...words.slice(0, -2)] : words;
    const { stderr } = await playground().worldline(given, { commands: [echo, ...commands] });
    expect(stderr).toContain(message);
  });
});
