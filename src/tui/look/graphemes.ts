import { graphemesIn } from "../../record/graphemes.ts";

/**
 * Where each unit is a grapheme, whatever stands beside it: ASCII, the signs that a screen is drawn with, and what Chinese is
 * written with.
 */
const SIMPLE =
  /^[\u0020-\u007e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/u;
let segmenter: Intl.Segmenter | undefined;

/** Whether no character of the text joins another. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/** The segmenter is made when it is first needed: its data takes as long to load as a third of a start of Node. */
export function graphemesOf(text: string): Iterable<string> {
  if (isSimple(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemesIn(text, segmenter);
}
