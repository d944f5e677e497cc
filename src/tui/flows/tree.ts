import type { TreeRow } from "../../app/queries/query-types.ts";
import type { Entry } from "../../record/entry.ts";
import type { ListState } from "../dialogs/list.ts";
import { pager } from "../dialogs/pager.ts";
import { type TreeAnswer, treeList, treeText } from "../dialogs/tree-list.ts";
import type { Look } from "../look/look.ts";
import { fillLeft, initialTranscript, unfilled } from "../transcript/apply-entry.ts";
import { gapBetween, layOut } from "../transcript/drawing/draw-block.ts";
import { label } from "./checkpoints.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";
import { returnTo, rewindToPlace } from "./rewind.ts";

/** Draws the entries at a place in the same way as the conversation. */
type DrawEntries = (entries: readonly Entry[], width: number, look: Look) => readonly string[];

/**
 * Runs `/tree`, where the user can view, rewind to, fork and label any place. The tree opens again after each action
 * that stays in the session.
 */
export async function treeFlow(context: CommandContext, draw: DrawEntries): Promise<void> {
  await withErrorsShown(context, async () => {
    let rows = await context.app.queries.tree();
    let again: { list: ListState; said?: string } | undefined;
    for (;;) {
      const answer: TreeAnswer | undefined = await context.ask(treeList(context.strings, rows, again));
      if (answer === undefined) return;
      const outcome = await performAction(context, { answer, draw });
      if (outcome === "leave") return;
      again = { list: answer.list, ...outcome };
      if (answer.do === "label") rows = await context.app.queries.tree();
    }
  });
}

/**
 * How an action ended. `said` is a message that the tree shows when it opens again. In the conversation, the message
 * would be hidden behind the tree.
 */
type Outcome = "leave" | { readonly said?: string };

async function performAction(
  context: CommandContext,
  { answer, draw }: { readonly answer: TreeAnswer; readonly draw: DrawEntries },
): Promise<Outcome> {
  const { row } = answer;
  switch (answer.do) {
    case "look": {
      const entries = await context.app.queries.place(row.entry);
      const title = `${row.number === undefined ? "" : `#${row.number} `}${treeText(row, context.strings)}`;
      const { keys } = context.strings.terminal.dialogs;
      await context.ask(
        pager({ title, draw: (width, look) => draw(entries, width, look), keys: keys.pager }),
      );
      return {};
    }
    case "go":
      return go(context, row);
    case "label": {
      const { number, label: known } = row;
      if (number === undefined) return { said: context.strings.terminal.dialogs.tree.noLabel };
      await label(context, { session: context.app.agent.session, number }, { known });
      return {};
    }
    case "fork":
      return fork(context, row);
    default:
      return answer.do satisfies never;
  }
}

/** Goes to exactly the chosen row, or returns a message that says why this is not possible. */
async function go(context: CommandContext, row: TreeRow): Promise<Outcome> {
  const { tree } = context.strings.terminal.dialogs;
  if (row.go === undefined) return { said: tree.noPlace };
  if (row.go.by === "staying") return { said: tree.hereAlready };
  const number = row.number === undefined ? "" : `#${row.number} `;
  const name = `${number}${row.label === undefined ? "" : `[${row.label}] `}${treeText(row, context.strings)}`;
  const made =
    row.go.by === "redo"
      ? await returnTo(context, row.go.journey, name)
      : await rewindToPlace(context, { session: context.app.agent.session, number: row.go.to }, name);
  return made === "made" ? "leave" : {};
}

async function fork(context: CommandContext, row: TreeRow): Promise<"leave"> {
  const { tree } = context.strings.terminal.dialogs;
  const session = await context.wait(tree.forking, () => context.app.sessions.fork(row.entry));
  await context.reload();
  context.say({ tone: "good", line: tree.forked(session) });
  return "leave";
}

/** Draws a place in the tree as the conversation would, but unfolded, because the user opened it to read it. */
export const drawPlace: DrawEntries = (entries, width, look) => {
  const read = initialTranscript(entries, "no");
  // The branch that a backtrack left is another place in the tree and is not drawn here. The backtrack's own entry
  // contains the prompts that it repeats.
  const { settled, live } = unfilled(read, read.settled)
    .filter(({ what }) => what === "left")
    .reduce((transcript, { key }) => fillLeft(transcript, key, undefined), read);
  const blocks = [...settled, ...live];
  const layout = { width, folds: "unfolded", display: "card" } as const;
  return blocks.flatMap((block, index) => {
    const lines = layOut(block, layout, look);
    const above = blocks[index - 1];
    const gap = above === undefined || lines.length === 0 ? 0 : gapBetween(above, block, layout);
    return [...Array.from({ length: gap }, () => ""), ...lines];
  });
};
