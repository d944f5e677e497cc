import { CommanderError } from "commander";
import type { Attachment } from "./command/attach.ts";
import type { CommandEntry } from "./command/command.ts";
import type { Route } from "./command/route.ts";
import { agentOptions } from "./commands/agent/options.ts";
import type { ExitCode } from "./exit.ts";
import type { Output } from "./output/output.ts";
import { buildAgentProgram, buildProgram } from "./program.ts";

export interface ProgramToRun {
  readonly commands: readonly CommandEntry[];
  readonly output: Output;
  readonly openFrame: Attachment["openFrame"];
}

/** Has commander read the words, and does what they say. */
export async function runProgram(
  { to, words }: Route,
  { commands, output, openFrame }: ProgramToRun,
): Promise<ExitCode> {
  const help: string[] = [];
  let code: ExitCode = 0;
  const attachment: Attachment = {
    words: new Set(words),
    openFrame,
    onExit: (given) => {
      code = given;
    },
  };
  const parts = { attachment, writeHelp: (text: string) => help.push(text) };
  const program =
    to === "agent"
      ? await buildAgentProgram((await import("./commands/agent/agent.ts")).agent, parts)
      : await buildProgram(commands, to === "help" ? agentOptions : {}, parts);
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    const text = help.join("");
    const document = error.code === "commander.version" ? { version: text.trim() } : { help: text };
    output.answer(document, () => text);
  }
  return code;
}
