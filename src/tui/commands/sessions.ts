import type { ExportRequest, ListedSession, SessionsRequest } from "../../app/current/sessions.ts";
import { isWorldlineError } from "../../record/error.ts";
import { markdownTexts } from "../../show/entry-text.ts";
import { sessionTitle } from "../../show/session-text.ts";
import { confirm } from "../dialogs/dialog.ts";
import { sessionPicker } from "../dialogs/session-picker.ts";
import type { Completion } from "../editor/completion.ts";
import { saveFlow } from "../flows/checkpoints.ts";
import type { CommandContext } from "../flows/command-context.ts";
import { openSession, resumeFlow } from "../flows/sessions.ts";
import type { SlashCommand } from "./command.ts";

const resume: SlashCommand = {
  name: "resume",
  aliases: ["load", "conversations"],
  takes: "[session]",
  description: "resume",
  while: "idle",
  completions: otherSessions,
  run: async (context, words) => {
    if (words === "") return resumeFlow(context);
    const row = await sessionCalled(context, words);
    if (row === undefined) return;
    if ((await openSession(context, row)) === "opened") await context.reload();
  },
};

const fork: SlashCommand = {
  name: "fork",
  aliases: [],
  takes: "",
  description: "fork",
  while: "idle",
  run: async (context) => {
    const { commands } = context.strings.terminal;
    const source = context.app.agent.session;
    await context.wait(commands.forking, async () => context.app.sessions.fork());
    await context.reload();
    context.say({ tone: "good", line: commands.forked(source) });
  },
};

const title: SlashCommand = {
  name: "title",
  aliases: [],
  takes: "[text]",
  description: "title",
  while: "any",
  run: async (context, words) => {
    const { commands } = context.strings.terminal;
    if (words !== "") {
      // The conversation itself shows the new title.
      return context.app.sessions.retitle(words);
    }
    const { title: now } = await context.app.queries.state();
    context.say({ tone: "quiet", line: now === undefined ? commands.noTitle : commands.titleNow(now) });
  },
};

/**
 * For users who know `/save` from other agents, this command names the session and creates a checkpoint. Sessions are
 * always saved anyway.
 */
const save: SlashCommand = {
  name: "save",
  aliases: [],
  takes: "[title]",
  description: "save",
  while: "idle",
  run: async (context, words) => {
    if (words !== "") await context.app.sessions.retitle(words);
    await saveFlow(context, words);
  },
};

const remove: SlashCommand = {
  name: "delete",
  aliases: [],
  takes: "[session]",
  description: "delete",
  while: "any",
  completions: otherSessions,
  run: async (context, words) => {
    const row =
      words === ""
        ? await pickSession(context, "workspace", () => true)
        : await sessionCalled(context, words);
    if (row === undefined) return;
    if (row.place === "here") {
      return context.say({ tone: "warning", line: context.strings.terminal.commands.notTheOneHere });
    }
    const { sessions } = context.strings.terminal.dialogs;
    const title = sessionTitle(row, context.strings);
    const answer = await context.ask(
      confirm(context.strings, {
        question: sessions.deleteQuestion(title),
        about: [sessions.deleteAbout],
        yes: sessions.deleteYes,
        no: sessions.deleteNo,
      }),
    );
    if (answer !== "yes") return;
    await context.app.sessions.delete(row.id);
    context.say({ tone: "good", line: sessions.deleted(title, row.id) });
  },
};

const clear: SlashCommand = {
  name: "clear",
  aliases: ["new"],
  takes: "",
  description: "clear",
  while: "idle",
  run: async (context) => {
    const { commands } = context.strings.terminal;
    const before = context.app.agent.session;
    const left = await context.wait(commands.beginning, async () => context.app.sessions.begin());
    await context.reload();
    context.say({ tone: "quiet", line: left === "gone" ? commands.begunAnew : commands.begun(before) });
  },
};

