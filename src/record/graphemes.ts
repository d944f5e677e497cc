/** Long enough for almost every line in one go; doubled where a single grapheme is longer. */
const WINDOW = 256;

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/**
 * The graphemes of a text, one after the other, as `segmenter` tells them apart. It takes quadratic time over one long text
 * (minutes for a line of 200 kB), so it is given windows: the last grapheme of a window may go on, and is read again with the
 * next one.
 */
export function* graphemesIn(text: string, segmenter: Intl.Segmenter): Generator<string, void, undefined> {
  let size = WINDOW;
  for (let start = 0; start < text.length; ) {
    // Half a surrogate pair would hide that it belongs to the grapheme before it.
    let end = start + size;
    while (HIGH_SURROGATE.test(text.charAt(end - 1))) end += 1;
    const segments = Array.from(segmenter.segment(text.slice(start, end)), (each) => each.segment);
    const whole = end >= text.length ? segments : segments.slice(0, -1);
    for (const segment of whole) {
      start += segment.length;
      yield segment;
    }
    size = whole.length === 0 ? size * 2 : WINDOW;
  }
}
