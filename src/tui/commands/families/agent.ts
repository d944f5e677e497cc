import { confirm } from "../../dialogs/pieces/confirm.ts";
import type { SlashCommand } from "../command.ts";
import type { Desk } from "../desk.ts";

const compact: SlashCommand = {
  name: "compact",
  aliases: [],
  takes: "[focus]",
  description: ({ terminal }) => terminal.commands.descriptions.compact,
  while: "idle",
  run: async (desk, words) => desk.compact(words === "" ? undefined : words),
};

const init: SlashCommand = {
  name: "init",
  aliases: [],
  takes: "",
  description: ({ terminal }) => terminal.commands.descriptions.init,
  while: "idle",
  run: async (desk) =>
    desk.station.model.state === "ready"
      ? desk.send(desk.strings.terminal.commands.initPrompt)
      : writeSkeleton(desk),
};

const loadContext: SlashCommand = {
  name: "load-context",
  aliases: [],
  takes: "[path]",
  description: ({ terminal }) => terminal.commands.descriptions.loadContext,
  while: "idle",
  completions: async ({ station }) => (await station.queries.files()).map((value) => ({ value })),
  run: async (desk, words) => {
    const { commands } = desk.strings.terminal;
    const path = words === "" ? undefined : words.replace(/^(["'])(.*)\1$/su, "$2");
    const { file, tokens } = await desk.wait(commands.loading, async ({ onProgress }) =>
      desk.station.upkeep.loadContext(path, onProgress),
    );
    desk.say({ tone: "good", line: commands.loaded(file, tokens) });
  },
};

export const AGENT: readonly SlashCommand[] = [compact, loadContext, init];

const FILE = "AGENTS.md";

/** As a command of the person's: then it is on the timeline, and can be taken back. It never writes over a file. */
async function writeSkeleton(desk: Desk): Promise<void> {
  const { commands } = desk.strings.terminal;
  const files = await desk.station.queries.files();
  if (files.includes(FILE)) return desk.say({ tone: "quiet", line: commands.initThere });
  const question = { question: commands.initQuestion, yes: commands.initYes, no: commands.initNo };
  if ((await desk.ask(confirm(desk.strings, question))) !== "yes") return;
  const lines = commands.initSkeleton.map((line) => `'${line}'`).join(" ");
  const command = `set -C; printf '%s\\n' ${lines} > ${FILE}`;
  const { outcome } = await desk.wait(commands.initWriting, async () =>
    desk.station.agent.run(command, "nobody"),
  );
  if (outcome === "ok") desk.say({ tone: "good", line: commands.initWritten });
}
