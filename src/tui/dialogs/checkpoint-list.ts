import { setImmediate } from "node:timers/promises";
import type { CheckpointRow } from "../../app/checkpoints/checkpoint-rows.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look } from "../look/look.ts";
import { type KeyPress, nameOf } from "../terminal/keys.ts";
import {
  checkpointLine,
  columnsOf,
  heading,
  keyOf,
  type ShownCheckpoint,
  shownCheckpoints,
  type Widths,
  wordsOf,
} from "./checkpoint-rows.ts";
import type { BackgroundWork, Dialog, Pressed, Room, UpdateState } from "./dialog.ts";
import { chosenIn, drawList, filterOf, LIST_START, type ListState, pressList } from "./list.ts";

export interface CheckpointListOptions {
  readonly rows: readonly CheckpointRow[];
  /** Reads the checkpoints of other sessions while the list is open. */
  readonly elsewhere?: () => Promise<readonly CheckpointRow[]>;
  /** Returns how many sessions could not be read. Called after all others have been read. */
  readonly unreadable?: () => number;
  readonly changedSince: (row: CheckpointRow) => Promise<number | undefined>;
  readonly title: string;
  /** The row that the user chose before. The default is row 0, the present. */
  readonly chosen?: CheckpointRow;
}

export interface CheckpointListState {
  readonly list: ListState;
  readonly unfolded: ReadonlySet<string>;
  /** Number of files changed since each row, for the rows that were looked up. Undefined if unknown. */
  readonly changed: ReadonlyMap<string, number | undefined>;
  /**
   * The rows of other sessions. The value is "looking" until they have been read, and "unread" if reading them failed.
   */
  readonly elsewhere: readonly CheckpointRow[] | "looking" | "unread";
  readonly unreadable: number;
}

/** Number of rows above and below the chosen row to look up changes for. This is more than a tall screen shows. */
const LOOKED_UP_AROUND = 100;

/**
 * Creates the list of places that the user can rewind to. Row 0 is the present, so pressing Enter right away does not
 * change anything.
 */
export function checkpointList(
  strings: Strings,
  options: CheckpointListOptions,
): Dialog<CheckpointListState, CheckpointRow> {
  const shown = rememberRows((state) => shownIn(state, options, strings));
  const widthsOf = rememberWidths();
  return {
    start: startOf(options, shown),
    extent: "part",
    press: (state, key, room) => pressCheckpoints(state, key, { room, rows: shown(state), shown }),
    draw: (state, space, look) => {
      const rows = shown(state);
      const widths = widthsOf(rows, look);
      return drawList(
        state.list,
        {
          title: options.title,
          rows,
          row: (row, { width }) => checkpointLine(row, { width, widths, ...state }, look),
          heading: (row) => row.heading ?? "",
          empty: strings.checkpoints.none,
          keys: keysFor(rows[chosenIn(state.list, rows)], strings),
        },
        { ...space, look },
      );
    },
    background: (update) => besideList(options, shown, update),
  };
}

type ShownIn = (state: CheckpointListState) => readonly ShownCheckpoint[];

/** Caches the rows of the last state, because every key and every frame needs all of them. */
function rememberRows(rowsOf: ShownIn): ShownIn {
  let last: { readonly state: CheckpointListState; readonly rows: readonly ShownCheckpoint[] } | undefined;
  return (state) => {
    if (last === undefined || !hasSameRows(last.state, state)) last = { state, rows: rowsOf(state) };
    return last.rows;
  };
}

function hasSameRows(one: CheckpointListState, other: CheckpointListState): boolean {
  return (
    filterOf(one.list) === filterOf(other.list) &&
    one.unfolded === other.unfolded &&
    one.elsewhere === other.elsewhere &&
    one.unreadable === other.unreadable
  );
}

/** Caches the column widths for the same rows. The widths change only with the clock, at most once a second. */
function rememberWidths(): (rows: readonly ShownCheckpoint[], look: Look) => Widths {
  let last: { rows: readonly ShownCheckpoint[]; second: number; widths: Widths } | undefined;
  return (rows, look) => {
    const second = Math.floor(look.now / 1000);
    if (last?.rows !== rows || last.second !== second) last = { rows, second, widths: columnsOf(rows, look) };
    return last.widths;
  };
}

/** Returns the line that explains the keys. An execution is a single row that cannot be unfolded. */
function keysFor(chosen: ShownCheckpoint | undefined, { terminal }: Strings): string {
  const { checkpoints, executions } = terminal.dialogs.keys;
  return chosen?.row?.place === "execution" ? executions : checkpoints;
}

function shownIn(
  { list, unfolded, elsewhere, unreadable }: CheckpointListState,
  { rows }: CheckpointListOptions,
  strings: Strings,
): ShownCheckpoint[] {
  const { checkpoints, unreadable: unreadableWords } = strings.terminal.dialogs;
  const others = typeof elsewhere === "string" ? [] : elsewhere;
  return [
    ...shownCheckpoints([...rows, ...others], {
      filter: filterOf(list),
      unfolded,
      words: (row) => wordsOf(row, strings),
      headings: { elsewhere: checkpoints.elsewhere, execution: strings.executions.restoreHeading },
    }),
    ...(elsewhere === "looking" ? [heading(checkpoints.lookingElsewhere)] : []),
    ...(elsewhere === "unread" ? [heading(checkpoints.unread)] : []),
    ...(unreadable > 0 ? [heading(unreadableWords(unreadable))] : []),
  ];
}

