import { visibleWidth } from "@earendil-works/pi-tui";
import type { TreeRow } from "../../../app/queries/query-types.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Look } from "../../look/look.ts";
import { clockTime } from "../pieces/ago.ts";
import { cut } from "../pieces/lines.ts";

const LEAST_TEXT = 12;

/** However deep a branch hangs, something of its text is shown: its rails give way. */
export function treeLine(
  row: TreeRow,
  { width, is }: { width: number; is: "chosen" | "not" },
  look: Look,
): string {
  const { glyphs, strings, paint } = look;
  const rails =
    `${glyphs.vertical} `.repeat(row.rails.length) +
    (row.hang === "along" ? "" : `${glyphs.tee}${glyphs.horizontal}`);
  const most = Math.max(0, width - LEAST_TEXT);
  const hung =
    rails.length <= most ? rails : `${glyphs.ellipsis} ${rails.slice(rails.length - Math.max(0, most - 2))}`;
  const sign = row.branch === "here" ? glyphs.bullet : glyphs.open;
  const number = row.number === undefined ? "" : `#${row.number} `;
  const label = row.label === undefined ? "" : `[${visibleName(row.label)}] `;
  const head = row.isHead ? ` ${glyphs.back} ${strings.terminal.dialogs.tree.head}` : "";
  const line = `${hung}${sign} ${number}${label}`;
  const room = Math.max(1, width - visibleWidth(line) - visibleWidth(head));
  const text = cut(`${line}${cut(treeText(row, strings), room, look)}${head}`, width, look);
  return is === "not" && row.branch === "left" ? paint.dim(text) : text;
}

/** What a row is, in the words of the conversation; where a branch that was left begins, it is said. */
export function treeText(row: TreeRow, strings: Strings): string {
  const { checkpoints } = strings.terminal.dialogs;
  const begins = row.branch === "left" && row.hang !== "along" && row.what.kind !== "end";
  const own = ownText(row, strings);
  return begins ? `${own} ${checkpoints.left}` : own;
}

function ownText({ what, at }: TreeRow, strings: Strings): string {
  const { transcript, dialogs } = strings.terminal;
  switch (what.kind) {
    case "beginning":
      return dialogs.tree.beginning;
    case "prompt":
      return what.text === "" ? dialogs.tree.wordless : what.text;
    case "command":
      return what.text;
    case "checkpoint":
      return strings.checkpoints.atTime(clockTime(at));
    case "step":
      return dialogs.checkpoints.step(clockTime(at));
    case "rewind":
      return transcript.rewound(what.scope, what.to);
    case "redo":
      return transcript.redone(what.scope);
    case "backtrack":
      return `${transcript.card.title(what.to)} · ${what.note}`;
    case "compaction":
      return transcript.compacted(what.reason, what.before, what.after);
    case "end":
      return dialogs.tree.end(what.by, what.to, what.entries);
    default:
      return what satisfies never;
  }
}
