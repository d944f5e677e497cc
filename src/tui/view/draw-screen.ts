import { visibleWidth } from "@earendil-works/pi-tui";
import type { TimelineState } from "../../app/queries/query-types.ts";
import type { Doing } from "../../ports/agent-events.ts";
import type { TodoItem } from "../../record/parts.ts";
import type { Look, Space } from "../look/look.ts";
import { clip, cut, durationText, harmless, inAscii, oneLine, padded, shortCount } from "../look/text.ts";
import { shownAbout } from "../transcript/block.ts";
import type { ViewState } from "./view-state.ts";

/** The visible lines of the conversation, and how many lines are below them. */
export interface Conversation {
  readonly lines: readonly string[];
  readonly below: number;
}

/** The parts of the screen, each of which draws itself in the given space. */
export interface Pieces {
  readonly conversation: (space: Space) => Conversation;
  readonly editor: (space: Space) => readonly string[];
  /** The open dialog, if any. The dialog replaces the editor or covers the whole screen. */
  readonly dialog:
    | { readonly extent: "full" | "part"; readonly draw: (space: Space) => readonly string[] }
    | undefined;
  readonly keys: (width: number) => readonly string[];
}

const MIN_SPACE: Space = { width: 20, rows: 6 };
/** Panels take up at most one third of the screen, to leave most of it for the conversation. */
const PANEL_SHARE = 3;

/**
 * Draws the whole screen: the conversation, the activity, the editor, and the status line. Returns exactly `rows`
 * lines, none of which is wider than the screen.
 */
export function drawScreen(
  view: ViewState,
  pieces: Pieces,
  { space, look }: { space: Space; look: Look },
): string[] {
  const { width, rows } = space;
  if (width < MIN_SPACE.width || rows < MIN_SPACE.rows) return tooSmall(space, look);
  const status = statusLine(view, width, look);
  const { dialog } = pieces;
  if (dialog?.extent === "full")
    return fitted([...filled(dialog.draw({ width, rows: rows - 1 }), rows - 1), status], space, look);
  const below = belowConversation(view, pieces, { space, look });
  // One row is reserved while the user is scrolled up, so that the line with the scroll position does not move
  // anything.
  const reserved = view.scroll > 0 && view.hint === undefined ? 1 : 0;
  const room = Math.max(0, rows - below.length - 1 - reserved);
  const { lines, below: further } = room === 0 ? NO_ROOM : pieces.conversation({ width, rows: room });
  const scrolled = reserved === 0 ? [] : [further === 0 ? "" : scrolledLine(further, width, look)];
  return fitted([...filled(lines, room), ...scrolled, ...below, status], space, look);
}

const NO_ROOM: Conversation = { lines: [], below: 0 };

function scrolledLine(lines: number, width: number, { paint, strings, glyphs }: Look): string {
  return clip(paint.dim(strings.terminal.screen.hints.scrolled(lines)), width, glyphs.ellipsis);
}

function belowConversation(
  view: ViewState,
  pieces: Pieces,
  { space, look }: { readonly space: Space; readonly look: Look },
): readonly string[] {
  const { width, rows } = space;
  const typing =
    pieces.dialog === undefined
      ? pieces.editor({ width, rows: Math.floor(rows / 2) })
      : pieces.dialog.draw({ width, rows: rows - 3 });
  const moving = doingLine(view, width, look);
  const hint =
    view.hint === undefined ? [] : [look.paint.dim(clip(oneLine(view.hint), width, look.glyphs.ellipsis))];
  const lines = [
    ...(moving === undefined ? [] : [moving]),
    ...queuedLines(view, width, look),
    ...typing,
    ...hint,
  ];
  const left = Math.max(0, rows - lines.length - 2);
  return [
    ...panelLines(view, pieces, {
      space: { width, rows: Math.min(left, Math.floor(rows / PANEL_SHARE)) },
      look,
    }),
    ...lines,
  ];
}

function panelLines(
  view: ViewState,
  { keys }: Pieces,
  { space, look }: { readonly space: Space; readonly look: Look },
): readonly string[] {
  if (space.rows <= 0 || view.panel === "none") return [];
  // The whole list of keys should be readable.
  if (view.panel === "keys") return someOf(keys(space.width), space.rows * 2, look);
  return todoLines(view, space, look);
}

/** Returns the first lines, followed by an ellipsis if there are more. */
function someOf(lines: readonly string[], most: number, { paint, glyphs }: Look): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), paint.dim(glyphs.ellipsis)];
}

function filled(lines: readonly string[], rows: number): readonly string[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => "")].slice(0, rows);
}

/**
 * Makes lines safe to draw, as a last safeguard. A line that is too wide would end the program, and a line with
 * terminal commands could do anything.
 */
function fitted(lines: readonly string[], { width, rows }: Space, { glyphs }: Look): string[] {
  const written = glyphs.ellipsis === "…" ? (line: string) => line : inAscii;
  return lines.slice(-rows).map((line) => clip(written(harmless(line)), width, ""));
}

