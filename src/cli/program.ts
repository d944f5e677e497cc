import { Command as Commander } from "commander";
import {
  type Attachment,
  addOption,
  attachCommands,
  examplesText,
  refuse,
  throwUsageErrors,
} from "./command/attach.ts";
import type { CommandEntry } from "./command/command.ts";
import { commonOptions } from "./command/common-options.ts";
import { version } from "./version.ts";

const description =
  "A coding agent that can go back, and the time machine inside it: conversation, files and the state of " +
  "the work on one timeline that loses nothing.";

const examples = [
  { command: 'worldline checkpoint "before refactoring"', meaning: "mark this place" },
  { command: "worldline ../other-project", meaning: "the sessions of another folder" },
  { command: "worldline tree", meaning: "the session last used here, with all its branches" },
  { command: "worldline rewind 12", meaning: "go back to checkpoint 12; nothing is lost" },
  { command: "worldline config --explain", meaning: "every setting, and where its value comes from" },
  { command: "worldline help config", meaning: "what a command takes" },
];

/** The whole command line. Help goes to `writeHelp`; all that is wrong is thrown. */
export async function buildProgram(
  commands: readonly CommandEntry[],
  attachment: Attachment,
  writeHelp: (text: string) => void,
): Promise<Commander> {
  const program = new Commander("worldline").description(description).usage("<command> | <folder> [options]");
  program.configureOutput({
    writeOut: writeHelp,
    writeErr: () => undefined,
    outputError: () => undefined,
    getOutHasColors: () => false,
  });
  program.configureHelp({ showGlobalOptions: true });
  program.helpOption("-h, --help", "show help");
  program.helpCommand("help [command]", "show what a command takes");
  program.version(version, "-V, --version", "show the version");
  for (const [key, spec] of Object.entries(commonOptions)) addOption(program, key, spec);
  program.addHelpText("after", examplesText(examples));
  throwUsageErrors(program);
  program.allowExcessArguments().action(() => refuse(program, program.args[0]));
  await attachCommands(program, commands, attachment);
  return program;
}
