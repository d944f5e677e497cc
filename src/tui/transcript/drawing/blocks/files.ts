import { visibleWidth } from "@earendil-works/pi-tui";
import type { ChangedFile } from "../../../../ports/agent-events.ts";
import { clip } from "../../../look/clip.ts";
import type { Look } from "../../../look/look.ts";
import { oneLine } from "../../../look/printable.ts";
import type { FilesBlock } from "../../block.ts";
import type { Canvas } from "../layout.ts";
import { indented } from "../lines.ts";

/** Which files a turn changed: on one line, or each on its own. */
export function drawFiles({ files, more }: FilesBlock, canvas: Canvas): readonly string[] {
  if (files === undefined || files.length + more === 0) return [];
  const { width, look, folds } = canvas;
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const title = words.files.changed(files.length + more);
  const told = files.map((file) => fileText(file, look));
  if (folds === "folded") {
    return [foldedLine(words.files.list(files.length + more), told, { more, width, look })];
  }
  const rest = more === 0 ? [] : [paint.dim(words.more(more))];
  return [
    clip(`${paint.dim(glyphs.unfolded)} ${title}`, width, glyphs.ellipsis),
    ...indented([...told, ...rest].map((line) => clip(line, width - 2, glyphs.ellipsis))),
  ];
}

interface Room {
  readonly more: number;
  readonly width: number;
  readonly look: Look;
}

/** As many as there is room for, and how many there are besides. */
function foldedLine(title: string, told: readonly string[], { more, width, look }: Room): string {
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const begin = `${paint.dim(glyphs.folded)} ${title}`;
  let line = begin;
  for (const [index, text] of told.entries()) {
    const next = index === 0 ? begin + text : `${line}, ${text}`;
    const left = told.length - index - 1 + more;
    const rest = left === 0 ? "" : `, ${words.more(left)}`;
    if (visibleWidth(next + rest) > width) {
      const others = told.length - index + more;
      return clip(index === 0 ? next : `${line}, ${paint.dim(words.more(others))}`, width, glyphs.ellipsis);
    }
    line = next;
  }
  return more === 0 ? line : `${line}, ${paint.dim(words.more(more))}`;
}

function fileText({ path, change, added, removed }: ChangedFile, { paint, strings }: Look): string {
  const { files } = strings.terminal.transcript;
  const lines = [
    ...(added === undefined || (added === 0 && removed !== 0) ? [] : [paint.added(`+${added}`)]),
    ...(removed === undefined || removed === 0 ? [] : [paint.removed(`-${removed}`)]),
  ];
  const kind = change === "changed" ? [] : [paint.dim(files[change])];
  return [oneLine(path), ...kind, ...lines].join(" ");
}
