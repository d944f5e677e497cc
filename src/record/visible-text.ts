/**
 * Characters that cannot be seen, or that change how their neighbors are shown, and where they are a normal part of writing.
 * Everything that a person reads goes through here, so a name always looks like what it is.
 */

const LETTER = String.raw`(?=[\p{L}\p{M}])`;
/** Scripts whose letters join: there ZWJ and ZWNJ between two letters are spelling. */
const JOINING = ["Arab", "Syrc", "Mong", "Nkoo", "Phag", "Mand", "Mani", "Rohg", "Adlm", "Deva", "Beng"]
  .concat(["Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr", "Tibt", "Thaa"])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");
const JOINED = `${LETTER}[${JOINING}]`;
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;

/** Where such characters belong: the emoji that they make up, and the spelling of joining scripts. */
const BELONGING = [
  // England, Scotland, Wales.
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`${PICTURE}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?(?:\u200d${PICTURE}(?:\ufe0f|\p{Emoji_Modifier})?)*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`${VIRAMA}\u200d`,
  String.raw`${JOINED}[\u200c\u200d](?=${JOINED})`,
  String.raw`\p{scx=Mong}[\u180b-\u180d\u180f](?:[\u180e\u202f](?=\p{scx=Mong}))?`,
  String.raw`\p{scx=Mong}[\u180e\u202f](?=\p{scx=Mong})`,
];
/** What prose may hold besides: it changes a glyph, or where a line may break. Two names that differ in it look alike. */
const BELONGING_IN_PROSE = [
  String.raw`\p{Ideographic}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\u200b(?=[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])`,
];
/** The wide space of Chinese and Japanese, between wide characters. */
const BELONGING_IN_NAMES = [
  String.raw`(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])\u3000(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])`,
];

/** Controls, halves of pairs, what Unicode wants ignored, marks of annotations, and the blank of Braille. */
const UNSEEN = String.raw`\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800`;
const IN_TEXT = new RegExp(`${[...BELONGING, ...BELONGING_IN_PROSE].join("|")}|([${UNSEEN}])`, "gu");
const IN_NAMES = new RegExp(
  String.raw`${[...BELONGING, ...BELONGING_IN_NAMES].join("|")}|([${UNSEEN}]|(?! )\p{Zs})`,
  "gu",
);
/** Most text has nothing of it, and is not looked at closer. */
const PLAIN = /^[\t\n\u0020-\u007e]*$/u;
const PLAIN_NAME = /^[\u0020-\u007e]*$/u;
const DELETE = 0x7f;

/** How a character that cannot be seen is shown: `␛` for the old controls, `<U+200B>` for the others. */
function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === DELETE ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** Prose, programs and output: line breaks and tabs stay, and so does what emoji and languages need. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(IN_TEXT, (found, unseen: string | undefined) =>
    unseen === undefined || unseen === "\n" || unseen === "\t" ? found : signOf(unseen),
  );
}

/** The same for a name, of which two that differ must not look alike: line breaks and unusual spaces are shown too. */
export function visibleName(name: string): string {
  return replaceUnseen(name, signOf);
}

/** Each character of a name that `visibleName` shows by a sign, by something else. */
export function replaceUnseen(name: string, by: (character: string) => string): string {
  if (PLAIN_NAME.test(name)) return name;
  return name.replace(IN_NAMES, (found, unseen: string | undefined) =>
    unseen === undefined ? found : by(unseen),
  );
}

/** The sign of the first character of a name that cannot be seen; undefined where there is none. */
export function unseenIn(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  for (const [, unseen] of name.matchAll(IN_NAMES)) if (unseen !== undefined) return signOf(unseen);
  return undefined;
}

/** The same characters in a JSON document, as JSON writes them: its value stays exact. */
export function escapedUnseen(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(IN_TEXT, (found, unseen: string | undefined) =>
    unseen === undefined || unseen === "\n" ? found : unicodeEscapes(unseen),
  );
}

/** As `\uXXXX`, two of them for a character beyond the first 65,536. */
export function unicodeEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** Letters of Greek and Cyrillic, and the Latin ones that they look like: small ones, and large ones whose small ones differ. */
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
 * Names with the same shape are easily taken for each other: they differ in case, in width or style of letters, in spaces,
 * in what cannot be seen, or in letters of Greek and Cyrillic that look like Latin ones.
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

/** How long runs of blanks are said, in the reader's language. */
export interface BlankWords {
  readonly spaces: (count: number) => string;
  /** Tabs, unusual spaces and characters that cannot be seen are among them. */
  readonly blanks: (count: number) => string;
  readonly lines: (count: number) => string;
}

const BLANK = String.raw`[\p{Zs}\t\r\v\f\u2800\p{Default_Ignorable_Code_Point}]`;
/** As wide as what a narrow terminal shows of a line, and wider than columns of a table are apart. */
const LONG_RUN = new RegExp(`(?<=[^\\s])${BLANK}{16,}|${BLANK}{40,}`, "gu");
const BLANK_LINES = new RegExp(String.raw`\n(?:${BLANK}*\n){3,}`, "gu");

/** Text without the long runs of blanks that would push the rest of it out of sight: each is said in its place. */
export function condensedBlanks(text: string, words: BlankWords): string {
  return text
    .replace(BLANK_LINES, (run) => `\n${words.lines(run.split("\n").length - 2)}\n`)
    .replace(LONG_RUN, (run) =>
      /^ +$/u.test(run) ? words.spaces(run.length) : words.blanks([...run].length),
    );
}

const lineBreaks = /[\r\n\t\p{Zl}\p{Zp}]+/gu;

/**
 * Makes visible what cannot be seen, so that a title or a message with an escape sequence cannot control the terminal, reorder
 * what is beside it, or pass for another one. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"));
}

/** The same for what must stay on one line: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return printable(text.replace(lineBreaks, " ")).trim();
}

/** "line": all of it on one line. */
export type JsonForm = "lines" | "line";

/** Its values are exact: what cannot be seen is escaped as JSON escapes it. */
export function printableJson(value: object, form: JsonForm = "lines"): string {
  return escapedUnseen(JSON.stringify(value, undefined, form === "lines" ? 2 : undefined));
}

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
