import { describe, expect, it } from "vitest";
import { colorDepth, glyphsFor, theme } from "../../../src/tui/look/theme.ts";

const ESC = "\u001b[";

describe("the number of colors", () => {
  it.each([
    ["none on a dumb terminal", { TERM: "dumb", COLORTERM: "truecolor" }, "none"],
    ["none where the person wants none", { TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
    ["not changed by an empty NO_COLOR", { TERM: "xterm-256color", NO_COLOR: "" }, "256"],
    ["sixteen on a plain terminal", { TERM: "xterm" }, "16"],
    ["256 where TERM says so", { TERM: "screen-256color" }, "256"],
    ["all of them where COLORTERM says so", { TERM: "xterm", COLORTERM: "truecolor" }, "true"],
    [
      "what FORCE_COLOR says, even against NO_COLOR",
      { TERM: "dumb", FORCE_COLOR: "3", NO_COLOR: "1" },
      "true",
    ],
    ["at least sixteen where they are forced", { TERM: "dumb", FORCE_COLOR: "1" }, "16"],
    ["none where FORCE_COLOR is 0", { TERM: "xterm-256color", FORCE_COLOR: "0" }, "none"],
  ])("is %s", (_, environment, depth) => {
    expect(colorDepth(environment)).toBe(depth);
  });
});

describe("a theme", () => {
  it("paints with attributes alone if there are no colors", () => {
    const paint = theme({ NO_COLOR: "1" }, "auto");
    expect([
      paint.dim("a"),
      paint.bad("a"),
      paint.added("a"),
      paint.chosen("a"),
      paint.token("keyword")("a"),
    ]).toEqual([`${ESC}2ma${ESC}22m`, `${ESC}1ma${ESC}22m`, "a", `${ESC}7ma${ESC}27m`, "a"]);
  });

  it("uses the terminal's own sixteen where it has no more", () => {
    expect(theme({ TERM: "xterm" }, "dark").bad("a")).toBe(`${ESC}31ma${ESC}39m`);
  });

  it("is as close as 256 colors allow", () => {
    expect(theme({ TERM: "xterm-256color" }, "dark").accent("a")).toBe(`${ESC}38;5;74ma${ESC}39m`);
  });

  it("differs between light and dark", () => {
    const environment = { COLORTERM: "truecolor" };
    const light = theme(environment, "light").accent("a");
    expect(light).not.toBe(theme(environment, "dark").accent("a"));
    expect([
      theme(environment, "auto", "light").accent("a"),
      theme({ ...environment, COLORFGBG: "0;15" }, "auto").accent("a"),
    ]).toEqual([light, light]);
  });

  it("is dark by default", () => {
    const environment = { TERM: "xterm" };
    expect(theme(environment, "auto").accent("a")).toBe(theme(environment, "dark").accent("a"));
  });

  it("knows the parts of code by the first word of their names", () => {
    const paint = theme({ TERM: "xterm" }, "dark");
    expect(paint.token("title.function")("a")).toBe(paint.token("title")("a"));
  });
});

describe("glyphs", () => {
  it.each([
    ["signs of Unicode without a locale", {}, "●"],
    ["signs of Unicode in UTF-8", { LANG: "zh_CN.UTF-8" }, "●"],
    ["ASCII elsewhere", { LANG: "de_DE.ISO-8859-1" }, "*"],
    ["what the strongest variable says", { LC_ALL: "C", LANG: "en_US.utf8" }, "*"],
  ])("are %s", (_, environment, bullet) => {
    expect(glyphsFor(environment).bullet).toBe(bullet);
  });
});