function tooSmall(space: Space, look: Look): string[] {
  return fitted(filled([look.strings.terminal.screen.tooSmall], space.rows), space, look);
}

/** Draws the todos, scrolled so that open todos are visible. */
function todoLines({ todos }: ViewState, { width, rows }: Space, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.screen.todos;
  if (todos.length === 0) return [paint.dim(words.none)];
  const done = todos.filter(({ status }) => status === "done").length;
  const room = Math.max(1, rows - 1);
  const first = Math.max(
    0,
    Math.min(
      todos.findIndex(({ status }) => status !== "done"),
      todos.length - room,
    ),
  );
  const shown = todos.slice(first, first + room);
  return [paint.strong(words.title(done, todos.length)), ...shown.map((item) => todoLine(item, look))].map(
    (line) => clip(line, width, glyphs.ellipsis),
  );
}

function todoLine({ text, status }: TodoItem, { paint, glyphs }: Look): string {
  const clean = oneLine(text);
  switch (status) {
    case "done":
      return paint.dim(`  ${glyphs.done} ${clean}`);
    case "doing":
      return paint.accent(`  ${glyphs.doing} ${clean}`);
    case "open":
      return `  ${glyphs.open} ${clean}`;
  }
}

const MAX_QUEUED = 3;

/** Draws the inputs that the user sent while the agent was working and that are still queued. */
function queuedLines({ queued }: ViewState, width: number, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  return queued
    .slice(-MAX_QUEUED)
    .map((text) => strings.terminal.screen.queued(oneLine(text)))
    .map((line) => clip(paint.dim(line), width, glyphs.ellipsis));
}

const FRAME_MS = 120;

/**
 * Draws the line with the spinner, which says what is happening and for how long. Returns undefined if nothing is
 * happening.
 */
export function doingLine(view: ViewState, width: number, look: Look): string | undefined {
  const going = activityIn(view, look);
  if (going === undefined) return undefined;
  const { paint, glyphs, strings, now } = look;
  const { screen } = strings.terminal;
  const frame = glyphs.spinner[Math.floor(now / FRAME_MS) % glyphs.spinner.length] ?? "";
  const since = durationText(now - going.since, screen);
  const rest = ` (${[since, ...(going.stop === undefined ? [] : [screen[going.stop]])].join(" · ")})`;
  // The name of the activity is shortened first, because users look for how long it takes and how to stop it.
  const room = Math.max(0, width - visibleWidth(frame) - 1 - visibleWidth(rest));
  return clip(
    `${paint.accent(frame)} ${clip(oneLine(going.what), room, glyphs.ellipsis)}${paint.dim(rest)}`,
    width,
    glyphs.ellipsis,
  );
}

interface Activity {
  readonly what: string;
  readonly since: number;
  /** The name of the string that says which key stops the activity. Undefined if no key stops it. */
  readonly stop: "escStops" | "controlCStops" | undefined;
}

function activityIn(view: ViewState, look: Look): Activity | undefined {
  const { screen } = look.strings.terminal;
  const { waiting, doing, turnSince } = view;
  if (waiting !== undefined) {
    const what = waiting.progress === undefined ? waiting.what : `${waiting.what} ${waiting.progress}`;
    return { what, since: waiting.since, stop: waiting.how === "cancellable" ? "escStops" : undefined };
  }
  if (turnSince === undefined) return captureBeside(view, look);
  const what = doing === undefined ? screen.doing.working : doingText(doing.doing, view, look);
  const since = doing === undefined || doing.doing.what === "nothing" ? turnSince : doing.since;
  // Esc would close the question without interrupting the turn.
  return { what, since, stop: doing?.doing.what === "asking" ? "controlCStops" : "escStops" };
}

/** Returns the activity to show between turns. Between turns, only a capture can run. */
function captureBeside(view: ViewState, look: Look): Activity | undefined {
  const { doing } = view;
  if (doing?.doing.what !== "capturing") return undefined;
  return { what: doingText(doing.doing, view, look), since: doing.since, stop: undefined };
}

function doingText(doing: Doing, { workspace }: ViewState, { strings }: Look): string {
  const { doing: words } = strings.terminal.screen;
  switch (doing.what) {
    case "thinking":
      return words.thinking;
    case "tool":
      return words.tool(doing.name, shownAbout(doing, workspace));
    case "asking":
      return words.asking;
    case "capturing":
      return words.capturing(progressOf(doing, words));
    case "waiting-for-capture":
      return words.waiting(progressOf(doing, words));
    case "compacting":
      return words.compacting;
    case "nothing":
      return words.working;
  }
}

function progressOf(
  { files, ofFiles }: { readonly files: number; readonly ofFiles: number },
  words: Look["strings"]["terminal"]["screen"]["doing"],
): string {
  return ofFiles > 0 ? words.files(files, ofFiles) : "";
}

/** An item of the status line. If there is not enough room, items with a lower `rank` are placed first. */
interface Item {
  readonly text: string;
  /** Shorter text, used if there is no room for the full text. */
  readonly short?: string;
  readonly rank: number;
}

const SEPARATOR = " · ";
const PERCENT = 100;

