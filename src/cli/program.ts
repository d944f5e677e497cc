import { Command as Commander, Option } from "commander";
import { widthOf } from "../show/text-width.ts";
import { version } from "../version.ts";
import {
  argumentValues,
  type Command,
  type CommandEntry,
  type CommandHelp,
  type Help,
  type OptionSpec,
  type OptionSpecs,
  optionName,
  optionValues,
  type Parsed,
} from "./command.ts";
import type { ExitCode } from "./exit.ts";
import { commonOptions, type Frame } from "./frame.ts";
import { commandMissing, secretUsageErrorOf, unknownCommand, usageErrorOf } from "./usage-errors.ts";

interface ProgramDeps {
  readonly help: Help;
  readonly attachment: Attachment;
  readonly writeHelp: (text: string) => void;
}

/**
 * Builds the parser with all commands. Help, which includes the agent's options, goes to `writeHelp`. Every mistake is
 * thrown as an error.
 */
export async function buildProgram(
  commands: readonly CommandEntry[],
  agentOptions: OptionSpecs,
  { help, attachment, writeHelp }: ProgramDeps,
): Promise<Commander> {
  const program = bareProgram(help, writeHelp).description(help.program.description);
  program.usage("[prompt] | <command> | <folder> [options]");
  program.helpCommand("help [command]", help.program.help);
  program.addHelpText("after", examplesText(help, help.program));
  for (const [key, spec] of Object.entries(agentOptions)) {
    program.addOption(optionOf(key, spec, help.agent).helpGroup(help.titles.agentOptions));
  }
  program.allowExcessArguments().action(() => refuse(program, program.args[0]));
  await attachCommands(program, commands, { help, ...attachment });
  return program;
}

/** Builds the parser for a command line without a command name. */
export async function buildAgentProgram(
  agent: Command,
  { help, attachment, writeHelp }: ProgramDeps,
): Promise<Commander> {
  const program = bareProgram(help, writeHelp);
  await attach(program, agent, { help, ...attachment });
  return program;
}

function bareProgram(help: Help, writeHelp: (text: string) => void): Commander {
  const program = new Commander("worldline");
  program.configureOutput({
    writeOut: writeHelp,
    writeErr: () => undefined,
    outputError: () => undefined,
    getOutHasColors: () => false,
  });
  const titles: Readonly<Record<string, string>> = help.titles;
  program.configureHelp({
    showGlobalOptions: true,
    displayWidth: widthOf,
    boxWrap: wrapped,
    styleTitle: (title) => titles[title] ?? title,
    optionDescription: ({ description, argChoices }) =>
      argChoices === undefined ? description : help.choices(description, argChoices),
    // A parent command's options are left out, because subcommands do not inherit them.
    visibleGlobalOptions: ({ parent }) =>
      parent === null ? [] : program.options.filter(({ hidden }) => !hidden),
  });
  program.helpOption("-h, --help", help.program.helpOption);
  program.version(version, "-V, --version", help.program.version);
  for (const [key, spec] of Object.entries(commonOptions))
    program.addOption(optionOf(key, spec, { options: help.common }));
  throwUsageErrors(program);
  return program;
}

interface Attachment {
  /** All words on the command line. The module of a command is loaded only if its name is among these words. */
  readonly words: ReadonlySet<string>;
  readonly openFrame: (common: Parsed) => Promise<Frame>;
  readonly onExit: (code: ExitCode) => void;
}

type AttachmentWithHelp = Attachment & Pick<ProgramDeps, "help">;

/**
 * Adds commands to `parent`. A word may merely look like a command name, but loading an unneeded command does no harm.
 */
async function attachCommands(
  parent: Commander,
  entries: readonly CommandEntry[],
  attachment: AttachmentWithHelp,
): Promise<void> {
  const { help } = attachment;
  for (const entry of entries) {
    const names = [entry.name, ...(entry.aliases ?? [])];
    const summary = entry.summary(help);
    const commander = parent.command(entry.name).aliases(names.slice(1)).summary(summary);
    const heading = entry.group === undefined ? help.titles["Commands:"] : help.groups[entry.group];
    commander.description(summary).helpGroup(heading);
    throwUsageErrors(commander);
    if (names.some((name) => attachment.words.has(name)))
      await attach(commander, await entry.load(), attachment);
  }
}

/**
 * Makes commander throw Worldline's errors for mistakes in the command line. Each error points to its command's help.
 */
