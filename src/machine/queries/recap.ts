import type { Holder, Owner } from "../../ports/lease.ts";
import type { Entry } from "../../record/entry.ts";
import { textOf } from "../../record/parts.ts";
import { branchSince, nearest, rowsLeftBy } from "../../timeline/outline.ts";
import { cutCommandIn, nextOf, type Recap, workIn } from "../../timeline/recap.ts";
import type { Row } from "../../timeline/row.ts";
import { type TurnState, turnStateIn } from "../../timeline/turn-state.ts";
import { isElsewhere } from "../files/intervals.ts";
import { filesElsewhere } from "../other-machines.ts";
import { type SessionView, todosAtHead } from "../view.ts";
import { askedAt } from "./left-behind.ts";
import { summarise } from "./sessions.ts";

/**
 * The maximum number of the branch's entries to read. The recap of a session with 100,000 entries must not read all of
 * them.
 */
const RECENT = 600;

const WORK_KINDS: ReadonlySet<string> = new Set(["step", "reply", "tool-start", "tool-end"]);

/**
 * A view of the session. For a held session, `takenFrom` is the dead process that the lease was taken from. For other
 * views, the holder comes from the store.
 */
type RecappedView = SessionView & { readonly takenFrom?: Owner | undefined };

/** Summarizes what has been done, what is still open, and what comes next. */
export async function recapOf(view: RecappedView, holder?: Holder): Promise<Recap> {
  const todos = await todosAtHead(view);
  const turn = await turnStateOf(view);
  const { rows, reach } = await recentRows(view);
  const lines = rows.filter(({ row }) => WORK_KINDS.has(row.kind)).map(({ row }) => row.seq);
  const entries = await view.storedEntries(lines);
  const { workspace } = view.header;
  const { commands } = workIn(entries, workspace);
  // Leaves out changes that a backtrack undid on disk.
  const undone = new Set(rows.flatMap(({ row, files }) => (files === "undone" ? [row.seq] : [])));
  const onDisk = entries.filter(({ seq }) => !undone.has(seq));
  const { files } = workIn(onDisk, workspace);
  const command = cutCommandIn(entries);
  const prompt = await askedAt(view, view.outline.head);
  const answer = turn.state === "idle" ? await lastAnswer(view) : undefined;
  const { title } = await summarise(view);
  const elsewhere = await filesElsewhere(view);
  const gone = holder?.life === "dead" ? holder.owner : view.takenFrom;
  return {
    title,
    ...(prompt === undefined ? {} : { prompt }),
    done: {
      todos: todos.flatMap(({ text, status }) => (status === "done" ? [text] : [])),
      files,
      commands,
      ...(answer === undefined ? {} : { answer }),
      reach,
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

interface RecentRow {
  readonly row: Row;
  /** "undone": a backtrack undid the entry's changes on disk. */
  readonly files: "kept" | "undone";
}

/**
 * The last entries of the branch, in log order. Includes the entries that backtracks on the branch left behind, because
 * they record work that was done. Does not visit earlier entries.
 */
async function recentRows(
  view: SessionView,
): Promise<{ readonly rows: readonly RecentRow[]; readonly reach: "whole" | "recent" }> {
  const { outline } = view;
  const rows: RecentRow[] = [];
  let at = outline.head;
  for (; at !== undefined && rows.length < RECENT; at = outline.at(at.parent)) {
    const found = { row: at, files: "kept" } as const;
    rows.push(found, ...(await leftBy(view, found)));
  }
  rows.sort((a, b) => a.row.seq - b.row.seq);
  return { rows, reach: at === undefined ? "whole" : "recent" };
}

async function leftBy(view: SessionView, { row, files }: RecentRow): Promise<readonly RecentRow[]> {
  const [entry] = row.kind === "backtrack" ? await view.storedEntries([row.seq]) : [];
  if (entry?.kind !== "backtrack") return [];
  const rows: RecentRow[] = [];
  for (const left of rowsLeftBy(view.outline, entry).slice(-RECENT)) {
    const found = { row: left, files: entry.files === "restore" ? "undone" : files } as const;
    rows.push(found, ...(await leftBy(view, found)));
  }
  return rows;
}

/** The text of the last turn's final answer. */
async function lastAnswer(view: SessionView): Promise<string | undefined> {
  const { outline } = view;
  const row = nearest(outline, outline.head, ({ kind }) => kind === "reply" || kind === "prompt");
  const [entry] = row?.kind === "reply" ? await view.entries([row.seq]) : [];
  const text = entry?.kind === "reply" ? textOf(entry.parts).trim() : "";
  return text === "" ? undefined : text;
}

/** Returns whether and where the turn at the head was interrupted, and which calls may or may not have taken effect. */
export async function turnStateOf(view: SessionView): Promise<TurnState> {
  return turnStateIn(await endOfBranch(view));
}

/**
 * The entries up to the head, beginning with the last prompt or the last model call, whichever comes first. Does not
 * read the contents of results.
 */
async function endOfBranch(view: SessionView): Promise<readonly Entry[]> {
  const { outline } = view;
  const { head } = outline;
  const prompt = nearest(outline, head, ({ kind }) => kind === "prompt" || kind === "backtrack");
  const call = nearest(outline, head, ({ kind }) => kind === "step" || kind === "reply");
  const ask =
    prompt?.kind === "backtrack" ? nearest(outline, prompt, ({ kind }) => kind === "prompt") : prompt;
  const from = Math.min(ask?.seq ?? 1, call?.seq ?? 1);
  const rows = branchSince(outline, from).filter(({ kind }) => TURN_KINDS.has(kind));
  return entriesOf(view, rows);
}

const TURN_KINDS: ReadonlySet<string> = new Set([
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

/**
 * Reads the entries. Leaves results in their stored form, because results can be long and a recap only needs to know
 * that they exist.
 */
async function entriesOf(view: SessionView, rows: readonly Row[]): Promise<readonly Entry[]> {
  const linesOf = (wanted: (row: Row) => boolean) => rows.filter(wanted).map(({ seq }) => seq);
  const results = await view.storedEntries(linesOf(({ kind }) => kind === "tool-end"));
  const others = await view.entries(linesOf(({ kind }) => kind !== "tool-end"));
  return [...results, ...others].sort((a, b) => a.seq - b.seq);
}
