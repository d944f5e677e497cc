import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import type { Command, CommandEntry } from "../../src/cli/command.ts";
import { optionName } from "../../src/cli/command.ts";
import { agentOptions } from "../../src/cli/commands/agent/agent.ts";
import { commonOptions } from "../../src/cli/frame.ts";
import { commands } from "../../src/cli/registry.ts";
import { commandSamples } from "../strings/command-samples.ts";

const source = join(import.meta.dirname, "../../src");
const demonstrations = join(import.meta.dirname, "../../demo");
/** The options that commander adds to every command. */
const always = ["--help", "--version", ...Object.keys(commonOptions).map(optionName)];

/** A command that a text may mention: its options, and its subcommands. */
interface Known {
  readonly options: ReadonlySet<string>;
  readonly subcommands: ReadonlyMap<string, Known>;
}

async function knownOf(entries: readonly CommandEntry[]): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for (const { name, aliases = [], load } of entries) {
    const command: Command = await load();
    const options = new Set([...always, ...Object.keys(command.options).map(optionName)]);
    const one = { options, subcommands: await knownOf(command.subcommands) };
    for (const each of [name, ...aliases]) known.set(each, one);
  }
  return known;
}

/** A text from the source, and its location. Interpolated values appear as "…". */
interface Text {
  readonly text: string;
  readonly place: string;
}

function textsIn(file: string): Text[] {
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    texts.push({ text, place: `${relative(source, file)}:${line + 1}` });
    // The strings inside a template's expressions count as separate texts.
    if (ts.isTemplateExpression(node)) for (const { expression } of node.templateSpans) visit(expression);
  };
  visit(tree);
  return texts;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…");
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** The words of each command line in the text, up to the end of the sentence or command. */
function commandLinesIn(text: string): string[][] {
  return [...text.matchAll(/(?<![\w./@-])worldline ([a-z][^`\n;|),。，；：）]*)/gu)].map(([, rest = ""]) =>
    (rest.split(/[.:](?:\s|$)/u)[0] ?? "").split(/\s+/u),
  );
}

function faultIn(words: readonly string[], known: ReadonlyMap<string, Known>): string | undefined {
  const [first = "", second = ""] = words;
  if (first === "help") return known.has(second) ? undefined : `worldline help ${second}`;
  const command = known.get(first);
  if (command === undefined) return `worldline ${first}`;
  const found = command.subcommands.get(second) ?? command;
  const isOdd = found === command && command.subcommands.size > 0 && /^[a-z]+$/u.test(second);
  if (isOdd) return `worldline ${first} ${second}`;
  // Everything after `--` belongs to another program.
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const option = own.find((word) => word.startsWith("--") && !found.options.has(word));
  return option === undefined ? undefined : `worldline ${first} ${second} … ${option}`;
}

/** These files mention options of git, ripgrep and npm. */
const ofOtherPrograms =
  /^(?:agent\/(?:tools\/(?:search[.]|ripgrep[.]|bash\/)|permissions\/(?:shell|unasked))|hosts\/claude-agent-sdk\/sdk\/|strings\/(?:en|zh-cn)\/errors\/hosts[.]ts)/u;

describe("the texts of the program", () => {
  let known: ReadonlyMap<string, Known>;
  let texts: readonly Text[];

  beforeAll(async () => {
    known = await knownOf(commands);
    texts = [source, demonstrations].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) => textsIn(join(folder, name))),
    );
  });

  it("are found", () => {
    const lines = texts.flatMap(({ text }) => commandLinesIn(text));
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.map(([first]) => first)).toEqual(expect.arrayContaining(commands.map(({ name }) => name)));
  });

  it("name no command and no option of one that there is not", () => {
    const faults = texts.flatMap(({ text, place }) =>
      commandLinesIn(text).flatMap((words) => {
        const fault = faultIn(words, known);
        return fault === undefined ? [] : [`${place}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it("name no command through their wording that there is not", () => {
    const faults = commandSamples.flatMap(({ shell }) =>
      commandLinesIn(shell).flatMap((words) => faultIn(words, known) ?? []),
    );
    expect(faults).toEqual([]);
  });

  it("name no option that no command has", () => {
    // `--input-type` is an option of Node.js, with which a demonstration starts a second process.
    const all = new Set([...always, ...Object.keys(agentOptions).map(optionName), "--input-type"]);
    const collect = (each: Known): void => {
      for (const option of each.options) all.add(option);
      for (const below of each.subcommands.values()) collect(below);
    };
    for (const each of known.values()) collect(each);
    const own = texts.filter(({ place }) => !ofOtherPrograms.test(place));
    const faults = own.flatMap(({ text, place }) =>
      [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/gu)]
        .filter(([option]) => !all.has(option))
        .map(([option]) => `${place}: ${option}`),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    ["Go on: worldline resme …", "worldline resme"],
    ["See: worldline sessions shwo …", "worldline sessions shwo"],
    ["`worldline doctor --mend` does it.", "worldline doctor --mend … --mend"],
    ["To remove it: worldline sessions delete --all.", "worldline sessions delete … --all"],
    ["worldline sessions list --all | jq --raw .", undefined],
  ])("would be found out: %j", (text, fault) => {
    expect(commandLinesIn(text).map((words) => faultIn(words, known))).toEqual([fault]);
  });
});
