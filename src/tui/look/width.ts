import { visibleWidth as widthOfAny } from "@earendil-works/pi-tui";

/**
 * Characters that never join their neighbors, so that each stands for itself: ASCII, arrows, technical and drawing signs, and
 * what Chinese is written with.
 */
const ALONE =
  /^[\u0020-\u007e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/u;
const WIDE = /[\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]|\p{Emoji_Presentation}/gu;
const ASCII = /^[\u0020-\u007e]*$/u;
/** Colors and the mark of the cursor, which take no room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const STYLES = /\u001b\[[0-9;:]*m|\u001b_pi:c\u0007/gu;

/**
 * How many columns a text takes. pi-tui tells, but for the signs that every frame has it compiles the table of all emoji,
 * which takes longer than anything else in the first frame. Those are counted here.
 */
export function visibleWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  const bare = text.replace(STYLES, "");
  if (!ALONE.test(bare)) return widthOfAny(text);
  return bare.length + (bare.match(WIDE)?.length ?? 0);
}

/** Whether the text has only characters that never join their neighbors. */
export function standsAlone(text: string): boolean {
  return ALONE.test(text);
}