function throwUsageErrors(commander: Commander, input: Command["input"] = "public"): void {
  const errorOf = input === "secret" ? secretUsageErrorOf : usageErrorOf;
  commander.exitOverride((error) => {
    throw error.exitCode === 0 ? error : errorOf(error, pathOf(commander));
  });
}

/** The action of a command that has only subcommands. Throws an error that names the word that is wrong or missing. */
function refuse(commander: Commander, given: string | undefined): never {
  const known = commander.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const path = pathOf(commander);
  throw given === undefined ? commandMissing(path, known) : unknownCommand(path, given, known);
}

function optionOf(key: string, spec: OptionSpec, { options }: Pick<CommandHelp, "options">): Option {
  const option = new Option(optionTerm(key, spec), options?.[key]);
  if (spec.kind === "choice") option.choices(spec.choices);
  if (spec.kind === "list") {
    option.argParser((value, given: readonly string[] = []) => [...given, value]);
  }
  return option;
}

function examplesText({ titles }: Help, { examples }: Pick<CommandHelp, "examples">): string {
  const lines = Object.entries(examples).map(([command, meaning]) => `  ${command}\n      ${meaning}`);
  return `\n${titles.examples}\n${lines.join("\n")}`;
}

/** Configures `commander` for a command: its arguments and options, its help, and its action. */
async function attach(commander: Commander, command: Command, attachment: AttachmentWithHelp): Promise<void> {
  const help = command.help(attachment.help);
  if (help.description !== undefined) commander.description(help.description);
  for (const [name, { kind }] of Object.entries(command.arguments)) {
    commander.argument(
      kind === "required" ? `<${name}>` : kind === "rest" ? `[${name}...]` : `[${name}]`,
      help.arguments?.[name],
    );
  }
  for (const [key, spec] of Object.entries(command.options)) commander.addOption(optionOf(key, spec, help));
  commander.addHelpText("after", examplesText(attachment.help, help));
  throwUsageErrors(commander, command.input);
  await attachCommands(commander, command.subcommands, attachment);
  // Commander would only count the arguments, whereas Worldline can suggest a subcommand. `allowExcessArguments` is set
  // for every command, because subcommands would otherwise inherit the program's setting.
  commander.allowExcessArguments(command.subcommands.length > 0);
  commander.action(async () => start(commander, command, attachment));
}

async function start(commander: Commander, command: Command, attachment: Attachment): Promise<void> {
  const surplus = commander.args[Object.keys(command.arguments).length];
  if (command.subcommands.length > 0 && surplus !== undefined) refuse(commander, surplus);
  if (command.run === undefined) refuse(commander, undefined);
  const invocation = {
    arguments: argumentValues(command.arguments, commander.processedArgs),
    options: optionValues(command.options, commander.opts()),
    frame: await attachment.openFrame(commander.optsWithGlobals()),
  };
  attachment.onExit((await command.run(invocation)) ?? 0);
}

function optionTerm(key: string, spec: OptionSpec): string {
  const name = "short" in spec ? `-${spec.short}, ${optionName(key)}` : optionName(key);
  if (spec.kind === "flag") return name;
  return `${name} ${spec.kind === "choice" ? `<${lastWord(key)}>` : spec.placeholder}`;
}

/** Returns the last word of a camel-case key, such as `mode` for `permissionMode`. */
function lastWord(key: string): string {
  return (/[A-Z][a-z]*$/u.exec(key)?.[0] ?? key).toLowerCase();
}

/**
 * Matches a word with the spaces before it, or one Chinese character with the punctuation that must stay next to it.
 */
const CHUNK = /\s*[（“]*(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef（“]+)[，。、；：！？）”]*/gu;

/**
 * Wraps text the same way as commander, but can also wrap Chinese text, which has no spaces and takes up two columns
 * per character.
 */
function wrapped(text: string, columns: number): string {
  const lines: string[] = [];
  let line = "";
  for (const [chunk] of text.matchAll(CHUNK)) {
    if (line !== "" && widthOf(line + chunk) > columns) {
      lines.push(line);
      line = chunk.trimStart();
    } else line += chunk;
  }
  return [...lines, line].join("\n");
}

function pathOf(commander: Commander): string {
  return commander.parent === null ? commander.name() : `${pathOf(commander.parent)} ${commander.name()}`;
}
