import type { ExportRequest } from "../../../app/sessions/session-types.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { confirm } from "../../dialogs/pieces/confirm.ts";
import type { SlashCommand } from "../command.ts";
import type { Desk } from "../desk.ts";

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
  takes: "[markdown|json|bundle] [file] [--force]",
  description: ({ terminal }) => terminal.commands.descriptions.export,
  while: "any",
  completions: async () => ["markdown", "json", "bundle"].map((value) => ({ value })),
  run: async (desk, words) => {
    const { commands } = desk.strings.terminal;
    const request = exportRequest(words);
    if (request === undefined) return desk.say({ tone: "warning", line: commands.formats(words) });
    const file = await written(desk, request);
    if (file !== undefined) desk.say({ tone: "good", line: commands.exported(file) });
  },
};

/** A file that is there is asked about, and kept unless the person says otherwise. */
async function written(desk: Desk, request: ExportRequest): Promise<string | undefined> {
  const { commands } = desk.strings.terminal;
  const write = async (wanted: ExportRequest): Promise<string> =>
    desk.wait(commands.exporting, async () => desk.station.sessions.export(wanted));
  try {
    return await write(request);
  } catch (error) {
    if (!isWorldlineError(error, "NEEDS_YES")) throw error;
    const question = { question: commands.replaceQuestion(request.file ?? ""), ...commands.replace };
    if ((await desk.ask(confirm(desk.strings, question))) !== "yes") return undefined;
    return write({ ...request, existing: "replace" });
  }
}

const FORCE = /(?:^|\s)(?:--force|-f)(?=\s|$)/u;

function exportRequest(words: string): ExportRequest | undefined {
  const request = namedRequest(words.replace(FORCE, "").trim());
  return request === undefined || !FORCE.test(words) ? request : { ...request, existing: "replace" };
}

function namedRequest(words: string): ExportRequest | undefined {
  if (words === "") return { format: "markdown" };
  const [, first = "", file = ""] = /^(\S+)\s*([\s\S]*)$/u.exec(words) ?? [];
  const format = FORMATS[first.toLowerCase()];
  if (format !== undefined) return file === "" ? { format } : { format, file };
  const ending = FORMATS[/\.(md|json|bundle)$/iu.exec(words)?.[1]?.toLowerCase() ?? ""];
  return ending === undefined ? undefined : { format: ending, file: words };
}
