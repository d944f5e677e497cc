import type { ExportRequest } from "../../../ports/station/sessions.ts";
import type { SlashCommand } from "../command.ts";

const FORMATS: Readonly<Record<string, ExportRequest["format"]>> = {
  markdown: "markdown",
  md: "markdown",
  json: "json",
  bundle: "bundle",
};

/** `/export json notes.json`; a name alone says its format by its ending. */
export const exportSession: SlashCommand = {
  name: "export",
  aliases: [],
  takes: "[markdown|json|bundle] [file]",
  description: ({ terminal }) => terminal.commands.descriptions.export,
  while: "any",
  completions: async () => ["markdown", "json", "bundle"].map((value) => ({ value })),
  run: async (desk, words) => {
    const { commands } = desk.strings.terminal;
    const request = exportRequest(words);
    if (request === undefined) return desk.say({ tone: "warning", line: commands.formats(words) });
    const file = await desk.wait(commands.exporting, async () => desk.station.sessions.export(request));
    desk.say({ tone: "good", line: commands.exported(file) });
  },
};

function exportRequest(words: string): ExportRequest | undefined {
  if (words === "") return { format: "markdown" };
  const [, first = "", file = ""] = /^(\S+)\s*([\s\S]*)$/u.exec(words) ?? [];
  const format = FORMATS[first.toLowerCase()];
  if (format !== undefined) return file === "" ? { format } : { format, file };
  const ending = FORMATS[/\.(md|json|bundle)$/iu.exec(words)?.[1]?.toLowerCase() ?? ""];
  return ending === undefined ? undefined : { format: ending, file: words };
}
