import { shortened } from "../../../app/text-width.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Damage } from "../../../ports/log-store.ts";
import type { Entry } from "../../../record/entry.ts";
import { oneLine } from "../../../record/printable.ts";
import { damageText } from "../../../show/damage-text.ts";
import { entryText, type TextNeeds } from "../../../show/entry-text.ts";
import { glyphsFor } from "../../../show/glyphs.ts";
import { clockTime, dateOf } from "../../../strings/clock.ts";
import { branchOf } from "../../../timeline/branch.ts";
import type { Frame } from "../../command/frame.ts";
import { columnsOf } from "../../output/columns.ts";
import type { LogItem } from "./log-items.ts";

interface LogTextNeeds {
  readonly frame: Frame;
  readonly view: SessionView;
  readonly length: "line" | "full";
  readonly steps: NonNullable<TextNeeds["steps"]>;
}

const KIND_WIDTH = 10;
const LINE_LENGTH = 120;

/** How the items of one session look; on a terminal a line fits its width. */
export function itemText({ frame, view, length, steps }: LogTextNeeds): (item: LogItem) => string[] {
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
