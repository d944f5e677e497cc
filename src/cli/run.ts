import { stringsFor } from "../strings/strings.ts";
import type { CommandEntry } from "./command/command.ts";
import { commonOptions, readCommonOptions, wantedOutput } from "./command/common-options.ts";
import { type Frame, openFrame, type Surroundings } from "./command/frame.ts";
import { type Route, routeOf } from "./command/route.ts";
import { argumentValues, optionValues, type Parsed } from "./command/values.ts";
import { wantedLanguage } from "./command/wanted-language.ts";
import { agentOptions } from "./commands/agent/options.ts";
import { canOpenScreen } from "./commands/terminal/can-open-screen.ts";
import { type ExitCode, exitCodeOf } from "./exit.ts";
import { failureOf } from "./output/failure.ts";
import { Output } from "./output/output.ts";

/** Runs one command line from its words to its exit code. Never throws: what goes wrong is said and numbered. */
export async function run(commands: readonly CommandEntry[], surroundings: Surroundings): Promise<ExitCode> {
  const { arguments: words, environment, stdout, stderr } = surroundings;
  const wanted = wantedOutput(words);
  // A document is for programs, which know one language.
  const language = wanted.mode === "json" ? "en" : await wantedLanguage(words, environment);
  const strings = await stringsFor(language);
  const output = new Output({ stdout, stderr, ...wanted, environment, strings });
  let code: ExitCode;
  try {
    code = await perform(commands, { output, strings, surroundings });
  } catch (error) {
    output.fail(failureOf(error, environment));
    code = exitCodeOf(error);
  }
  const outcome = await output.finish();
  return code === 0 && outcome === "unwritten" ? 1 : code;
}

type Parts = Pick<Parameters<typeof openFrame>[0], "output" | "strings" | "surroundings">;

async function perform(commands: readonly CommandEntry[], parts: Parts): Promise<ExitCode> {
  const { arguments: given, environment, cwd } = parts.surroundings;
  const screen = canOpenScreen(parts) ? "there" : "none";
  const route = routeOf(given, { commands, common: commonOptions, agent: agentOptions, cwd, screen });
  const frameFor = async (parsed: Parsed): Promise<Frame> => {
    const common = readCommonOptions(optionValues(commonOptions, parsed), environment);
    const frame = openFrame({ ...parts, common });
    // Trusting must not depend on whether this command happens to need a setting.
    if (common.trust) await frame.settings();
    return frame;
  };
  const folder = screen === "there" ? bareFolder(route) : undefined;
  if (folder !== undefined) {
    const { agent } = await import("./commands/agent/agent.ts");
    const options = optionValues(agent.options, {});
    const prompt = argumentValues(agent.arguments, []);
    return (await agent.run?.({ arguments: prompt, options, frame: await frameFor(folder) })) ?? 0;
  }
  const { runProgram } = await import("./run-program.ts");
  return runProgram(route, { commands, output: parts.output, openFrame: frameFor });
}

/** Of a line that opens the screen and says nothing more: it is typed most, and is not worth loading a parser. */
function bareFolder({ to, words }: Route): Parsed | undefined {
  const [option, folder, ...others] = words;
  if (to !== "agent" || others.length > 0) return undefined;
  if (option === undefined) return {};
  return option === "--workspace" && folder !== undefined ? { workspace: folder } : undefined;
}
