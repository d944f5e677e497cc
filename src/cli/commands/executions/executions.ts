import { defineCommand } from "../../command/command.ts";
import { choice, flag, whole } from "../../command/parameters.ts";
import { DEFAULT_LIMIT, listHere } from "./list.ts";

export const executions = defineCommand({
  description:
    "Lists the executions of this workspace, newest first: what programs have written down step by step (openExecution), " +
    "and the turns of agents. The commands below show one, bring one back to a step, and delete one. An execution is " +
    "named by its id, of which `show` needs only the beginning; a step by its checkpoint, such as ckpt-exec-123-2.",
  options: {
    all: flag("of all workspaces"),
    kind: choice(["program", "turn"], "only those of programs, or only turns of agents"),
    limit: whole("<n>", `at most so many (default: ${DEFAULT_LIMIT})`),
  },
  examples: [
    { command: "worldline executions", meaning: "of this workspace" },
    { command: "worldline executions --kind program --all", meaning: "of all programs, wherever they ran" },
    { command: "worldline executions show exec-123", meaning: "its steps, attempts and errors" },
    {
      command: "worldline executions restore exec-123 --step data_processing --dry-run",
      meaning: "what going back there would do",
    },
  ],
  subcommands: [
    {
      name: "show",
      summary: "show the steps of an execution, or all that one step holds",
      load: async () => (await import("./show.ts")).show,
    },
    {
      name: "restore",
      summary: "bring an execution and its files back to a step",
      load: async () => (await import("./restore.ts")).restore,
    },
    {
      name: "delete",
      summary: "move the execution of a program to the trash",
      load: async () => (await import("./delete.ts")).deleteExecution,
    },
  ],
  run: async ({ options, frame }) => listHere(frame, options),
});
