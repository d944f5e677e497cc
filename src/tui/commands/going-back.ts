import type { CheckpointRow } from "../../app/checkpoints/checkpoint-rows.ts";
import { placeOf } from "../dialogs/checkpoint-rows.ts";
import type { Completion } from "../editor/completion.ts";
import { diffFlow, labelFlow, saveFlow } from "../flows/checkpoints.ts";
import type { Desk } from "../flows/command-context.ts";
import { goTo, redoFlow, rewindFlow, undoFlow } from "../flows/rewind.ts";
import { drawPlace, treeFlow } from "../flows/tree.ts";
import type { SlashCommand } from "./command.ts";

const undo: SlashCommand = {
  name: "undo",
  aliases: [],
  takes: "[n]",
  description: "undo",
  while: "idle",
  completions: async (desk) => {
    const taken = (await rowsHere(desk)).filter(
      ({ on, branch }) => (on === "prompt" || on === "command") && branch === "here",
    );
    return taken.map((row, index) => completion(String(index + 1), row));
  },
  run: async (desk, words) => {
    const count = words === "" ? 1 : Number(/^\d{1,6}$/u.exec(words)?.[0] ?? 0);
    if (count > 0) await undoFlow(desk, count);
    else desk.say({ tone: "warning", line: desk.strings.terminal.commands.undoCount(words) });
  },
};

const redo: SlashCommand = {
  name: "redo",
  aliases: [],
  takes: "[list]",
  description: "redo",
  while: "idle",
  completions: async () => [{ value: "list" }],
  run: redoFlow,
};

const rewind: SlashCommand = {
  name: "rewind",
  aliases: ["checkpoint", "restore"],
  takes: "[number | session:number | label | save [label]]",
  description: "rewind",
  while: "idle",
  completions: async (desk) => [
    { value: "save " },
    ...(await rowsHere(desk)).map((row) => completion(String(row.number), row)),
  ],
  run: async (desk, words) => {
    const saved = /^save(?:\s+([\s\S]*))?$/u.exec(words);
    if (words === "") await rewindFlow(desk);
    else if (saved !== null) await saveFlow(desk, saved[1] ?? "");
    else await rewindTo(desk, words);
  },
};

/** By its number in this session, `session:number`, its label in any session of the workspace, or the execution that it is of. */
async function rewindTo(desk: Desk, words: string): Promise<void> {
  const rows = await desk.station.journeys.rows();
  const [, session, ofSession] = /^([^\s:]+):#?(\d+)$/u.exec(words) ?? [];
  if (session !== undefined) return rewindInSession(desk, rows, { session, number: Number(ofSession) });
  const number = Number(/^#?(\d+)$/u.exec(words)?.[1] ?? Number.NaN);
  const row =
    rows.find((one) => one.place === "here" && one.number === number) ??
    rows.find((one) => one.label === words || one.execution?.id === words);
  if (row === undefined)
    desk.say({ tone: "warning", line: desk.strings.terminal.commands.rewindWords(words) });
  else await goTo(desk, row, placeOf(row, desk.strings));
}

/** The session goes by its id or how that begins, as on the command line. */
async function rewindInSession(
  desk: Desk,
  rows: readonly CheckpointRow[],
  wanted: { readonly session: string; readonly number: number },
): Promise<void> {
  const { commands } = desk.strings.terminal;
  const { number } = wanted;
  const beginning = wanted.session.toLowerCase();
  const sessions = await desk.station.sessions.list({ of: "all" });
  const ids = [...sessions, ...rows].map(({ session }) => session).filter((id) => id.startsWith(beginning));
  const [id, ...others] = new Set(ids);
  if (id === undefined) return desk.say({ tone: "warning", line: commands.noSession(wanted.session) });
  if (others.length > 0)
    return desk.say({
      tone: "warning",
      line: commands.severalSessions(wanted.session, [id, ...others].join(", ")),
    });
  const row = rows.find((one) => one.session === id && one.number === number);
  const place = row === undefined ? `${id}:${number}` : placeOf(row, desk.strings);
  await goTo(desk, { session: id, number }, place);
}

const label: SlashCommand = {
  name: "label",
  aliases: [],
  takes: "[checkpoint] [text]",
  description: "label",
  while: "idle",
  completions: async (desk) => (await rowsHere(desk)).map((row) => completion(`${row.number} `, row)),
  run: labelFlow,
};

const diff: SlashCommand = {
  name: "diff",
  aliases: [],
  takes: "[checkpoint] [checkpoint]",
  description: "diff",
  while: "any",
  completions: async (desk, typed) => {
    const first = /^\d+\s+/u.exec(typed)?.[0] ?? "";
    return (await rowsHere(desk)).map((row) => completion(`${first}${row.number}`, row));
  },
  run: diffFlow,
};

const tree: SlashCommand = {
  name: "tree",
  aliases: [],
  takes: "",
  description: "tree",
  while: "idle",
  run: async (desk) => treeFlow(desk, drawPlace),
};

export const GOING_BACK: readonly SlashCommand[] = [undo, redo, rewind, label, diff, tree];

async function rowsHere({ station }: Desk): Promise<readonly CheckpointRow[]> {
  return station.journeys.rowsHere();
}

function completion(value: string, { label: name, text }: CheckpointRow): Completion {
  const description = name ?? text;
  return description === undefined ? { value } : { value, description };
}
