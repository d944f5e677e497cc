import { visibleWidth } from "@earendil-works/pi-tui";
import type { ListedSession, SessionsRequest } from "../../app/current/sessions.ts";
import { type Problem, problemOf } from "../../record/error.ts";
import { visibleName } from "../../record/visible-text.ts";
import { sessionTitle } from "../../show/session-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { screenWording } from "../../strings/wording.ts";
import type { Look } from "../look/look.ts";
import { ago, cut, padded } from "../look/text.ts";
import { type KeyPress, typed } from "../terminal/keys.ts";
import type { BackgroundWork, Dialog, Pressed, Room, UpdateState } from "./dialog.ts";
import { chosenIn, drawList, filterOf, LIST_START, type ListRow, type ListState, pressList } from "./list.ts";

interface SessionPickerOptions {
  readonly list: (request: SessionsRequest) => Promise<readonly ListedSession[]>;
  /** Returns how many sessions of the last list could not be read. */
  readonly unreadable?: () => number;
  readonly of: SessionsRequest["of"];
}

export interface SessionPickerState {
  readonly list: ListState;
  readonly of: SessionsRequest["of"];
  /** The last result. It belongs to `found.request`. Undefined before the first result. */
  readonly found: Found | undefined;
  /** Why the last search failed. */
  readonly failed?: Problem;
}

interface Found {
  readonly request: SessionsRequest;
  readonly rows: readonly ListedSession[];
  readonly unreadable: number;
}

export interface SessionPicked {
  readonly do: "open" | "delete";
  readonly row: ListedSession;
  readonly of: SessionsRequest["of"];
}

interface ShownSession extends ListRow {
  readonly number: number;
  readonly row: ListedSession;
}

/**
 * Creates a dialog where the user chooses a session. Text typed after `/` is searched for in the full text of all
 * sessions.
 */
export function sessionPicker(
  strings: Strings,
  options: SessionPickerOptions,
): Dialog<SessionPickerState, SessionPicked> {
  const { sessions, keys } = strings.terminal.dialogs;
  return {
    start: { list: LIST_START, of: options.of, found: undefined },
    extent: "full",
    press: (state, key, room) => pressPicker(state, key, room),
    draw: (state, space, look) =>
      drawList(
        state.list,
        {
          title: state.of === "all" ? sessions.titleAll : sessions.title,
          rows: shownIn(state),
          row: ({ row, number }, { width }) => {
            const start = `${String(number).padStart(String(state.found?.rows.length ?? 0).length)} `;
            return `${start}${sessionLine(row, { width: width - start.length, of: state.of }, look)}`;
          },
          head: unreadableLine(state, space.width, look),
          empty: emptyText(state, strings),
          keys: keys.sessions,
        },
        { ...space, look },
      ),
    background: (update) => searchBeside(options, update),
  };
}

function emptyText({ failed, found }: SessionPickerState, strings: Strings): string {
  const { sessions } = strings.terminal.dialogs;
  if (failed !== undefined) return screenWording(strings).message(failed);
  return found === undefined ? sessions.looking : sessions.none;
}

function unreadableLine({ found }: SessionPickerState, width: number, look: Look): string[] {
  const count = found?.unreadable ?? 0;
  if (count === 0) return [];
  return [look.paint.dim(cut(look.strings.terminal.dialogs.unreadable(count), width, look))];
}

function shownIn({ found }: SessionPickerState): ShownSession[] {
  return (found?.rows ?? []).map((row, index) => ({ row, number: index + 1 }));
}

function pressPicker(
  state: SessionPickerState,
  key: KeyPress,
  room: Room,
): Pressed<SessionPickerState, SessionPicked> {
  if (key.key === "ctrl+a") {
    return {
      state: { ...state, of: state.of === "all" ? "workspace" : "all", list: { ...state.list, chosen: 0 } },
    };
  }
  const rows = shownIn(state);
  if (state.list.typing === "no" && typed(key) === "d") {
    const row = rows[chosenIn(state.list, rows)]?.row;
    return row === undefined ? { state } : { answer: { do: "delete", row, of: state.of } };
  }
  const pressed = pressList(state.list, key, { rows, space: room });
  if (pressed.do === "leave") return { answer: undefined };
  if (pressed.do === "stay") return { state: { ...state, list: pressed.list } };
  const row = pressed.do === "choose" ? rows[pressed.index]?.row : undefined;
  return row === undefined ? { state } : { answer: { do: "open", row, of: state.of } };
}

/** Searches in the background, one search at a time. Text typed during a search is searched for next. */
function searchBeside(
  { list, unreadable = () => 0 }: SessionPickerOptions,
  update: UpdateState<SessionPickerState>,
): BackgroundWork<SessionPickerState> {
  let wanted: SessionsRequest | undefined;
  let asked: SessionsRequest | undefined;
  let work: "idle" | "busy" = "idle";

  async function search(): Promise<void> {
    while (wanted !== undefined && !isSame(wanted, asked)) {
      const request = wanted;
      asked = request;
      try {
        const rows = await list(request);
        update((state) => ({ ...state, found: { request, rows, unreadable: unreadable() } }));
      } catch (error) {
        const failed = problemOf(error);
        update((state) => ({ ...state, found: { request, rows: [], unreadable: 0 }, failed }));
      }
    }
    work = "idle";
  }

  return {
    onState: (state) => {
      const text = filterOf(state.list);
      wanted = { of: state.of, ...(text === "" ? {} : { search: text }) };
      if (work !== "idle") return;
      work = "busy";
      void search();
    },
    end: () => {
      wanted = undefined;
    },
  };
}

function isSame(one: SessionsRequest, other: SessionsRequest | undefined): boolean {
  return other !== undefined && one.of === other.of && one.search === other.search;
}

const NARROW = 60;
const MAX_FOLDER = 24;

/**
 * Draws a session's title, number of messages and date. Also shows the workspace if sessions of all workspaces are
 * listed, and whether a program has the session open.
 */
function sessionLine(
  row: ListedSession,
  { width, of }: { width: number; of: "workspace" | "all" },
  look: Look,
): string {
  const { strings } = look;
  const words = strings.terminal.dialogs.sessions;
  const date = ago(row.used, look.now, strings);
  const folder = of === "all" ? ` ${cut(baseName(row.workspace), MAX_FOLDER, look)}` : "";
  const held = row.heldBy === undefined ? "" : ` ${words.held}`;
  const unconfirmed = row.unconfirmed === undefined ? "" : ` ${words.unconfirmed}`;
  const here = row.place === "here" ? ` ${words.here}` : "";
  const messages = width < NARROW ? String(row.messages) : words.messages(row.messages);
  const right = `${messages}  ${date}${folder}`;
  const room = Math.max(8, width - visibleWidth(right) - 2);
  const marks = `${here}${held}${unconfirmed}`;
  // A long title must not hide the session's marks.
  const name = cut(visibleName(sessionTitle(row, strings)), Math.max(4, room - visibleWidth(marks)), look);
  const title = cut(`${name}${marks}`, room, look);
  return cut(`${padded(title, room)}  ${right}`, width, look);
}

function baseName(path: string): string {
  return path.split(/[\\/]/u).findLast((part) => part !== "") ?? path;
}