export const SESSIONS: readonly SlashCommand[] = [resume, fork, title, save, remove, clear];

/**
 * Returns other sessions for completion. The completions are the sessions' ids, which are unique. Titles need not be
 * unique, but a session can be found by its title as well.
 */
async function otherSessions(context: CommandContext): Promise<readonly Completion[]> {
  const rows = await context.app.sessions.list({ of: "workspace" });
  return rows
    .filter(({ place }) => place === "elsewhere")
    .map((row) => ({ value: row.id, description: sessionTitle(row, context.strings) }));
}

async function pickSession(
  context: CommandContext,
  of: SessionsRequest["of"],
  isOffered: (row: ListedSession) => boolean,
): Promise<ListedSession | undefined> {
  const { sessions } = context.app;
  const list = async (request: SessionsRequest) => (await sessions.list(request)).filter(isOffered);
  const picked = await context.ask(sessionPicker(context.strings, { list, of }));
  return picked?.row;
}

/** Finds the session that the user named. If several sessions match, the user picks one of them. */
async function sessionCalled(context: CommandContext, words: string): Promise<ListedSession | undefined> {
  const found = await context.app.sessions.find(words);
  if (found.length === 1) return found[0];
  const ids = new Set(found.map(({ id }) => id));
  return pickSession(context, "all", ({ id }) => ids.has(id));
}

const FORMATS: Readonly<Record<string, ExportRequest["format"]>> = {
  markdown: "markdown",
  md: "markdown",
  json: "json",
  bundle: "bundle",
};

/**
 * Exports the session, as in `/export json notes.json`. If only a file name is given, its extension determines the
 * format.
 */
export const exportSession: SlashCommand = {
  name: "export",
  aliases: [],
  takes: "[markdown|json|bundle] [file] [--force]",
  description: "export",
  while: "any",
  completions: async () => ["markdown", "json", "bundle"].map((value) => ({ value })),
  run: async (context, words) => {
    const { commands } = context.strings.terminal;
    const request = exportRequest(words);
    if (request === undefined) return context.say({ tone: "warning", line: commands.formats(words) });
    const file = await written(context, request);
    if (file !== undefined) context.say({ tone: "good", line: commands.exported(file) });
  },
};

type FileToWrite = Omit<ExportRequest, "texts">;

/** Writes the export. If the file exists, asks the user whether to replace it. The default is to keep the file. */
async function written(context: CommandContext, request: FileToWrite): Promise<string | undefined> {
  const { commands } = context.strings.terminal;
  const texts = markdownTexts(context.strings);
  const write = async (wanted: FileToWrite): Promise<string> =>
    context.wait(commands.exporting, async () => context.app.sessions.export({ ...wanted, texts }));
  try {
    return await write(request);
  } catch (error) {
    if (!isWorldlineError(error, "NEEDS_YES")) throw error;
    const question = { question: commands.replaceQuestion(request.file ?? ""), ...commands.replace };
    if ((await context.ask(confirm(context.strings, question))) !== "yes") return undefined;
    return write({ ...request, existing: "replace" });
  }
}

const FORCE = /(?:^|\s)(?:--force|-f)(?=\s|$)/u;

function exportRequest(words: string): FileToWrite | undefined {
  const request = namedRequest(words.replace(FORCE, "").trim());
  return request === undefined || !FORCE.test(words) ? request : { ...request, existing: "replace" };
}

function namedRequest(words: string): FileToWrite | undefined {
  if (words === "") return { format: "markdown" };
  const [, first = "", file = ""] = /^(\S+)\s*([\s\S]*)$/u.exec(words) ?? [];
  const format = FORMATS[first.toLowerCase()];
  if (format !== undefined) return file === "" ? { format } : { format, file };
  const ending = FORMATS[/\.(md|json|bundle)$/iu.exec(words)?.[1]?.toLowerCase() ?? ""];
  return ending === undefined ? undefined : { format: ending, file: words };
}
