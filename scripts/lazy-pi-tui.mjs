import { readFileSync } from "node:fs";

/**
 * When pi-tui is imported, it creates a segmenter (ICU's data) and the table of all emoji, which cost more than a
 * bare start of Node and are needed only for characters that a screen may never show. These replacements create both
 * when they are first needed, and never for characters that are known to be separate graphemes. A long text is
 * segmented in windows, as in `src/record/visible-text.ts`, because Intl.Segmenter takes quadratic time.
 * @type {readonly (readonly [was: string, is: string])[]}
 */
const replacements = [
  [
    'const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });',
    String.raw`
const alone = /^[\x20-\x7e\u2010-\u2027\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/;
let graphemes;
const segmenter = {
  segment(text) {
    if (alone.test(text)) return Array.from(text, (segment, index) => ({ segment, index, input: text }));
    graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return text.length <= 256 ? graphemes.segment(text) : inWindows(text);
  },
};
function* inWindows(text) {
  for (let start = 0, size = 256; start < text.length; ) {
    let end = start + size;
    while (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    const segments = Array.from(graphemes.segment(text.slice(start, end)), ({ segment }) => segment);
    if (end < text.length) segments.pop();
    for (const segment of segments) {
      yield { segment, index: start, input: text };
      start += segment.length;
    }
    size = segments.length === 0 ? size * 2 : 256;
  }
}`,
  ],
  [
    "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;",
    String.raw`
let allEmoji;
const rgiEmojiRegex = {
  test(segment) {
    if (segment.length === 1) return /^\p{Emoji_Presentation}$/u.test(segment);
    allEmoji ??= new RegExp("^\\p{RGI_Emoji}$", "v");
    return allEmoji.test(segment);
  },
};`,
  ],
];

/** @type {import("esbuild").Plugin} */
export const lazyPiTui = {
  name: "lazy-pi-tui",
  setup(build) {
    build.onLoad({ filter: /pi-tui[\\/]dist[\\/]utils\.js$/ }, ({ path }) => {
      const contents = replacements.reduce(
        (text, [was, is]) => {
          if (!text.includes(was)) throw new Error(`pi-tui has changed: ${path} has no ${was}`);
          return text.replace(was, () => is);
        },
        readFileSync(path, "utf8"),
      );
      return { contents, loader: "js" };
    });
  },
};
