/**
 * This file finds characters that are invisible or change how their neighbors are displayed, and recognizes where such
 * characters are a normal part of a string. All text shown to users passes through this file, so that one name cannot be
 * made to look like another.
 */

/** Invisible letters, such as Khmer's inherent vowels, cannot make the invisible character next to them legitimate. */
const SEEN = String.raw`(?!\p{Default_Ignorable_Code_Point})`;
const LETTER = String.raw`${SEEN}(?=[\p{L}\p{M}])`;
/** In these scripts, a ZWJ or ZWNJ between two letters is part of the spelling. */
const JOINING = ["Arab", "Syrc", "Mong", "Nkoo", "Phag", "Mand", "Mani", "Rohg", "Adlm", "Deva", "Beng"]
  .concat(["Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr", "Tibt", "Thaa"])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");
const JOINED = `${LETTER}[${JOINING}]`;
const MONGOLIAN = String.raw`${SEEN}\p{scx=Mong}`;
const UNSPACED = String.raw`${SEEN}[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;

/** Sequences in which invisible characters are legitimate: emoji, and words in joining scripts. */
const BELONGING = [
  // The flags of England, Scotland, and Wales.
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`${PICTURE}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?(?:\u200d${PICTURE}(?:\ufe0f|\p{Emoji_Modifier})?)*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`${VIRAMA}\u200d`,
  String.raw`${JOINED}[\u200c\u200d](?=${JOINED})`,
  String.raw`${MONGOLIAN}[\u180b-\u180d\u180f](?:[\u180e\u202f](?=${MONGOLIAN}))?`,
  String.raw`${MONGOLIAN}[\u180e\u202f](?=${MONGOLIAN})`,
];
/**
 * Sequences that are legitimate only in prose, because their characters merely select a glyph or allow a line break.
 * Names that differ only in these characters would look alike.
 */
