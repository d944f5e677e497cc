import type { Entry } from "../../record/entry.ts";
import { branchSince, nearest } from "../../timeline/branch.ts";
import type { Row } from "../../timeline/row.ts";
import { type TurnState, turnStateIn } from "../../timeline/turn-state.ts";
import type { SessionView } from "../view.ts";

/** Whether the turn that the head stands in was cut, where, and what may or may not have taken effect. */
export async function turnStateOf(view: SessionView): Promise<TurnState> {
  return turnStateIn(await endOfBranch(view));
}

/** From the last prompt or the last model call on, whichever came first; contents of results are left out. */
async function endOfBranch(view: SessionView): Promise<readonly Entry[]> {
  const { outline } = view;
  const { head } = outline;
  const prompt = nearest(outline, head, ({ kind }) => kind === "prompt" || kind === "backtrack");
  const call = nearest(outline, head, ({ kind }) => kind === "step" || kind === "reply");
  const ask =
    prompt?.kind === "backtrack" ? nearest(outline, prompt, ({ kind }) => kind === "prompt") : prompt;
  const from = Math.min(ask?.seq ?? 1, call?.seq ?? 1);
  const rows = branchSince(outline, from).filter(({ kind }) => TOLD.has(kind));
  return entriesOf(view, rows);
}

const TOLD: ReadonlySet<string> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-start",
  "tool-end",
  "backtrack",
  "interrupt",
  "error",
  "rewind",
  "redo",
]);

/** Results may be long, and only that there is one matters here. */
async function entriesOf(view: SessionView, rows: readonly Row[]): Promise<readonly Entry[]> {
  const linesOf = (wanted: (row: Row) => boolean) => rows.filter(wanted).map(({ seq }) => seq);
  const results = await view.storedEntries(linesOf(({ kind }) => kind === "tool-end"));
  const others = await view.entries(linesOf(({ kind }) => kind !== "tool-end"));
  return [...results, ...others].sort((a, b) => a.seq - b.seq);
}
