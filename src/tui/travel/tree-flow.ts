import type { TreeRow } from "../../ports/station/looking.ts";
import type { Entry } from "../../record/entry.ts";
import type { Desk } from "../commands/desk.ts";
import { type TreeAnswer, treeList } from "../dialogs/journeys/tree-list.ts";
import { placeAbove, treeText } from "../dialogs/journeys/tree-rows.ts";
import type { ListState } from "../dialogs/pieces/list.ts";
import { pager } from "../dialogs/pieces/pager.ts";
import type { Look } from "../look/look.ts";
import { label } from "./label-flow.ts";
import { goTo } from "./rewind-flow.ts";
import { sayingErrors } from "./saying-errors.ts";

/** How the entries of a place are drawn: as the conversation shows them. */
export type DrawEntries = (entries: readonly Entry[], width: number, look: Look) => readonly string[];

/** `/tree`: look at any place, go there, fork there, label it; it is open again after each that does not lead away. */
export async function treeFlow(desk: Desk, draw: DrawEntries): Promise<void> {
  await sayingErrors(desk, async () => {
    let rows = await desk.station.looking.tree();
    let list: ListState | undefined;
    for (;;) {
      const answer: TreeAnswer | undefined = await desk.ask(treeList(desk.strings, rows, list));
      if (answer === undefined || (await act(desk, { answer, rows, draw })) === "leave") return;
      list = answer.list;
      if (answer.do === "label") rows = await desk.station.looking.tree();
    }
  });
}

interface Act {
  readonly answer: TreeAnswer;
  readonly rows: readonly TreeRow[];
  readonly draw: DrawEntries;
}

async function act(desk: Desk, { answer, rows, draw }: Act): Promise<"leave" | "stay"> {
  const { row, index } = answer;
  switch (answer.do) {
    case "look": {
      const entries = await desk.station.looking.place(row.entry);
      const title = `${row.number === undefined ? "" : `#${row.number} `}${treeText(row, desk.strings)}`;
      const { keys } = desk.strings.terminal.dialogs;
      await desk.ask(pager({ title, draw: (width, look) => draw(entries, width, look), keys: keys.pager }));
      return "stay";
    }
    case "go":
      return withPlace(desk, { rows, index }, async (above) => {
        const { number, label: called } = above;
        const place = { session: desk.station.agent.session, number };
        const name = `#${number} ${called === undefined ? "" : `[${called}] `}${treeText(above, desk.strings)}`;
        return (await goTo(desk, place, name)) === "made" ? "leave" : "stay";
      });
    case "label":
      return withPlace(desk, { rows, index }, async ({ number, label: known }) => {
        await label(desk, { session: desk.station.agent.session, number }, { known });
        return "stay";
      });
    case "fork":
      return fork(desk, row);
    default:
      return answer.do satisfies never;
  }
}

async function withPlace(
  desk: Desk,
  { rows, index }: { rows: readonly TreeRow[]; index: number },
  work: (place: TreeRow & { readonly number: number }) => Promise<"leave" | "stay">,
): Promise<"leave" | "stay"> {
  const above = placeAbove(rows, index);
  if (above?.number !== undefined) return work({ ...above, number: above.number });
  desk.say({ tone: "quiet", line: desk.strings.terminal.dialogs.tree.noPlace });
  return "stay";
}

async function fork(desk: Desk, row: TreeRow): Promise<"leave"> {
  const { tree } = desk.strings.terminal.dialogs;
  const session = await desk.wait(tree.forking, () => desk.station.sessions.fork(row.entry));
  await desk.reload();
  desk.say({ tone: "good", line: tree.forked(session) });
  return "leave";
}
