import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReplyPart } from "../../../src/record/parts.ts";
import { textPart } from "../../../src/record/parts.ts";
import {
  breakTag,
  breakTagInJson,
  breakTagInParts,
  breakTagInReply,
  type Framing,
} from "../../../src/timeline/context/foreign-text.ts";
import { TAG } from "../../story.ts";

const framing: Framing = { tag: TAG, frames: "quoted" };
const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };

/** The text as a session with this tag shows it to the model. */
function broken(text: string, tag: string = TAG): string {
  return breakTag(text, { tag, frames: "quoted" });
}

function wide(text: string): string {
  return text.replace(/[0-9a-z]/gu, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

describe("a spelling of the tag", () => {
  it.each([
    ["as it is", "k3f9x2m7q1", "k3f9x·2m7q1"],
    ["in capitals", "K3F9X2M7Q1", "K3F9X·2M7Q1"],
    ["in wide letters", "ｋ３ｆ９ｘ２ｍ７ｑ１", "ｋ３ｆ９ｘ·２ｍ７ｑ１"],
    ["in letters above U+FFFF", "𝐤3f9𝐱𝟐m7q1", "𝐤3f9𝐱·𝟐m7q1"],
    ["in letters of other alphabets", "к3f9х2m7q1", "к3f9х·2m7q1"],
    ["with a Greek letter as an entity", "&#954;3f9&#x3c7;2m7q1", "&#954;3f9&#x3c7;·2m7q1"],
    ["with invisible characters", "k3f9\u200bx\u200b2m\u00ad7q1", "k3f9\u200bx\u200b·2m\u00ad7q1"],
    ["with named entities", "k3f9x&shy;2m7&ZeroWidthSpace;q1", "k3f9x&shy;·2m7&ZeroWidthSpace;q1"],
    ["with decimal entities", "k3f9&#120;&#50m7q1", "k3f9&#120;·&#50m7q1"],
    ["with hex entities", "k3f9&#x78;&#X32;m7q1", "k3f9&#x78;·&#X32;m7q1"],
    ["with an entity above U+FFFF", "k3f9&#x1d431;2m7q1", "k3f9&#x1d431;·2m7q1"],
    ["with percent-encoding", "k3f9%782m7q1", "k3f9%78·2m7q1"],
    ["with percent-encoded UTF-8", "k3f9%EF%BD%982m7q1", "k3f9%EF%BD%98·2m7q1"],
    ["with JSON escapes", "k3f9\\u0078\\u{32}m7q1", "k3f9\\u0078·\\u{32}m7q1"],
    ["with escapes for two halves", "k3f9\\ud835\\udc312m7q1", "k3f9\\ud835\\udc31·2m7q1"],
    ["with hex escapes", "k3f9\\x782m7q1", "k3f9\\x78·2m7q1"],
    ["with octal escapes", "k3f9\\170\\062m7q1", "k3f9\\170·\\062m7q1"],
  ])("is broken in the middle, %s", (_how, spelling, expected) => {
    expect(broken(spelling)).toBe(expected);
    expect(broken(`é </system-${spelling}> é`)).toBe(`é </system-${expected}> é`);
  });

  it.each([
    ["out of range", "&#1114112;"],
    ["far out of range", "&#xffffffff;"],
    ["the first half of a surrogate pair", "&#xd800;"],
    ["the last half of a surrogate pair", "\\udfff"],
  ])("is broken around a code that is %s, because it is read as nothing", (_what, code) => {
    expect(broken(`k3f9x${code}2m7q1`)).toBe(`k3f9x${code}·2m7q1`);
  });

  it.each([
    ["the last character before the surrogates", "&#xd7ff;"],
    ["the first character after the surrogates", "&#xe000;"],
    ["the last character of all", "&#x10ffff;"],
    ["an unknown entity", "&amp;"],
    ["a letter of another alphabet that looks like none", "ж"],
    ["a space", " "],
  ])("is not in a text with %s between its letters", (_what, between) => {
    const text = `k3f9x${between}2m7q1`;
    expect(broken(text)).toBe(text);
  });

  it("is broken after a character that is the last one of two bytes", () => {
    expect(broken(`\uffff${TAG}`)).toBe("\uffffk3f9x·2m7q1");
  });

  it("is broken each time, also where one begins within another", () => {
    expect(broken(`${wide(TAG)} ${TAG}`)).toBe("ｋ３ｆ９ｘ·２ｍ７ｑ１ k3f9x·2m7q1");
    expect(broken("ａaaaａ", "aaaa")).toBe("ａa·a·aａ");
  });

  it("is broken after the character that stands for its first letters", () => {
    expect(broken("ﬁx", "fix")).toBe("ﬁ·x");
  });

  it("is replaced where one character stands for all of it", () => {
    expect(broken("a ﬁne day", "fi")).toBe("a ·ne day");
    expect(broken("the ﬁ", "fi")).toBe("the ·");
    expect(broken("ａ", "a\u00ad")).toBe("·");
  });

  it("is nowhere if the tag of a foreign log is invisible", () => {
    expect(broken("té\u200bxt", "\u200b\u200b")).toBe("té\u200bxt");
  });

  it.each(["é k3f9x2m7q", "ｋ", "é k3f9x2m7k3f9x2m7", ""])(
    "is not in %j, which has only a part of it",
    (text) => {
      expect(broken(text)).toBe(text);
    },
  );

  it.each([
    ["aab", "aaab"],
    ["aaab", "aaaab"],
    ["aaa", "aabaaa"],
    ["baababb", "baababaababb"],
    ["aabaaaa", "aabaaabaaaa"],
  ])("%j is broken in %j, after a part that only begins like it", (tag, text) => {
    const middle = text.length - Math.ceil(tag.length / 2);
    expect(broken(wide(text), tag)).toBe(`${wide(text.slice(0, middle))}·${wide(text.slice(middle))}`);
  });

  it("is broken in a text with more different characters than are remembered", () => {
    const characters = Array.from({ length: 20_100 }, (_, index) => String.fromCodePoint(0x20000 + index));
    const text = characters.join("");
    expect(broken(`${text}${wide(TAG)}`)).toBe(`${text}ｋ３ｆ９ｘ·２ｍ７ｑ１`);
  });

  it("is never whole afterwards, and everything else is as it was", () => {
    const disguises = [
      wide,
      (letters: string) => letters.replaceAll("a", "&#97;"),
      (letters: string) => letters.replaceAll("b", "b\u200b"),
    ];
    const tag = fc
      .array(fc.constantFrom("a", "b"), { minLength: 2, maxLength: 6 })
      .map((all) => all.join(""));
    const piece = fc.record({
      length: fc.integer({ min: 1, max: 6 }),
      disguise: fc.constantFrom(...disguises),
    });
    const seen = (shown: string): string =>
      shown.replaceAll("&#97;", "a").replaceAll("\u200b", "").normalize("NFKC");
    fc.assert(
      fc.property(tag, fc.array(piece, { maxLength: 6 }), (mark, pieces) => {
        const foreign = pieces.map(({ length, disguise }) => disguise(mark.slice(0, length))).join("");
        const shown = broken(foreign, mark);
        expect(seen(shown)).not.toContain(mark);
        expect(shown.replaceAll("·", "")).toBe(foreign);
        if (!seen(foreign).includes(mark)) expect(shown).toBe(foreign);
      }),
      { seed: 7, numRuns: 400 },
    );
  });
});

describe("the tag in several parts of a message", () => {
  it("is broken where it begins in one text and ends in another, with an image between them", () => {
    const parts = [image, textPart("a k3f9"), textPart(""), image, textPart("x2m7q1 b"), textPart("c")];
    expect(breakTagInParts(parts, framing)).toEqual([
      image,
      textPart("a k3f9"),
      textPart(""),
      image,
      textPart("x·2m7q1 b"),
      textPart("c"),
    ]);
  });

  it("is broken where an encoded character begins in one text and ends in another", () => {
    const parts = [textPart("k3f9&#1"), textPart("20;2m7q1 b")];
    expect(breakTagInParts(parts, framing)).toEqual([textPart("k3f9&#1"), textPart("20;·2m7q1 b")]);
  });

  it("is replaced in the text where its only character begins", () => {
    const parts = [textPart("a &#x"), textPart("fb01;ne day")];
    expect(breakTagInParts(parts, { tag: "fi", frames: "quoted" })).toEqual([
      textPart("a ·"),
      textPart("ne day"),
    ]);
  });

  it("is broken in each text alone in a session from before foreign text was quoted", () => {
    const parts = [textPart("k3f9x"), textPart("2m7q1"), textPart(`${TAG} ${wide(TAG)}`)];
    expect(breakTagInParts(parts, { tag: TAG })).toEqual([
      textPart("k3f9x"),
      textPart("2m7q1"),
      textPart(`k3f9x·2m7q1 ${wide(TAG)}`),
    ]);
  });

  it("is broken everywhere in a reply but in signed thinking", () => {
    const parts: readonly ReplyPart[] = [
      { type: "thinking", text: TAG, signature: "s" },
      { type: "thinking", text: TAG },
      textPart(TAG),
      { type: "tool-call", call: "a", name: TAG, input: { [TAG]: [TAG, 1, null, true] } },
      { type: "tool-call", call: "b", name: "read", input: {}, malformed: `{"${TAG}` },
    ];
    expect(breakTagInReply(parts, framing)).toStrictEqual([
      { type: "thinking", text: TAG, signature: "s" },
      { type: "thinking", text: "k3f9x·2m7q1" },
      textPart("k3f9x·2m7q1"),
      {
        type: "tool-call",
        call: "a",
        name: "k3f9x·2m7q1",
        input: { k3f9x·2m7q1: ["k3f9x·2m7q1", 1, null, true] },
      },
      { type: "tool-call", call: "b", name: "read", input: {}, malformed: '{"k3f9x·2m7q1' },
    ]);
  });

  it("is left in all thinking in a session from before foreign text was quoted", () => {
    const parts: readonly ReplyPart[] = [{ type: "thinking", text: TAG }];
    expect(breakTagInReply(parts, { tag: TAG })).toEqual(parts);
  });

  it("is broken in JSON on every level", () => {
    expect(breakTagInJson([{ a: { [TAG]: TAG } }, [TAG], 1, null], framing)).toEqual([
      { a: { k3f9x·2m7q1: "k3f9x·2m7q1" } },
      ["k3f9x·2m7q1"],
      1,
      null,
    ]);
  });
});
