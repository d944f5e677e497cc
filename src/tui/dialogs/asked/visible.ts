/** What a terminal acts on, and what nobody sees; line breaks and tabs are neither. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is made visible.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const FIRST_PICTURE = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = "\u2421";

/** Who is asked for a permission must see all of it: what a terminal would swallow stands there as a sign, such as `␛`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(FIRST_PICTURE + code);
    return code === DELETE ? DELETE_PICTURE : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
