import { Command as Commander, Option } from "commander";
import { version } from "../version.ts";
import {
  argumentValues,
  type Command,
  type CommandEntry,
  type Example,
  type OptionSpec,
  type OptionSpecs,
  optionName,
  optionValues,
  type Parsed,
} from "./command.ts";
import type { ExitCode } from "./exit.ts";
import { commonOptions, type Frame } from "./frame.ts";
import { commandMissing, secretUsageErrorOf, unknownCommand, usageErrorOf } from "./usage-errors.ts";

const description =
  "A coding agent that can go back, and the time machine inside it: conversation, files and the state of " +
  "the work on one timeline that loses nothing.";

const examples = [
  { command: "worldline", meaning: "open the agent here, in the terminal" },
  { command: 'worldline -p "why does the build fail?"', meaning: "ask the agent, and get its answer" },
  { command: 'worldline checkpoint "before refactoring"', meaning: "mark this place" },
  { command: "worldline ../other-project", meaning: "open it in another folder" },
  { command: "worldline -c", meaning: "go on with the session last used here" },
  { command: "worldline tree", meaning: "the session last used here, with all its branches" },
  { command: "worldline rewind 12", meaning: "go back to checkpoint 12; nothing is lost" },
  { command: "worldline config --explain", meaning: "every setting, and where its value comes from" },
  { command: "worldline help config", meaning: "what a command takes" },
];

interface ProgramParts {
  readonly attachment: Attachment;
  readonly writeHelp: (text: string) => void;
}

/** All commands. Help goes to `writeHelp`, and names the agent's options too; all that is wrong is thrown. */
export async function buildProgram(
  commands: readonly CommandEntry[],
  agentOptions: OptionSpecs,
  { attachment, writeHelp }: ProgramParts,
): Promise<Commander> {
  const program = bareProgram(writeHelp).description(description);
  program.usage("[prompt] | <command> | <folder> [options]");
  program.helpCommand("help [command]", "show what a command takes");
  program.addHelpText("after", examplesText(examples));
  for (const [key, spec] of Object.entries(agentOptions)) {
    program.addOption(optionOf(key, spec).helpGroup("Agent options:"));
  }
  program.allowExcessArguments().action(() => refuse(program, program.args[0]));
  await attachCommands(program, commands, attachment);
  return program;
}

/** The command line without a command's name. */
export async function buildAgentProgram(
  agent: Command,
  { attachment, writeHelp }: ProgramParts,
): Promise<Commander> {
  const program = bareProgram(writeHelp);
  await attach(program, agent, attachment);
  return program;
}

function bareProgram(writeHelp: (text: string) => void): Commander {
  const program = new Commander("worldline");
  program.configureOutput({
    writeOut: writeHelp,
    writeErr: () => undefined,
    outputError: () => undefined,
    getOutHasColors: () => false,
  });
  program.configureHelp({
    showGlobalOptions: true,
    // The options of a command in between are its own: its subcommands do not get them.
    visibleGlobalOptions: ({ parent }) =>
      parent === null ? [] : program.options.filter(({ hidden }) => !hidden),
  });
  program.helpOption("-h, --help", "show help");
  program.version(version, "-V, --version", "show the version");
  for (const [key, spec] of Object.entries(commonOptions)) addOption(program, key, spec);
  throwUsageErrors(program);
  return program;
}

interface Attachment {
  /** Every word of the command line. A command that is not among them is listed, but not loaded. */
  readonly words: ReadonlySet<string>;
  readonly openFrame: (common: Parsed) => Promise<Frame>;
  readonly onExit: (code: ExitCode) => void;
}

/** Puts commands under `parent`. Words are compared blindly: loading one command too many does no harm. */
async function attachCommands(
  parent: Commander,
  entries: readonly CommandEntry[],
  attachment: Attachment,
): Promise<void> {
  for (const entry of entries) {
    const names = [entry.name, ...(entry.aliases ?? [])];
    const commander = parent.command(entry.name).aliases(names.slice(1)).summary(entry.summary);
    commander.description(entry.summary).helpGroup(entry.group ?? "Commands:");
    throwUsageErrors(commander);
    if (names.some((name) => attachment.words.has(name)))
      await attach(commander, await entry.load(), attachment);
  }
}

/** Has mistakes in the command line thrown as our error, with the help of the command that they are about. */
function throwUsageErrors(commander: Commander, input: Command["input"] = "public"): void {
  const errorOf = input === "secret" ? secretUsageErrorOf : usageErrorOf;
  commander.exitOverride((error) => {
    throw error.exitCode === 0 ? error : errorOf(error, pathOf(commander));
  });
}

/** For an action of a command that has others under it: says which word was wrong, or that one is missing. */
function refuse(commander: Commander, given: string | undefined): never {
  const known = commander.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const path = pathOf(commander);
  throw given === undefined ? commandMissing(path, known) : unknownCommand(path, given, known);
}

function addOption(commander: Commander, key: string, spec: OptionSpec): void {
  commander.addOption(optionOf(key, spec));
}

function optionOf(key: string, spec: OptionSpec): Option {
  const option = new Option(optionTerm(key, spec), spec.description);
  if (spec.kind === "choice") option.choices(spec.choices);
  if (spec.kind === "list") {
    option.argParser((value, given: readonly string[] = []) => [...given, value]);
  }
  return option;
}

function examplesText(examples: readonly Example[]): string {
  const lines = examples.map(({ command, meaning }) => `  ${command}\n      ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

/** Makes `commander` that command: what it takes, what it says of itself, and what it does. */
async function attach(commander: Commander, command: Command, attachment: Attachment): Promise<void> {
  if (command.description !== undefined) commander.description(command.description);
  for (const [name, { kind, description }] of Object.entries(command.arguments)) {
    commander.argument(
      kind === "required" ? `<${name}>` : kind === "rest" ? `[${name}...]` : `[${name}]`,
      description,
    );
  }
  for (const [key, spec] of Object.entries(command.options)) addOption(commander, key, spec);
  commander.addHelpText("after", examplesText(command.examples));
  throwUsageErrors(commander, command.input);
  await attachCommands(commander, command.subcommands, attachment);
  // Commander would only count arguments; we can say which subcommand was meant. Set for all, because the
  // program's own leave to do so is handed down.
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
  return `${name} ${spec.kind === "choice" ? `<${key}>` : spec.placeholder}`;
}

function pathOf(commander: Commander): string {
  return commander.parent === null ? commander.name() : `${pathOf(commander.parent)} ${commander.name()}`;
}
