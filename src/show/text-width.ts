import { graphemesIn } from "../record/visible-text.ts";

let segmenter: Intl.Segmenter | undefined;

/**
 * Splits text into graphemes. The segmenter is created when it is first needed, because loading its data would take a
 * third of Node's startup time.
 */
function graphemesOf(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemesIn(text, segmenter);
}

/**
 * Characters that take up two columns according to Unicode's East Asian Width: Chinese, Japanese, Korean, and
 * full-width forms.
 */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u;
/** Characters without a width: combining marks, joiners, and characters that terminals do not show. */
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const printableAscii = /^[\x20-\x7e]*$/u;

/**
 * Returns the number of columns that `text` takes up in a terminal. The text must not contain line breaks or colors.
 */
export function widthOf(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const segment of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** Shortens `text` to at most `columns` columns, with `ellipsis` in place of the rest. Never splits a character. */
export function shortened(text: string, columns: number, ellipsis: string): string {
  if (text.length * 2 <= columns || widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  let shown = "";
  let width = 0;
  for (const segment of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > room) break;
    shown += segment;
  }
  return `${shown.trimEnd()}${room < 0 ? "" : ellipsis}`;
}

/** Pads `text` with spaces to `columns` columns. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) || emoji.test(grapheme) ? 2 : 1;
}
