import { Command as Commander } from "commander";
import { version } from "../version.ts";
import {
  type Attachment,
  addOption,
  attach,
  attachCommands,
  examplesText,
  optionOf,
  refuse,
  throwUsageErrors,
} from "./command/attach.ts";
import type { Command, CommandEntry } from "./command/command.ts";
import { commonOptions } from "./command/common-options.ts";
import type { OptionSpecs } from "./command/parameters.ts";

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

export interface ProgramParts {
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
    // Those of a command in between are its own: what stands below it does not get them.
    visibleGlobalOptions: ({ parent }) =>
      parent === null ? [] : program.options.filter(({ hidden }) => !hidden),
  });
  program.helpOption("-h, --help", "show help");
  program.version(version, "-V, --version", "show the version");
  for (const [key, spec] of Object.entries(commonOptions)) addOption(program, key, spec);
  throwUsageErrors(program);
  return program;
}
