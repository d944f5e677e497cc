import { type Command as Commander, Option } from "commander";
import type { ExitCode } from "../exit.ts";
import type { Command, CommandEntry, Example } from "./command.ts";
import type { Frame } from "./frame.ts";
import type { OptionSpec } from "./parameters.ts";
import { commandMissing, secretUsageErrorOf, unknownCommand, usageErrorOf } from "./usage-error.ts";
import { argumentValues, optionName, optionValues, type Parsed } from "./values.ts";

export interface Attachment {
  /** Every word of the command line. A command that is not among them is listed, but not loaded. */
  readonly words: ReadonlySet<string>;
  readonly openFrame: (common: Parsed) => Promise<Frame>;
  readonly onExit: (code: ExitCode) => void;
}

/** Puts commands under `parent`. Words are compared blindly: loading one command too many does no harm. */
export async function attachCommands(
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
export function throwUsageErrors(commander: Commander, input: Command["input"] = "public"): void {
  const errorOf = input === "secret" ? secretUsageErrorOf : usageErrorOf;
  commander.exitOverride((error) => {
    throw error.exitCode === 0 ? error : errorOf(error, pathOf(commander));
  });
}

/** For an action of a command that has others under it: says which word was wrong, or that one is missing. */
export function refuse(commander: Commander, given: string | undefined): never {
  const known = commander.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const path = pathOf(commander);
  throw given === undefined ? commandMissing(path, known) : unknownCommand(path, given, known);
}

export function addOption(commander: Commander, key: string, spec: OptionSpec): void {
  commander.addOption(optionOf(key, spec));
}

export function optionOf(key: string, spec: OptionSpec): Option {
  const option = new Option(optionTerm(key, spec), spec.description);
  if (spec.kind === "choice") option.choices(spec.choices);
  if (spec.kind === "list") {
    option.argParser((value, given: readonly string[] = []) => [...given, value]);
  }
  return option;
}

export function examplesText(examples: readonly Example[]): string {
  const lines = examples.map(({ command, meaning }) => `  ${command}\n      ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

/** Makes `commander` that command: what it takes, what it says of itself, and what it does. */
export async function attach(commander: Commander, command: Command, attachment: Attachment): Promise<void> {
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
