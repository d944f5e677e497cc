import { z } from "zod";
import { done, failed } from "../answers.ts";
import { descriptions } from "../generated/descriptions.ts";
import { ripgrep } from "../search/ripgrep.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { BackgroundCommands } from "./background-commands.ts";
import { endText, type ShellCommand } from "./shell-command.ts";

const input = z.strictObject({
  bash_id: z.string().describe("The id that Bash gave, such as bash_1."),
  filter: z
    .string()
    .optional()
    .describe("A regular expression: only lines that match are shown, the others are gone."),
});

export interface BashOutputGround {
  readonly background: BackgroundCommands;
  readonly workspace: string;
}

export function bashOutputTool({ background, workspace }: BashOutputGround): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "BashOutput",
    description: descriptions.bashOutput,
    input,
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ bash_id: id }) => id,
    run: async ({ bash_id: id, filter }, { signal }) => {
      const command = background.find(id);
      if (command === undefined) return failed(unknownText(background, id));
      const state = stateText(command);
      const output = command.takeOutput();
      if (filter === undefined) return done(`${id}: ${state}\n${output.trimEnd() || "(Nothing new.)"}`);
      // By ripgrep, whose expressions cannot take for ever.
      const found = await ripgrep({
        args: ["--no-line-number", `--regexp=${filter}`, "-"],
        cwd: workspace,
        typed: output,
        signal,
        onRecord: () => "more",
      });
      if (found.fault !== undefined) return failed(`${found.fault}\nWhat was new, unfiltered:\n${output}`);
      return done(`${id}: ${state}\n${found.records.join("\n") || "(Nothing new that matches.)"}`);
    },
  });
}

export function unknownText(background: BackgroundCommands, id: string): string {
  const ids = background.ids();
  const known =
    ids.length === 0 ? "None was started since this agent was opened." : `There are: ${ids.join(", ")}.`;
  return `There is no background command ${id}. ${known}`;
}

function stateText(command: ShellCommand): string {
  const { end } = command;
  if (command.isRunning()) return end === undefined ? "running" : "its shell has ended, what it started runs";
  return end === undefined ? "ended" : (endText(end) ?? "[Exit code 0]");
}