const BELONGING_IN_PROSE = [
  String.raw`\p{Ideographic}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`${UNSPACED}\u200b(?=${UNSPACED})`,
];
/** The wide space used in Chinese, Japanese, and Korean, if it is between wide characters. */
const BELONGING_IN_NAMES = [
  String.raw`(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\u3000(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])`,
];

/**
 * Invisible characters: control characters, lone surrogates, characters that Unicode marks as ignorable, annotation
 * marks, and the Braille blank.
 */
const UNSEEN = String.raw`\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800`;
const IN_TEXT = new RegExp(`${[...BELONGING, ...BELONGING_IN_PROSE].join("|")}|([${UNSEEN}])`, "gu");
const IN_NAMES = new RegExp(
  String.raw`${[...BELONGING, ...BELONGING_IN_NAMES].join("|")}|([${UNSEEN}]|(?! )\p{Zs})`,
  "gu",
);
/** Matches strings that need no further checks. Most strings match. */
const PLAIN = /^[\t\n\u0020-\u007e]*$/u;
const PLAIN_NAME = /^[\u0020-\u007e]*$/u;
const DELETE = 0x7f;

/**
 * Renders an invisible character: ASCII controls as symbols such as `␛`, and all other characters in the form
 * `<U+200B>`.
 */
function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === DELETE ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Makes invisible characters visible in prose, programs, and output. Keeps line breaks, tabs, and the characters that
 * emoji and languages need.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(IN_TEXT, (found, unseen: string | undefined) =>
    unseen === undefined || unseen === "\n" || unseen === "\t" ? found : signOf(unseen),
  );
}

/**
 * Makes invisible characters visible in names, including line breaks and unusual spaces, because two different names
 * must not look alike.
 */
export function visibleName(name: string): string {
  return replaceUnseen(name, signOf);
}

/** Replaces each character that `visibleName` would show as a sign with the result of the given function. */
export function replaceUnseen(name: string, by: (character: string) => string): string {
  if (PLAIN_NAME.test(name)) return name;
  return name.replace(IN_NAMES, (found, unseen: string | undefined) =>
    unseen === undefined ? found : by(unseen),
  );
}

/** The sign for the first invisible character in a name; undefined if there is none. */
export function unseenIn(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  for (const [, unseen] of name.matchAll(IN_NAMES)) if (unseen !== undefined) return signOf(unseen);
  return undefined;
}

/** Replaces invisible characters in a JSON document with JSON escapes, which does not change the document's value. */
export function escapedUnseen(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(IN_TEXT, (found, unseen: string | undefined) =>
    unseen === undefined || unseen === "\n" ? found : unicodeEscapes(unseen),
  );
}

/** The character as `\uXXXX`, or as two such escapes if it is above U+FFFF. */
export function unicodeEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

/**
 * Greek and Cyrillic letters, and the Latin letters that they look like. All letters are listed in lowercase, including
 * letters that look alike only in uppercase.
 */
const LOOKALIKES = new Map(
  [
    ["авеѕіјӏкмнорԛѕтухһԁԝгьёї", "abesijlkmhopqstyxhdwrbëï"],
    ["αβεζηικμνορτυχγϲ", "abezhikmnoptuxyc"],
    ["сı", "ci"],
  ].flatMap(([others = "", latin = ""]) =>
    [...others].map((other, at) => [other, latin[at] ?? other] as const),
  ),
);

/**
 * Returns the same string for names that are easily mistaken for each other: names that differ only in case, in the
 * width or style of letters, in spaces, in invisible characters, or in Greek and Cyrillic letters that look like Latin
 * letters.
 */
export function shapeOf(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/[\p{Script=Cyrillic}\p{Script=Greek}ı]/gu, (letter) => LOOKALIKES.get(letter) ?? letter)
    .replace(/\s+/gu, " ")
    .trim();
}

/** The words that describe runs of blanks in the reader's language. */
export interface BlankWords {
  readonly spaces: (count: number) => string;
  /** For runs that include tabs, unusual spaces, or invisible characters. */
  readonly blanks: (count: number) => string;
  readonly lines: (count: number) => string;
}

const BLANK = String.raw`[\p{Zs}\t\r\v\f\u2800\p{Default_Ignorable_Code_Point}]`;
/**
 * The minimum lengths of a long run. At the beginning of a line, the minimum is about the width of a narrow terminal.
 * After other text, it is wider than the usual gap between two columns of a table.
 */
const LONG_RUN = new RegExp(`(?<=[^\\s])${BLANK}{16,}|${BLANK}{40,}`, "gu");
const BLANK_LINES = new RegExp(String.raw`\n(?:${BLANK}*\n){3,}`, "gu");

/**
 * Replaces each long run of blanks with a description, because the blanks could push the text after them out of sight.
 */
export function condensedBlanks(text: string, words: BlankWords): string {
  return text
    .replace(BLANK_LINES, (run) => `\n${words.lines(run.split("\n").length - 2)}\n`)
    .replace(LONG_RUN, (run) =>
      /^ +$/u.test(run) ? words.spaces(run.length) : words.blanks([...run].length),
    );
}

const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;

/**
 * Makes invisible characters visible, so that a title or a message cannot control the terminal with escape sequences,
 * reorder the text around it, or look like different text. Line breaks and tabs are kept.
 */
export function printable(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"));
}

/** Like `printable`, but for text that must stay on one line. Line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return printable(text.replace(lineBreaks, " ")).trim();
}

/** "lines" indents the document; "line" puts everything on one line. */
export type JsonForm = "lines" | "line";

/** Writes a value as JSON with invisible characters as JSON escapes, so that the value is preserved exactly. */
export function printableJson(value: object, form: JsonForm = "lines"): string {
  return escapedUnseen(JSON.stringify(value, undefined, form === "lines" ? 2 : undefined));
}

/** The initial size of a window. It is enough for almost every line. The size is doubled if a grapheme is longer. */
const WINDOW = 256;

/**
 * Matches a surrogate pair. The flag `u` is missing on purpose, because the pattern must match the two halves of the
 * pair.
 */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/**
 * Yields the graphemes of a string in order, as found by `segmenter`. The segmenter takes quadratic time for long strings
 * (minutes for a line of 200 kB), so it is passed one window at a time. The last grapheme of a window may continue in
 * the next one, so the next window begins with it.
 */
export function* graphemesIn(text: string, segmenter: Intl.Segmenter): Generator<string, void, undefined> {
  let size = WINDOW;
  for (let start = 0; start < text.length; ) {
    // If a surrogate pair were split, the segmenter could not see that the pair is part of the previous grapheme.
    let end = start + size;
    if (PAIR.test(text.slice(end - 1, end + 1))) end += 1;
    const segments = Array.from(segmenter.segment(text.slice(start, end)), (each) => each.segment);
    const whole = end >= text.length ? segments : segments.slice(0, -1);
    for (const segment of whole) {
      start += segment.length;
      yield segment;
    }
    size = whole.length === 0 ? size * 2 : WINDOW;
  }
}
