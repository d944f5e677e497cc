import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  condensedBlanks,
  escapedUnseen,
  shapeOf,
  unseenIn,
  visibleName,
  visibleText,
} from "../../src/record/visible-text.ts";

const words = {
  spaces: (count: number) => `[${count} spaces]`,
  blanks: (count: number) => `[${count} blanks]`,
  lines: (count: number) => `[${count} lines]`,
};

/** One or two of each kind of invisible character. */
const UNSEEN = [
  "\u0000\u001b\u007f\u009b",
  "\u00ad\u034f\u061c",
  "\u115f\u1160\u3164\uffa0",
  "\u17b4\u180e\u2800",
  "\u200b\u200c\u200d\u200e\u200f",
  "\u2028\u2029\u202a\u202e\u2060\u2066\u2069",
  "\ufe00\ufe0f\ufeff\ufff9\ufff0",
  "\u{1d173}\u{e0001}\u{e0041}\u{e007f}\u{e0100}",
  "\ud800\udc00\udfff".slice(0, 1),
];

describe("text that a user reads", () => {
  it.each(UNSEEN)("shows each character of %j", (characters) => {
    for (const each of characters) {
      for (const show of [visibleText, visibleName]) {
        expect(show(`a${each}b`)).toMatch(/^a(?:[\u2400-\u2421]|<U\+[0-9A-F]{4,6}>)b$/u);
      }
      expect(unseenIn(`a${each}b`)).toBeDefined();
    }
  });

  it("shows names apart that differ in a space", () => {
    const spaces = ["\u00a0", "\u2003", "\u202f", "\u205f", "\u3000", "\u1680", " ", "\t", "\n", "\r"];
    const shown = spaces.map((space) => visibleName(`a${space}b`));
    expect(new Set(shown).size).toBe(spaces.length);
    expect(shown[0]).toBe("a<U+00A0>b");
  });

  it.each([
    "👩‍👩‍👧 👍🏽 ❤️ ❤️‍🔥 🏳️‍🌈 👩🏽‍⚕️ 🏴‍☠️ 1️⃣ #️⃣ 🇨🇳 ☎︎",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "重构之前 修复　登录 リファクタリング前 테스트 통과",
    "می‌خواهم نامه‌ای",
    "क्‍ष श्री र्‍क நன்றி ශ්‍රී ന്‍",
    "שלום עולם مرحبا بالعالم",
    "é ñ ü e\u0301 ﬁ Straße",
    "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌",
  ])("leaves %s as it is", (text) => {
    expect(visibleText(text)).toBe(text);
    expect(visibleName(text)).toBe(text);
    expect(unseenIn(text)).toBeUndefined();
  });

  it("leaves variants of characters and word breaks in prose, and shows them in names", () => {
    for (const text of ["葛\u{e0100}城", "ខ្មែរ\u200bភាសា"]) {
      expect(visibleText(text)).toBe(text);
      expect(visibleName(text)).toContain("<U+");
    }
  });

  it("keeps tabs and line breaks in prose, and shows them in names", () => {
    expect([visibleText("é\tb\nc"), visibleName("é\tb\nc")]).toEqual(["é\tb\nc", "é␉b␊c"]);
  });

  it("shows joiners, selectors and tags that belong to nothing", () => {
    expect(visibleText("👩\u200d")).toBe("👩<U+200D>");
    expect(visibleText("👩\ufe0f\ufe0f")).toBe("👩\ufe0f<U+FE0F>");
    expect(visibleText("1\ufe0f")).toBe("1<U+FE0F>");
    expect(visibleText("🏴\u{e0061}")).toBe("🏴<U+E0061>");
    expect(visibleText("ab\u200ccd")).toBe("ab<U+200C>cd");
    expect(visibleText("می\u200c\u200cخ")).toContain("<U+200C>");
  });

  it("law: shown twice is shown once, and no line is made or lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(visibleText(text))).toBe(visibleText(text));
        expect(visibleText(text).split("\n")).toHaveLength(text.split("\n").length);
        expect(visibleName(text)).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it.each([
    "\u17b4\u200b\u17b4",
    "\u17b5\u200d\u17b4",
    "\u1780\u200c\u17b4",
    "\u180b\u180c",
    "\u180b\u180e\u1820",
  ])("shows each of them in %j, where none of them has a visible neighbor on both sides", (text) => {
    for (const show of [visibleText, visibleName])
      expect(show(text)).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
  });

  it("law: JSON with them escaped holds the same value", () => {
    const unseen = fc.constantFrom(...UNSEEN.join(""), "👩‍👧", "x");
    fc.assert(
      fc.property(fc.array(unseen), (parts) => {
        const value = { text: parts.join("") };
        const escaped = escapedUnseen(JSON.stringify(value));
        expect(JSON.parse(escaped)).toEqual(value);
        expect(visibleText(escaped)).toBe(escaped);
      }),
    );
  });
});

describe("a JSON document", () => {
  it.each([
    ['{\n  "a": "\u200b"\n}', String.raw`{§  "a": "\u200b"§}`.replaceAll("§", "\n")],
    ['"\u{e0001}"', String.raw`"\udb40\udc01"`],
    ['"é 👩‍👧"', '"é 👩‍👧"'],
  ])("escapes invisible characters other than line breaks: %j", (json, escaped) => {
    expect(escapedUnseen(json)).toBe(escaped);
  });
});

describe("the shape of a name", () => {
  it.each([
    ["Before", "before"],
    ["before", "be\u200bfore"],
    ["before", "ｂｅｆｏｒｅ"],
    ["before it", "before\u00a0 it "],
    ["before", "\u{e0041}before"],
    ["STRASSE", "straße"],
    ["é", "e\u0301"],
    ["fi", "ﬁ"],
    ["good", "g\u043e\u043ed"],
    ["Pass", "\u0420\u0430ss"],
    ["HEAD", "\u0397\u0395\u0391D"],
    ["scope", "\u0455\u0441\u043e\u0440\u0435"],
  ])("is the same for %j and %j", (one, other) => {
    expect(shapeOf(one)).toBe(shapeOf(other));
  });

  it("differs where a reader sees a difference", () => {
    expect(shapeOf("before")).not.toBe(shapeOf("before 2"));
    expect(shapeOf("before")).not.toBe(shapeOf("be fore"));
    expect(shapeOf("дом")).not.toBe(shapeOf("дым"));
    expect(shapeOf("前")).not.toBe(shapeOf("后"));
  });
});

describe("long runs of blanks", () => {
  it("are described in their place", () => {
    expect(condensedBlanks(`ls${" ".repeat(480)}; rm x`, words)).toBe("ls[480 spaces]; rm x");
    expect(condensedBlanks(`ls${"\t \u3000\u200b".repeat(20)}; rm x`, words)).toBe("ls[80 blanks]; rm x");
    expect(condensedBlanks(`ls\t${" ".repeat(40)}rm x`, words)).toBe("ls[41 blanks]rm x");
    expect(condensedBlanks(`ls${" ".repeat(40)}\trm x`, words)).toBe("ls[41 blanks]rm x");
    expect(condensedBlanks(`ls${"\n".repeat(51)}rm x`, words)).toBe("ls\n[50 lines]\nrm x");
    expect(condensedBlanks(`ls\n${"   \n".repeat(50)}rm x`, words)).toBe("ls\n[50 lines]\nrm x");
  });

  it("stay where they are indentation or short", () => {
    const text = `a  b\n${" ".repeat(24)}deep\n\n\nc${" ".repeat(15)}d`;
    expect(condensedBlanks(text, words)).toBe(text);
  });

  it("cost no more than their length", () => {
    const long = "\n".repeat(2) + " \t".repeat(300_000);
    expect(condensedBlanks(`${long}x`, words).length).toBeLessThan(40);
  });
});
