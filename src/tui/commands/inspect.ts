import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { ContextFill, ContextPart, SnapshotState } from "../../app/queries/query-types.ts";
import type { TodoItem } from "../../record/parts.ts";
import { doctorText, shownCheck } from "../../show/doctor-text.ts";
import { statsText } from "../../show/stats-text.ts";
import { plainStyle } from "../../show/style.ts";
import type { Strings } from "../../strings/strings.ts";
import { errorOnScreen, remarkText, wordingIn } from "../../strings/wording.ts";
import { version } from "../../version.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { CommandContext } from "../flows/command-context.ts";
import type { Brush, Look, Paint } from "../look/look.ts";
import { cut, padded, shortCount } from "../look/text.ts";
import { timelineWithoutBacktracks } from "../view/view-state.ts";
import type { SlashCommand } from "./command.ts";

const context: SlashCommand = {
  name: "context",
  aliases: ["show-context"],
  takes: "",
  description: "context",
  while: "any",
  run: async (context) => {
    await context.ask(contextPanel(await context.app.queries.context()));
  },
};

const stats: SlashCommand = {
  name: "stats",
  aliases: [],
  takes: "",
  description: "stats",
  while: "any",
  run: async (context) => {
    const { app, strings } = context;
    const counted = await context.wait(asking(context, "stats"), async () => app.queries.stats());
    context.answer({ asked: "/stats", text: statsText(counted, strings.stats), form: "plain" });
  },
};

const doctor: SlashCommand = {
  name: "doctor",
  aliases: [],
  takes: "",
  description: "doctor",
  while: "any",
  run: async (context) => {
    const { app, strings } = context;
    const found = await context.wait(asking(context, "doctor"), async () => app.upkeep.doctor(version));
    // Most commands in the hints are meant to be typed in a shell.
    const wording = wordingIn(strings.reasons, {
      place: "shell",
      command: (command) => context.shellCommand(command),
    });
    const checks = found.map((check) => shownCheck(check, { strings, wording }));
    context.answer({
      asked: "/doctor",
      text: doctorText(checks, { style: plainStyle, strings }),
      form: "plain",
    });
  },
};

const status: SlashCommand = {
  name: "status",
  aliases: [],
  takes: "",
  description: "status",
  while: "any",
  run: async (context) => {
    const rows = await statusRows(context);
    const widest = Math.max(...rows.map(([name]) => visibleWidth(name)));
    const lines = rows.map(([name, value]) => `${name}${" ".repeat(widest - visibleWidth(name))}  ${value}`);
    context.answer({ asked: "/status", text: lines.join("\n"), form: "plain" });
  },
};

const todos: SlashCommand = {
  name: "todos",
  aliases: [],
  takes: "",
  description: "todos",
  while: "any",
  run: async (context) => {
    const items = await context.app.queries.todos();
    if (items.length === 0)
      return context.say({ tone: "quiet", line: context.strings.terminal.commands.noTodos });
    context.answer({ asked: "/todos", text: items.map(todoLine).join("\n"), form: "plain" });
  },
};

const DETAIL = {
  aliases: [],
  takes: "[on|off]",
  while: "any",
  completions: async () => [{ value: "on" }, { value: "off" }],
} as const;

const verbose: SlashCommand = {
  ...DETAIL,
  name: "verbose",
  description: "verbose",
  run: async (context, words) => setDetail(context, "verbose", words),
};

const quiet: SlashCommand = {
  ...DETAIL,
  name: "quiet",
  description: "quiet",
  run: async (context, words) => setDetail(context, "quiet", words),
};

export const LOOKING: readonly SlashCommand[] = [context, stats, status, todos, verbose, quiet, doctor];

/** Sets how much detail is shown, until the screen is closed. Without an argument, toggles the mode. */
function setDetail(context: CommandContext, name: "verbose" | "quiet", words: string): void {
  const { detail } = context.strings.terminal.commands;
  const wanted = words.toLowerCase();
  if (wanted !== "" && wanted !== "on" && wanted !== "off") {
    context.say({ tone: "warning", line: detail.usage(name) });
    return;
  }
  const isOn = wanted === "" ? context.detail !== name : wanted === "on";
  // Turning off one of the two modes must not turn off the other.
  const next = isOn ? name : context.detail === name ? "normal" : context.detail;
  context.setDetail(next);
  context.say({ tone: "good", line: detail[next] });
}

function contextPanel(fill: ContextFill): Dialog<"shown", never> {
  return {
    start: "shown",
    extent: "part",
    press: () => ({ answer: undefined }),
    draw: (_state, { width, rows }, look) => {
      const { closeKeys } = look.strings.terminal.commands;
      const bar = contextBar(fill, width, look).slice(0, Math.max(0, rows - 1));
      return [...bar, truncateToWidth(look.paint.dim(closeKeys), width, look.glyphs.ellipsis)];
    },
  };
}

function asking({ strings }: CommandContext, command: string): string {
  return strings.terminal.commands.asking(command);
}

