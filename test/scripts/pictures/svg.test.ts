import { describe, expect, it } from "vitest";
import { hex } from "../../../scripts/pictures/colors.mjs";
import { lineMarkup, StyleSheet } from "../../../scripts/pictures/line-markup.mjs";
import { steady } from "../../../scripts/pictures/steady.mjs";
import { picture, recording } from "../../../scripts/pictures/svg.mjs";
import type { CellStyle, PaintedRun } from "../../e2e/terminal/support/painted-lines.ts";

const run = (text: string, column = 0, style: CellStyle = {}): PaintedRun => ({
  text,
  column,
  columns: text.length,
  style,
});
const wide = (text: string, column: number): PaintedRun => ({
  ...run(text, column),
  columns: text.length * 2,
});

function drawn(...runs: readonly PaintedRun[]) {
  const sheet = new StyleSheet();
  return { markup: lineMarkup(runs, sheet), rules: String(sheet) };
}

describe("a line of a picture", () => {
  it("puts every character where its cell is, whatever font there is", () => {
    expect(drawn(run("ab", 3))).toEqual({
      markup: '<text class="s0" y="13" x="25.2" textLength="16.8" lengthAdjust="spacingAndGlyphs">ab</text>',
      rules: ".s0{fill:#d8dbe2}",
    });
  });

  it("gives adjacent wide characters a position each", () => {
    expect(drawn(wide("中", 0), wide("文", 2)).markup).toBe(
      '<text class="s0" y="13" x="8.4 25.2" text-anchor="middle">中文</text>',
    );
  });

  it("keeps a character that is made of several in one place", () => {
    expect(drawn({ ...run("👩‍👧", 1), columns: 2 }).markup).toBe(
      '<text class="s0" y="13" x="16.8" text-anchor="middle">👩‍👧</text>',
    );
  });

  it("does not draw blanks, but what is after them", () => {
    expect(drawn(run("  ", 0, { background: 4 })).markup).toBe(
      '<rect class="s0" x="0" width="16.8" height="18"/>',
    );
    expect(drawn(run("  a ", 0)).markup).toContain('x="16.8" textLength="8.4"');
  });

  it("names each look once", () => {
    const strong = { bold: "on", dim: "on", underline: "on", strike: "on", italic: "on" } as const;
    expect(drawn(run("a"), run("b", 1, strong), run("c", 2)).rules).toBe(
      ".s0{fill:#d8dbe2}.s1{fill:#d8dbe2;font-weight:700;opacity:.6;font-style:italic;text-decoration:underline line-through}",
    );
  });

  it("swaps the colors of what is inverse", () => {
    expect(drawn(run("a", 0, { inverse: "on", foreground: "#112233" })).rules).toBe(
      ".s0{fill:#112233}.s1{fill:#16181d}",
    );
  });

  it("escapes what would be markup", () => {
    expect(drawn(run("<a&b>")).markup).toContain(">&lt;a&amp;b&gt;</text>");
  });

  it("knows the colors of the palette", () => {
    expect([16, 196, 231, 232, 255, "#0a0b0c"].map(hex)).toEqual([
      "#000000",
      "#ff0000",
      "#ffffff",
      "#080808",
      "#eeeeee",
      "#0a0b0c",
    ]);
  });
});

describe("a picture", () => {
  it("is the same for the same screen, with the cursor in its cell", () => {
    const shot = { lines: [[run("a")], [], [run("b")]], cursor: { row: 2, column: 1 } };
    const svg = picture(shot, { title: 'the "one"', columns: 10 });
    expect(picture(shot, { title: 'the "one"', columns: 10 })).toBe(svg);
    expect(svg).toContain('aria-label="the &quot;one&quot;"');
    expect(svg).toContain('<g transform="translate(0 36)">');
    expect(svg).toContain('<rect class="c" x="8.4" y="36" width="8.4" height="18"/>');
  });
});

describe("what differs from run to run", () => {
  it("is the same in every picture, and as wide", () => {
    expect(steady(run("in /tmp/worldline-terminal-a1B2c3/home/shop now"))).toEqual(run("in ~/shop now"));
    const line = "worldline -r cd4a7c7rgw, 2027-11-05 17:52:42, at 09:14, took 1.9s, separately";
    expect(steady(run(line)).text).toBe(
      "worldline -r k3f9x2m7q1, 2026-01-31 10:30:45, at 10:30, took 0.4s, separately",
    );
  });
});

describe("a recording", () => {
  const frames = [
    { lines: [[run("same")], [run("one")]], seconds: 1 },
    { lines: [[run("same")], [run("two")]], seconds: 3 },
  ];
  const svg = recording(frames, { title: "tour", columns: 10 });

  it("draws a line once that many screens show", () => {
    expect(svg.match(/>same</gu)).toEqual([">same<"]);
    expect(svg).toContain('<g class="f f1"><use href="#l0" y="0"/><use href="#l2" y="18"/></g>');
  });

  it("shows every screen for its time, and one of them at any time", () => {
    expect(svg).toContain(".f{visibility:hidden;animation:4s steps(1,end) infinite}");
    expect(svg).toContain("@keyframes f0{0%{visibility:visible}25%{visibility:hidden}}");
    expect(svg).toContain(
      "@keyframes f1{0%{visibility:hidden}25%{visibility:visible}100%{visibility:visible}}",
    );
  });

  it("stops at its end for users who want no motion", () => {
    expect(svg).toContain("@media(prefers-reduced-motion:reduce){.f{animation:none}.f1{visibility:visible}}");
  });
});
