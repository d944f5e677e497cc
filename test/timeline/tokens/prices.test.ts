import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";

/**
 * Checks the estimates for texts that are repeated a hundred times, so that a hundredth of a token counts. Users
 * compare the estimates of a session over months, so a price must not change by accident.
 */
function expectPrices(hundreds: Readonly<Record<string, number>>): void {
  const texts = Object.keys(hundreds);
  const estimates = texts.map((text) => [text, estimateTokens(text.repeat(100))]);
  expect(Object.fromEntries(estimates)).toEqual(hundreds);
}

describe("the price of a word", () => {
  it("includes the space before it, and grows with the letters of a long word", () => {
    expectPrices({
      " a": 100,
      " cat": 100,
      " word": 100,
      " transportation": 170,
      " internationalization": 284,
    });
  });

  it("is higher for a long name that begins with a capital, but not for the next words of the name", () => {
    expectPrices({ " Cat": 100, " Transportation": 230, "HTTPServer ": 160, "CurrentConversation ": 262 });
    expectPrices({ "getElementById ": 412, "éCafeteria ": 220 });
  });

  it("is highest for a word in capitals, letter by letter", () => {
    expectPrices({ " A": 100, " SQL": 134, " DATABASE": 219, " XMLHTTPREQUEST": 321 });
  });

  it("grows from the third letter if a number follows", () => {
    expectPrices({ " h1": 200, " is1": 200, " utf8": 218, " version2": 290, " CONFIG9": 272 });
  });

  it("grows from the third letter after a digit, as in hashes and Base64", () => {
    expectPrices({ " 3f": 300, " 3fjkd": 390, " 9f86d081884c7d65": 1100, " 9F86D081884C7D65": 1100 });
    expectPrices({ " 7dQw4w9WgXcQ": 1000, " 1Abcdef": 480, " 1ABCDEF": 480 });
  });

  it("is that of a plain word again 17 letters after a digit", () => {
    expectPrices({ " 1abcdefghijklmnopQRSTUVWX": 1300, " 1abcdefghijklmnopqRSTUVWX": 1177 });
  });

  it("is that of a plain word if a space or a mark separates it from a digit", () => {
    expectPrices({ " 1 word": 300, " 1-word": 322 });
  });

  it("depends on the mark before a long word, because vocabularies know only some marks with a word", () => {
    expectPrices({ ".transportation": 235, "(transportation": 235, _transportation: 235 });
    expectPrices({ "'transportation": 235, "\\transportation": 235 });
    expectPrices({ "-transportation": 342, "/transportation": 342, "@transportation": 342 });
    expectPrices({ ":transportation": 342, "[transportation": 342 });
    expectPrices({ ",transportation": 212, "=transportation": 212, "<transportation": 212 });
    expectPrices({ "%transportation": 212, "#transportation": 250, "{transportation": 250 });
  });
});

describe("the price of marks", () => {
  it("is low if a word follows that vocabularies contain with the mark", () => {
    expectPrices({ ".id": 105, "-id": 122, "=id": 122, "#id": 180, ".Id": 105, ".ID": 122 });
  });

  it("is a full token after a space, after Han, and before anything but a word", () => {
    expectPrices({ " .id": 200, "中.id": 312, "，.id": 260, " 1.5": 400, "a- ": 200 });
  });

  it("includes the line break after them, but not a blank line", () => {
    expectPrices({ ".\n": 85, "word.\n": 185, ";\r\n": 85, "；\n": 60, ");\n": 100, " );\n": 100 });
    expectPrices({ ";\n\n": 170, ";\r\n\r\n": 170, ";\r": 85, ";\r\r": 85, "；\n\n": 145 });
  });

  it("hardly grows if a mark is repeated, but grows with each change after the second", () => {
    expectPrices({ "----- ": 117, "-> ": 100, " });": 130, '"},{" ': 226, '=""}]': 196, "?.[0] ": 330 });
    expect(estimateTokens("=".repeat(240))).toBe(11);
  });

  it("is the same at the end of a text", () => {
    expect([");", "});", '"});'].map(estimateTokens)).toEqual([1, 1, 2]);
  });
});

describe("the price of whitespace", () => {
  it("is nothing before a word, and a token if there are several spaces", () => {
    expectPrices({ "\tx": 100, " x": 100, "  x": 200, "        x": 200 });
    expect(estimateTokens(" ".repeat(800))).toBe(10);
  });

  it("is a token before a number, in addition to the indentation", () => {
    expectPrices({ " 7": 200, "  7": 300 });
  });

  it("is little before most Han characters and kana, but nothing before Hangul", () => {
    expectPrices({ " 中文": 184, " カナ": 172, " 한국": 140 });
  });

  it("is nothing at the end of a line", () => {
    expectPrices({ "x\n": 200, "x \n": 200, "x   \n": 200 });
  });

  it("is a token for line breaks after a word, and another for every twelve", () => {
    expectPrices({ "x\n\n": 200, "x\r\n": 200, [`x${"\n".repeat(12)}`]: 300, [`;${"\n".repeat(24)}`]: 370 });
  });
});

describe("the price of other characters", () => {
  it("is a token for every three digits", () => {
    expectPrices({ " 7": 200, " 1234567": 400, " 2026-11-19": 700 });
  });

  it("grows by the character for Han, and a single one costs more", () => {
    expectPrices({ "中 ": 132, "上下 ": 184, "上下文 ": 266 });
  });

  it("is less for full-width punctuation", () => {
    expectPrices({ "你好，": 224, "，": 60, "！？": 120 });
  });

  it("grows by the character for kana, Hangul, and alphabets that are not Latin", () => {
    expectPrices({
      "コン ": 172,
      "コンピュータ ": 436,
      "컴퓨터 ": 200,
      "Привет ": 230,
      "สวัสดี ": 230,
      "δ ": 80,
    });
  });

  it("counts both halves of an emoji", () => {
    expectPrices({ "🎯 ": 240, "🎯🎯🎯 ": 720 });
  });

  it("is a token for each symbol that differs from the one before it", () => {
    expectPrices({ "→ ": 100, "→→→→ ": 125, "→←→ ": 300, "“x” ": 300, [`${"─".repeat(13)} `]: 200 });
  });
});

describe("the price of a passage", () => {
  it.each([
    ["a sentence", "The quick brown fox jumps over the lazy dog, twice.", 12],
    ["code", "export const total = items.reduce((sum, { price }) => sum + price, 0);\n", 21],
    ["JSON", '{"id":42,"name":"worldline","tags":["time","travel"],"ok":true}', 22],
    ["a log line", "2026-11-19T22:26:59.123Z INFO  [db] connected to 10.0.0.7:5432 in 35ms\r\n", 39],
    ["a path", "/home/user/projects/worldline/src/timeline/token-estimate.ts", 14],
    ["Chinese", "请在回到检查点之前，总结一下你学到的内容。", 17],
    ["Japanese", "チェックポイントに戻る前に、要約してください。", 17],
    ["Korean", "체크포인트로 돌아가기 전에 요약하세요.", 12],
    ["Russian", "Прежде чем вернуться, подведи итог.", 13],
    ["Markdown", "## Plan\n\n- [ ] fix the **leak** in `pool.ts`\n", 16],
  ])("is the same as always for %s", (_what, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