function startOf(
  { chosen, rows, elsewhere, unreadable }: CheckpointListOptions,
  shown: ShownIn,
): CheckpointListState {
  const start: CheckpointListState = {
    list: LIST_START,
    unfolded: new Set(),
    changed: new Map(),
    elsewhere: elsewhere === undefined ? [] : "looking",
    unreadable: elsewhere === undefined ? (unreadable?.() ?? 0) : 0,
  };
  if (chosen === undefined) return start;
  const key = keyOf(chosen);
  const at = (state: CheckpointListState) =>
    shown(state).findIndex(({ row }) => row !== undefined && keyOf(row) === key);
  const unfolded = at(start) >= 0 ? start : { ...start, unfolded: new Set(rows.map(keyOf)) };
  return { ...unfolded, list: { ...LIST_START, chosen: Math.max(0, at(unfolded)) } };
}

interface At {
  readonly room: Room;
  readonly rows: readonly ShownCheckpoint[];
  readonly shown: ShownIn;
}

function pressCheckpoints(
  state: CheckpointListState,
  key: KeyPress,
  { room, rows, shown }: At,
): Pressed<CheckpointListState, CheckpointRow> {
  const folded = state.list.typing === "no" ? fold(state, key, rows) : undefined;
  if (folded !== undefined) return { state: folded };
  const pressed = pressList(state.list, key, { rows, space: room });
  switch (pressed.do) {
    case "stay":
      return { state: unfiltered(state, { ...state, list: pressed.list }, { rows, shown }) };
    case "choose":
      return { answer: rows[pressed.index]?.row };
    case "leave":
      return { answer: undefined };
    case "other":
      return { state };
    default:
      return pressed satisfies never;
  }
}

/** Leaving the filter selects the row that was found, or the row that it is folded into. */
function unfiltered(
  before: CheckpointListState,
  after: CheckpointListState,
  { rows, shown }: Pick<At, "rows" | "shown">,
): CheckpointListState {
  const found = rows[chosenIn(before.list, rows)]?.row;
  const isLeft = filterOf(before.list) !== "" && filterOf(after.list) === "" && after.list.typing === "no";
  if (!isLeft || found === undefined) return after;
  const chosen = shown(after).findIndex(
    ({ row }) => row?.session === found.session && row.number <= found.number,
  );
  return { ...after, list: { ...after.list, chosen: Math.max(0, chosen) } };
}

/**
 * Folds or unfolds a row. Returns undefined if the key does something else. From a step, Left goes to its prompt and
 * folds it.
 */
function fold(
  state: CheckpointListState,
  key: KeyPress,
  rows: readonly ShownCheckpoint[],
): CheckpointListState | undefined {
  const name = nameOf(key);
  if (name !== "right" && name !== "left" && name !== "space") return undefined;
  let chosen = state.list.chosen;
  while (name !== "right" && rows[chosen]?.depth === 1) chosen -= 1;
  const at = rows[chosen];
  if (at?.row === undefined || at.steps === 0) return state;
  const id = keyOf(at.row);
  const open = name === "right" || (name === "space" && !state.unfolded.has(id));
  const others = [...state.unfolded].filter((other) => other !== id);
  return { ...state, list: { ...state.list, chosen }, unfolded: new Set(open ? [...others, id] : others) };
}

/**
 * Runs the lookups for an open list. Rows of other sessions are added below the existing rows, so that the rows that
 * the user is looking at do not move.
 */
function besideList(
  options: CheckpointListOptions,
  shown: ShownIn,
  update: UpdateState<CheckpointListState>,
): BackgroundWork<CheckpointListState> {
  const changes = lookUpChanges(options, shown, update);
  const found = (elsewhere: readonly CheckpointRow[] | "unread"): void =>
    update((state) => {
      const next = { ...state, elsewhere, unreadable: options.unreadable?.() ?? 0 };
      changes.onState(next);
      return next;
    });
  // If other sessions cannot be read, a rewind in this session must still be possible.
  options.elsewhere?.().then(found, () => found("unread"));
  return changes;
}

/** Looks up what changed since the rows around the chosen row, one after another, nearest first. */
function lookUpChanges(
  { changedSince }: CheckpointListOptions,
  shown: ShownIn,
  update: UpdateState<CheckpointListState>,
): BackgroundWork<CheckpointListState> {
  // All states share one growing map, because a copy for each row would take quadratic time.
  const changed = new Map<string, number | undefined>();
  const asked = new Set<string>();
  let latest: CheckpointListState | undefined;
  let work: "idle" | "busy" = "idle";

  function next(): CheckpointRow | undefined {
    if (latest === undefined) return undefined;
    const rows = shown(latest);
    const chosen = chosenIn(latest.list, rows);
    for (let far = 0; far <= LOOKED_UP_AROUND; far += 1) {
      for (const index of [chosen - far, chosen + far]) {
        const row = rows[index]?.row;
        if (row !== undefined && !asked.has(keyOf(row))) return row;
      }
    }
    return undefined;
  }

  async function lookUp(): Promise<void> {
    for (let row = next(); row !== undefined; row = next()) {
      const key = keyOf(row);
      asked.add(key);
      // A failed lookup is not shown here. A rewind to the row reports the reason.
      changed.set(key, await changedSince(row).catch(() => undefined));
      update((state) => ({ ...state, changed }));
      // Without this pause, results from a cache would leave no time for keys and signals.
      await setImmediate();
    }
    work = "idle";
  }

  return {
    onState: (state) => {
      latest = state;
      if (work !== "idle") return;
      work = "busy";
      void lookUp();
    },
    end: () => {
      latest = undefined;
    },
  };
}
