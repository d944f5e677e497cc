import type { IUnicodeVersionProvider } from "@xterm/headless";

/** East Asian Wide and Fullwidth characters, without emoji. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];
const ZERO_WIDTH_JOINER = 0x200d;
const EMOJI_STYLE = 0xfe0f;

/** State that a character leaves for the next one. */
const AFTER = { nothing: 0, joiner: 1, flagHalf: 2 } as const;

/**
 * The width of characters in current terminals. xterm's own table is that of Unicode 6, in which emoji take
 * one column, and the program's own measure would agree with the program whatever it does.
 */
export const currentWidths: IUnicodeVersionProvider = {
  version: "current",
  wcwidth: widthOf,
  charProperties(codepoint, preceding) {
    const before = { width: (preceding >> 1) & 3, state: preceding >> 3 };
    const state = stateAfter(codepoint, before.state);
    const own = widthOf(codepoint);
    if (preceding === 0 || !joins(codepoint, own, before.state)) return properties(state, own, 0);
    return properties(state, codepoint === EMOJI_STYLE ? 2 : Math.max(own, before.width), 1);
  },
};

function widthOf(codepoint: number): 0 | 1 | 2 {
  if (codepoint < 0x300) return codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0) ? 0 : 1;
  const character = String.fromCodePoint(codepoint);
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character)) return 2;
  return WIDE.some(([from, to]) => codepoint >= from && codepoint <= to) ? 2 : 1;
}

function joins(codepoint: number, width: number, state: number): boolean {
  if (width === 0 || state === AFTER.joiner) return true;
  if (/\p{Emoji_Modifier}/u.test(String.fromCodePoint(codepoint))) return true;
  return state === AFTER.flagHalf && isFlagHalf(codepoint);
}

function stateAfter(codepoint: number, before: number): number {
  if (codepoint === ZERO_WIDTH_JOINER) return AFTER.joiner;
  return isFlagHalf(codepoint) && before !== AFTER.flagHalf ? AFTER.flagHalf : AFTER.nothing;
}

function isFlagHalf(codepoint: number): boolean {
  return codepoint >= 0x1f1e6 && codepoint <= 0x1f1ff;
}

/** The format in which xterm packs them: state, width, and whether the character joins the previous one. */
function properties(state: number, width: number, join: 0 | 1): number {
  return (state << 3) | (width << 1) | join;
}
