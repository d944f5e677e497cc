import { type LogItem, type LogPart, type SessionLog, sessionLog } from "../../app/queries/log.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Damage } from "../../ports/log-store.ts";
import type { Entry, EntryKind } from "../../record/entry.ts";
import { shapes } from "../../record/shape.ts";
import { oneLine } from "../../record/visible-text.ts";
import { entryText, type TextNeeds } from "../../show/entry-text.ts";
import { damageText } from "../../show/session-text.ts";
import { glyphsFor } from "../../show/style.ts";
import { shortened } from "../../show/text-width.ts";
import { clockTime, dateOf } from "../../strings/clock.ts";
import { branchOf } from "../../timeline/outline.ts";
import { choice, defineCommand, flag, whole } from "../command.ts";
import { shellWording } from "../command-again.ts";
import type { Frame } from "../frame.ts";
import { columnsOf } from "../output.ts";

const DEFAULT_LIMIT = 50;
const kinds = Object.keys(shapes) as EntryKind[];

export const log = defineCommand({
  help: (help) => help.log,
  options: {
    branch: flag(),
    kind: choice(kinds),
    limit: whole("<n>"),
    full: flag(),
  },
  run: async ({ options, frame }) => {
    const { branch, kind, limit = frame.output.mode === "json" ? 0 : DEFAULT_LIMIT } = options;
    const found = await sessionLog(frame, { branch: branch ? "here" : "all", kind, limit });
    if (frame.output.mode === "json") return answerData(frame, found);
    const { view, steps } = found;
    const text = itemText({ frame, view, steps, length: options.full ? "full" : "line" });
    return answerText(frame, text, found);
  },
});

async function answerData({ output }: Frame, { view, items, earlier }: SessionLog): Promise<void> {
  const entries: Entry[] = [];
  for await (const { entry } of items) if (entry !== undefined) entries.push(entry);
  output.answer({ session: view.id, earlier, entries, damage: view.damage }, () => "");
}

async function answerText(
  { common, output, strings }: Frame,
  text: (item: LogItem) => string[],
  { items, earlier }: LogPart,
): Promise<void> {
  const printed = earlier === 0 ? [] : [strings.looking.earlier(earlier, shellWording(common).command)];
  for await (const item of items) printed.push(...text(item));
  output.answer({}, () => (printed.length === 0 ? strings.looking.noEntries : printed.join("\n")));
}

const KIND_WIDTH = 10;
const LINE_LENGTH = 120;

/**
 * Returns a function that renders an item from one session's log. On a terminal, lines are shortened to fit the width.
 */
function itemText({
  frame,
  view,
  length,
  steps,
}: {
  readonly frame: Frame;
  readonly view: SessionView;
  readonly length: "line" | "full";
  readonly steps: NonNullable<TextNeeds["steps"]>;
}): (item: LogItem) => string[] {
  const { style } = frame.output;
  const glyphs = glyphsFor(frame.surroundings.environment);
  const here = new Set(branchOf(view.outline).map((row) => row.seq));
  const lineWidth = Math.max(4, String(view.outline.length).length);
  const needs = { outline: view.outline, steps, strings: frame.strings };

  const entryLines = (entry: Entry): string[] => {
    const isHere = here.has(entry.seq);
    const at = Date.parse(entry.at);
    const place = `${String(entry.seq).padStart(lineWidth)} ${isHere ? glyphs.here : glyphs.left}`;
    const start = `${place} ${dateOf(at)} ${clockTime(at)} ${entry.kind.padEnd(KIND_WIDTH)} `;
    const text = entryText(entry, needs);
    const paint = (line: string) => (isHere ? line : style.dim(line));
    if (length === "full")
      return [start.trimEnd(), ...text.split("\n").map((line) => `     ${line}`)].map(paint);
    const room = Math.min(LINE_LENGTH, columnsOf(frame.surroundings.stdout) - start.length);
    return [paint(`${start}${shortened(oneLine(text), room, glyphs.ellipsis)}`.trimEnd())];
  };
  const damageLine = (damage: Damage): string =>
    style.red(`${" ".repeat(lineWidth)} ${glyphs.no} ${damageText(damage, frame.strings)}`);
  return (item) => (item.entry === undefined ? [damageLine(item.damage)] : entryLines(item.entry));
}
