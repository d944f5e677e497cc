import { frameOfWish } from "../../agent/frame-of-wish.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { rest } from "../../command/parameters.ts";
import type { ExitCode } from "../../exit.ts";
import { agentOptions } from "./options.ts";
import { pickSession } from "./pick-session.ts";
import { readPrompt } from "./prompt.ts";
import { runTurn } from "./run-turn.ts";
import { type Wish, wishOf } from "./wish.ts";

export const agent = defineCommand({
  description:
    "Asks the agent. It works on the timeline of a session: everything that it does can be taken back. The answer goes to " +
    "standard output, what happens meanwhile to standard error. What would need your permission is denied, unless rules " +
    "or the mode allow it.",
  arguments: { prompt: rest("what the agent is to do; what is piped in is put behind it") },
  options: agentOptions,
  examples: [
    { command: 'worldline -p "why does the build fail?"', meaning: "an answer, and nothing changed" },
    {
      command:
        "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'",
      meaning: "it may edit, and run the tests",
    },
    { command: 'git diff | worldline -p "review this"', meaning: "with what another program says" },
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
    const frame = await frameOfWish(bare, wish);
    // A broken settings file is said before anybody is asked for anything.
    await frame.settings();
    const prompt = await readPrompt(frame, words);
    const settled = { ...(await withSessionChosen(frame, wish)), prompt };
    return runTurn(frame, settled, { work: (opened) => opened.prompt(prompt) });
  },
});

async function withSessionChosen(frame: Frame, wish: Wish): Promise<Wish> {
  const { resume } = wish;
  if (resume.how !== "resume" || resume.wanted !== undefined) return wish;
  return { ...wish, resume: { how: "resume", wanted: await pickSession(frame) } };
}
