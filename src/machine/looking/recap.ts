import type { Holder, Owner } from "../../ports/lease.ts";
import { textOf } from "../../record/parts.ts";
import { nearest } from "../../timeline/branch.ts";
import type { Outline } from "../../timeline/outline.ts";
import { cutCommandIn, nextOf, type Recap, workIn } from "../../timeline/recap.ts";
import type { Row } from "../../timeline/row.ts";
import { isElsewhere } from "../files/files-at.ts";
import type { SessionView } from "../view.ts";
import { filesElsewhere } from "./files-elsewhere.ts";
import { summarise } from "./sessions.ts";
import { todosAtHead } from "./todos.ts";
import { turnStateOf } from "./turn-state.ts";

/** How much of the branch is read: opening a session of 100,000 entries must not read all of them. */
const RECENT = 600;

const TOLD: ReadonlySet<string> = new Set(["step", "reply", "tool-start", "tool-end"]);

/** A session that is held knows whom it was taken from; of one that is only looked at, the store knows. */
type Looked = SessionView & { readonly takenFrom?: Owner | undefined };

/** What is done, open and next. */
export async function recapOf(view: Looked, holder?: Holder): Promise<Recap> {
  const todos = await todosAtHead(view);
  const turn = await turnStateOf(view);
  const rows = recentRows(view.outline);
  const lines = rows.filter(({ kind }) => TOLD.has(kind)).map(({ seq }) => seq);
  const entries = await view.storedEntries(lines);
  const work = workIn(entries, view.header.workspace);
  const command = cutCommandIn(entries);
  const prompt = await lastPrompt(view);
  const { title } = await summarise(view);
  const elsewhere = await filesElsewhere(view);
  const gone = holder?.life === "dead" ? holder.owner : view.takenFrom;
  return {
    title,
    ...(prompt === undefined ? {} : { prompt }),
    done: {
      todos: todos.flatMap(({ text, status }) => (status === "done" ? [text] : [])),
      ...work,
      reach: (rows[0]?.parent ?? 0) > 0 ? "recent" : "whole",
    },
    open: {
      todos: todos.filter(({ status }) => status !== "done"),
      turn,
      ...(command === undefined ? {} : { command }),
    },
    next: nextOf(todos, turn),
    ...leftElsewhere(gone),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
  };
}

function leftElsewhere(owner: Owner | undefined): Pick<Recap, "leftBy"> {
  if (owner === undefined || !isElsewhere(owner.host)) return {};
  const { name, pid, host } = owner;
  return { leftBy: { name, pid, host } };
}

/** The end of the branch; what lies before is not even walked over. */
function recentRows(outline: Outline): readonly Row[] {
  const rows: Row[] = [];
  for (let row = outline.head; row !== undefined && rows.length < RECENT; row = outline.at(row.parent))
    rows.push(row);
  return rows.reverse();
}

async function lastPrompt(view: SessionView): Promise<string | undefined> {
  const row = nearest(view.outline, view.outline.head, ({ kind }) => kind === "prompt");
  const [entry] = row === undefined ? [] : await view.entries([row.seq]);
  return entry?.kind === "prompt" ? textOf(entry.parts) : undefined;
}