async function statusRows({
  app,
  strings,
}: CommandContext): Promise<readonly (readonly [name: string, value: string])[]> {
  const { commands, screen } = strings.terminal;
  const { agent, model } = app;
  const known = await app.queries.state();
  const state = app.settings["backtrack.display"] === "off" ? timelineWithoutBacktracks(known) : known;
  const window = model.state === "ready" ? model.window : 0;
  const used = state.contextTokens;
  const name = commands.status;
  const rows: (readonly [string, string | undefined])[] = [
    [name.session, agent.session],
    [name.title, state.title],
    [name.workspace, agent.workspace],
    [name.model, model.state === "ready" ? model.name : commands.none],
    [name.mode, screen.status.modes[agent.mode]],
    [name.checkpoint, state.checkpoint === 0 ? commands.none : `#${state.checkpoint}`],
    [name.branches, String(state.branchesLeft)],
    [name.git, state.gitBranch],
    [name.context, window === 0 ? commands.contextUsed(used) : commands.contextOf(used, window)],
    [name.cost, state.cost === undefined ? undefined : commands.cost(state.cost)],
    [name.saved, state.savedTokens === 0 ? undefined : commands.savedTokens(state.savedTokens)],
    [name.redoable, state.redoable === 0 ? undefined : commands.journeys(state.redoable)],
    [name.files, snapshotsText(state.snapshots, strings)],
  ];
  return rows.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}

function snapshotsText(snapshots: SnapshotState, strings: Strings): string {
  const { commands, app } = strings.terminal;
  const words = commands.snapshots;
  switch (snapshots.state) {
    case "on":
    case "capturing":
      return words[snapshots.state];
    case "folder-gone":
      return words.failed(app.folderGone(snapshots.folder));
    case "off":
      return words.off(errorOnScreen(strings, snapshots.error).message);
    default:
      return words[snapshots.state](remarkText(strings, snapshots));
  }
}

const BOXES: Readonly<Record<TodoItem["status"], string>> = { open: "[ ]", doing: "[>]", done: "[x]" };

function todoLine({ text, status: is }: TodoItem): string {
  return `${BOXES[is]} ${text}`;
}

const MAX_BAR = 60;
const PERCENT = 100;
const FIRST_NOT_ASCII = 128;

/** Draws a bar that shows what fills the model's context window, with a segment for each part, and a legend. */
export function contextBar({ window, used, parts }: ContextFill, width: number, look: Look): string[] {
  const { glyphs, paint, strings } = look;
  const words = strings.terminal.dialogs.context;
  const held = parts.filter(({ tokens }) => tokens > 0);
  const length = Math.max(1, Math.min(MAX_BAR, width));
  const whole = Math.max(window, used, 1);
  const cells = cellsOf(held, { length, whole });
  const pieces = held.map(({ what }, index) =>
    brushes(paint)[what](signFor(index, glyphs.full).repeat(cells[index] ?? 0)),
  );
  const free = length - cells.reduce((sum, count) => sum + count, 0);
  const names = held.map(({ what }) => words.parts[what]);
  const widest = Math.max(0, ...[...names, words.free].map(visibleWidth));
  const legend = held.map(({ what, tokens }, index) =>
    line(
      `${signFor(index, glyphs.full)} ${padded(names[index] ?? "", widest)}`,
      tokens,
      brushes(paint)[what],
    ),
  );
  const rest = Math.max(0, window - used);
  return [
    cut(words.used(shortCount(used), shortCount(window), percent(used)), width, look),
    `${pieces.join("")}${paint.dim(glyphs.empty.repeat(Math.max(0, free)))}`,
    ...legend,
    line(`${glyphs.empty} ${padded(words.free, widest)}`, rest, paint.dim),
  ];

  function percent(tokens: number): number {
    return Math.round((tokens / whole) * PERCENT);
  }

  function line(name: string, tokens: number, brush: Brush): string {
    return brush(
      cut(`${name}  ${shortCount(tokens).padStart(5)}  ${String(percent(tokens)).padStart(3)}%`, width, look),
    );
  }
}

/**
 * Returns how many cells of the bar each part takes up. Every part gets at least one cell. If the sum is too large, the
 * largest parts lose cells.
 */
function cellsOf(
  parts: ContextFill["parts"],
  { length, whole }: { length: number; whole: number },
): number[] {
  const cells = parts.map(({ tokens }) => Math.max(1, Math.round((tokens / whole) * length)));
  let over = cells.reduce((sum, count) => sum + count, 0) - length;
  while (over > 0) {
    const largest = cells.indexOf(Math.max(...cells));
    cells[largest] = Math.max(0, (cells[largest] ?? 0) - 1);
    over -= 1;
  }
  return cells;
}

/**
 * Returns the symbol for a part. Neighboring parts have different symbols, so that they can be told apart without
 * color.
 */
function signFor(index: number, full: string): string {
  const signs = full.charCodeAt(0) < FIRST_NOT_ASCII ? [full, "=", "+"] : [full, "▓", "▒"];
  return signs[index % signs.length] ?? full;
}

function brushes(paint: Paint): Readonly<Record<ContextPart, Brush>> {
  return {
    system: paint.accent,
    tools: paint.link,
    summary: paint.quote,
    prompts: paint.said,
    replies: paint.good,
    results: paint.warning,
    notes: paint.heading,
  };
}