/**
 * Draws the status line: model, host, permission mode, context, cost, checkpoint, branch, saved tokens, and snapshots.
 */
export function statusLine(view: ViewState, width: number, look: Look): string {
  if (view.phase === "opening") return look.paint.dim(look.strings.terminal.screen.starting);
  const all = [...itemsOf(view, look)];
  const taken = new Map<Item, string>();
  // Items are placed in order of importance. If an item does not fit, its space is available for later items.
  for (const item of all.toSorted((a, b) => a.rank - b.rank)) {
    const texts = item.short === undefined ? [item.text] : [item.text, item.short];
    const fitting = texts.find((text) => widthOf([...taken.values(), text]) <= width);
    if (fitting !== undefined) taken.set(item, fitting);
  }
  const texts =
    taken.size === 0 ? all.slice(0, 1).map(({ text }) => text) : all.flatMap((item) => taken.get(item) ?? []);
  return clip(texts.join(look.paint.dim(SEPARATOR)), width, look.glyphs.ellipsis);
}

function widthOf(texts: readonly string[]): number {
  return visibleWidth(texts.join(SEPARATOR));
}

function* itemsOf(view: ViewState, look: Look): Generator<Item> {
  const { paint, strings } = look;
  const { status } = strings.terminal.screen;
  const { model, timeline } = view;
  yield* agentItems(view, look);
  if (timeline === undefined) return;
  if (model?.state === "ready")
    yield { text: contextText(model.window, timeline.contextTokens, look), rank: 2 };
  if (timeline.cost !== undefined && timeline.cost > 0) {
    yield { text: paint.dim(status.cost(timeline.cost.toFixed(timeline.cost < 1 ? 3 : 2))), rank: 6 };
  }
  if (timeline.checkpoint > 0) yield { text: paint.dim(status.checkpoint(timeline.checkpoint)), rank: 4 };
  if (timeline.gitBranch !== undefined)
    yield { text: paint.dim(status.branch(oneLine(timeline.gitBranch))), rank: 7 };
  if (timeline.branchesLeft > 0)
    yield { text: paint.dim(status.branchesLeft(timeline.branchesLeft)), rank: 9 };
  if (timeline.savedTokens > 0) {
    const count = shortCount(timeline.savedTokens);
    yield { text: paint.good(status.saved(count)), short: paint.good(status.savedShort(count)), rank: 8 };
  }
  yield snapshotItem(snapshotName(timeline.snapshots), look);
}

function* agentItems({ model, host, mode }: ViewState, { paint, strings }: Look): Generator<Item> {
  const { status } = strings.terminal.screen;
  yield {
    text: model?.state === "ready" ? paint.dim(oneLine(model.name)) : paint.warning(status.noModel),
    rank: 3,
  };
  if (host !== undefined) yield { text: paint.dim(status.host(oneLine(host))), rank: 3 };
  yield {
    text: mode === "manual" ? paint.dim(status.modes[mode]) : paint.accent(status.modes[mode]),
    rank: 1,
  };
}

/** Returns how full the context is. `window` is 0 if the size of the model's context window is unknown. */
function contextText(window: number, tokens: number, { paint, strings }: Look): string {
  const { status } = strings.terminal.screen;
  if (window <= 0) return paint.dim(status.tokens(shortCount(tokens)));
  const percent = Math.round((tokens / window) * PERCENT);
  const text = status.context(percent);
  if (percent >= 85) return paint.bad(text);
  return percent >= 60 ? paint.warning(text) : paint.dim(text);
}

type SnapshotStateName = keyof Look["strings"]["terminal"]["screen"]["status"]["snapshots"];

function snapshotName({ state }: TimelineState["snapshots"]): SnapshotStateName {
  return state === "folder-gone" ? "failed" : state;
}

function snapshotItem(state: SnapshotStateName, { paint, strings }: Look): Item {
  const text = strings.terminal.screen.status.snapshots[state];
  // Problems must be visible even on a narrow screen.
  if (state === "failed" || state === "partial") return { text: paint.warning(text), rank: 0 };
  return { text: state === "off" ? paint.warning(text) : paint.dim(text), rank: 5 };
}

const WIDE = 76;
const GAP = 2;

/** Draws the keys and their functions in one column, or in two columns if there is room. */
export function keysHelp(width: number, look: Look): string[] {
  const { title, rows } = look.strings.terminal.dialogs.keysHelp;
  const columns = width >= WIDE ? 2 : 1;
  const room = Math.floor((width - GAP * (columns - 1)) / columns);
  const widest = rows.reduce((most, [key]) => Math.max(most, visibleWidth(key)), 0);
  const cells = rows.map(([key, does]) => {
    const means = cut(does, Math.max(1, room - widest - GAP), look);
    return padded(`${look.paint.accent(padded(key, widest))}${" ".repeat(GAP)}${means}`, room);
  });
  const height = Math.ceil(cells.length / columns);
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: columns }, (_unused, column) => cells[column * height + line] ?? "")
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
  return [look.paint.strong(cut(title, width, look)), ...lines];
}
