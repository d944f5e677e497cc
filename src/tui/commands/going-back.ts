import type { CheckpointRow } from "../../app/checkpoints/checkpoint-rows.ts";
import { placeOf } from "../dialogs/checkpoint-rows.ts";
import type { Completion } from "../editor/completion.ts";
import { diffFlow, labelFlow, saveFlow } from "../flows/checkpoints.ts";
import type { CommandContext } from "../flows/command-context.ts";
import { redoFlow, rewindFlow, rewindToPlace, undoFlow } from "../flows/rewind.ts";
import { drawPlace, treeFlow } from "../flows/tree.ts";
import type { SlashCommand } from "./command.ts";

const undo: SlashCommand = {
  name: "undo",
  aliases: [],
  takes: "[n]",
  description: "undo",
  while: "idle",
  completions: async (context) => {
    const taken = (await rowsHere(context)).filter(
      ({ on, branch }) => (on === "prompt" || on === "command") && branch === "here",
    );
    return taken.map((row, index) => completion(String(index + 1), row));
  },
  run: async (context, words) => {
    const count = words === "" ? 1 : Number(/^\d{1,6}$/u.exec(words)?.[0] ?? 0);
    if (count > 0) await undoFlow(context, count);
    else context.say({ tone: "warning", line: context.strings.terminal.commands.undoCount(words) });
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
  completions: async (context) => [
    { value: "save " },
    ...(await rowsHere(context)).map((row) => completion(String(row.number), row)),
  ],
  run: async (context, words) => {
    const saved = /^save(?:\s+([\s\S]*))?$/u.exec(words);
    if (words === "") await rewindFlow(context);
    else if (saved !== null) await saveFlow(context, saved[1] ?? "");
    else {
      const row = await context.app.journeys.find(words);
      await rewindToPlace(context, row, placeOf(row, context.strings));
    }
  },
};

const label: SlashCommand = {
  name: "label",
  aliases: [],
  takes: "[checkpoint] [text]",
  description: "label",
  while: "idle",
  completions: async (context) => (await rowsHere(context)).map((row) => completion(`${row.number} `, row)),
  run: labelFlow,
};

const diff: SlashCommand = {
  name: "diff",
  aliases: [],
  takes: "[checkpoint] [checkpoint]",
  description: "diff",
  while: "any",
  completions: async (context, typed) => {
    const first = /^\d+\s+/u.exec(typed)?.[0] ?? "";
    return (await rowsHere(context)).map((row) => completion(`${first}${row.number}`, row));
  },
  run: diffFlow,
};

const tree: SlashCommand = {
  name: "tree",
  aliases: [],
  takes: "",
  description: "tree",
  while: "idle",
  run: async (context) => treeFlow(context, drawPlace),
};

export const GOING_BACK: readonly SlashCommand[] = [undo, redo, rewind, label, diff, tree];

async function rowsHere({ app }: CommandContext): Promise<readonly CheckpointRow[]> {
  return app.journeys.rowsHere();
}

function completion(value: string, { label: name, text }: CheckpointRow): Completion {
  const description = name ?? text;
  return description === undefined ? { value } : { value, description };
}
