import { defineCommand } from "../../command/command.ts";
import { rest } from "../../command/parameters.ts";
import type { ExitCode } from "../../exit.ts";
import { openTerminal, screenOf } from "./open-terminal.ts";
import { agentOptions } from "./options.ts";
import { wishOf } from "./wish.ts";

export const agent = defineCommand({
  description:
    "Opens the agent in the terminal. It works on the timeline of a session: everything that it does can be taken back. With " +
    "-p, or where there is no terminal, it is asked once: the answer goes to standard output, what happens meanwhile to " +
    "standard error, and what would need your permission is denied, unless rules or the mode allow it.",
  arguments: {
    prompt: rest(
      "what the agent is to do; what is piped in is put behind it; a single word needs -p or -- before it",
    ),
  },
  options: agentOptions,
  examples: [
    { command: 'worldline -p "why does the build fail?"', meaning: "an answer, and nothing changed" },
    {
      command:
        "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'",
      meaning: "it may edit, and run the tests",
    },
    { command: 'git diff | worldline -p "review this"', meaning: "with what another program says" },
    {
      command: "worldline --host claude",
      meaning: "Claude's agent on the same timeline, with its own login",
    },
    { command: 'worldline -c "now the same for the server"', meaning: "go on with the last session" },
    {
      command: 'worldline -p "list the TODOs" --output-format json | jq -r .answer',
      meaning: "for a script",
    },
  ],
  run: async ({ arguments: { prompt: words }, options, frame: bare }): Promise<ExitCode> => {
    if (options.listSessions) {
      const { listSessions } = await import("../sessions/list.ts");
      await listSessions(bare, "here");
      return 0;
    }
    const wish = wishOf(options, bare);
    const screen = screenOf(bare);
    if (wish.print === "no" && wish.outputFormat === "text" && screen !== undefined) {
      const prompt = words.join(" ");
      return openTerminal(bare, screen, prompt.trim() === "" ? wish : { ...wish, prompt });
    }
    const { printAnswer } = await import("./print-answer.ts");
    return printAnswer(bare, wish, words);
  },
});
