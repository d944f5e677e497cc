import { describe, expect, it } from "vitest";
import { TextForms } from "../../../src/machine/forget/text-forms.ts";

describe("a text that is taken out", () => {
  it("is looked for again if removing it joins the rest into the text again", () => {
    const { erased } = new TextForms("foo[").eraseFrom("foofoo[ bar");
    expect(erased).not.toContain("foo[");
    expect(erased.endsWith(" bar")).toBe(true);
  });

  it("is counted as often as it occurs", () => {
    expect(new TextForms("key!").eraseFrom("key!key! key")).toEqual({
      erased: "[forgotten][forgotten] key",
      times: 2,
    });
  });

  it("is known by its beginning where a text was cut", () => {
    const forms = new TextForms("sk-live-1");
    expect(forms.beginningAtEnd("my sk-liv")).toBe(6);
    expect(forms.beginningAtEnd("my sk-")).toBe(0);
  });
});

const SECRET = "Zoë/pässword-12";
const erased = (content: string): string => new TextForms(SECRET).eraseFrom(content).erased;

describe("a text that is written in another way", () => {
  it.each([
    ["with decomposed letters", SECRET.normalize("NFD")],
    ["as JSON of a program that writes ASCII alone", "Zo\\u00eb/p\\u00e4ssword-12"],
    ["with upper-case digits", "Zo\\u00EB/p\\u00E4ssword-12"],
    ["with escaped slashes", "Zoë\\/pässword-12"],
    ["as JSON within JSON", "Zo\\\\u00eb/p\\\\u00e4ssword-12"],
    ["in an address", "Zo%C3%AB%2Fp%C3%A4ssword-12"],
    ["in hex", Buffer.from(SECRET).toString("hex")],
  ])("is taken out: %s", (_how, written) => {
    expect(erased(`<${written}>`)).toBe("<[forgotten]>");
  });

  it("is taken out of base64, wherever it begins", () => {
    for (const user of ["", "a:", "me:", "you:"]) {
      for (const spelling of ["base64", "base64url"] as const) {
        const header = Buffer.from(`${user}${SECRET}\n`).toString(spelling);
        expect(Buffer.from(erased(header), "base64").toString()).not.toContain("ssword");
        expect(erased(header)).toContain("[forgotten]");
      }
    }
  });

  it("of several lines is taken out with other line breaks, and on one line", () => {
    const forms = new TextForms("first line\nsecond line");
    for (const text of ["first line\r\nsecond line", "first line second line", "first line\\nsecond line"])
      expect(forms.eraseFrom(text)).toEqual({ erased: "[forgotten]", times: 1 });
  });

  it("is not found in other upper and lower case, nor encoded when it is short", () => {
    expect(erased(SECRET.toUpperCase())).toBe(SECRET.toUpperCase());
    expect(new TextForms("abcd").isIn("61626364 YWJjZA==")).toBe(false);
  });
});

describe("a text that was cut within the secret", () => {
  const forms = new TextForms("sk-live-0123456789");

  it.each([
    ["run sk-live-01…", "run [forgotten]…"],
    ["     1\tsk-live-01 … (truncated)", "     1\t[forgotten] … (truncated)"],
    [
      "head sk-live-\n[... 9 characters omitted ...]\n3456789 tail",
      "head [forgotten]\n[... 9 characters omitted ...]\n3456789 tail",
    ],
    [
      "head\n[... 9 characters omitted ...]\n23456789 tail",
      "head\n[... 9 characters omitted ...]\n[forgotten] tail",
    ],
  ])("loses its piece: %s", (text, left) => {
    expect(forms.eraseAtCuts(text).erased).toBe(left);
  });

  it("keeps what is too short to tell, and what has no mark next to it", () => {
    for (const text of ["sk-live…", "run sk-live-01", "…"])
      expect(forms.eraseAtCuts(text)).toEqual({ erased: text, times: 0 });
  });
});

const KEY = "-----BEGIN KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n\nQyNTUxOQAAACBkZHNk\n-----END KEY-----\n";
const laidOut = (line: (text: string, at: number) => string, lineBreak = "\n"): string =>
  KEY.trimEnd().split("\n").map(line).join(lineBreak);

describe("a text of several lines", () => {
  it.each([
    ["numbered, as Read shows it", laidOut((text, at) => `${String(at + 1).padStart(6)}\t${text}`)],
    ["indented", laidOut((text) => `    ${text}`)],
    ["in a diff", laidOut((text) => `+${text}`)],
    ["found by grep", laidOut((text, at) => `config/deploy/keys.pem-${at + 1}-${text}`)],
    ["in a program, line by line", laidOut((text) => `  "${text}\\n" +`)],
    ["as cat -A shows it", laidOut((text) => `${text}^M$`)],
    ["numbered, in JSON", laidOut((text, at) => `${at + 1}\\t${text}`, "\\n")],
    ["indented, in JSON within JSON", laidOut((text) => `  ${text}`, "\\\\n")],
  ])("is removed even with text around each line: %s", (_how, written) => {
    const forms = new TextForms(KEY);
    const { erased, times } = forms.eraseFrom(`before\n${written}\nafter`);
    expect(times).toBe(1);
    expect(erased).not.toMatch(/BEGIN|b3Bl|QyNT|END/u);
    expect(erased).toMatch(/^before\n.*\[forgotten\].*\nafter$/su);
    const bytes = Buffer.from(`ü before\n${written}\nafter`);
    expect(forms.isIn(bytes)).toBe(true);
    expect([forms.overwriteIn(bytes), forms.isIn(bytes)]).toEqual([1, false]);
    expect(bytes.toString()).toMatch(/^ü before\n.*\nafter$/u);
  });

  it("is not found if only some of its lines are there, or in another order, or apart", () => {
    const forms = new TextForms(KEY);
    const lines = KEY.trimEnd().split("\n");
    for (const other of [lines.slice(0, 2), lines.toReversed(), lines.flatMap((line) => [line, "and", "on"])])
      expect(forms.isIn(other.join("\n"))).toBe(false);
    expect(new TextForms("if (\nx)").isIn("  if (\n    x)")).toBe(false);
  });

  it("takes no longer where its lines occur again and again", () => {
    const text = `${Array.from({ length: 30 }, () => "a").join("\n")}\nthe end`;
    expect(new TextForms(text).isIn(`${"a".repeat(100)}\n`.repeat(3_000))).toBe(false);
  });
});

describe("a text in UTF-16", () => {
  it("is found, and overwritten, with either order of bytes", () => {
    const little = Buffer.from(`\ufeff<${SECRET}>`, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16()]) {
      const forms = new TextForms(SECRET);
      expect([forms.isIn(bytes), forms.overwriteIn(bytes), forms.isIn(bytes)]).toEqual([true, 1, false]);
    }
  });
});
