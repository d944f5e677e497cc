import { en } from "../../../../src/strings/en.ts";
import type { Strings } from "../../../../src/strings/strings.ts";
import { terminal } from "../../../../src/strings/zh-cn/terminal.ts";
import type { Look } from "../../../../src/tui/look/look.ts";
import { glyphsFor, theme } from "../../../../src/tui/look/theme.ts";

const catalogues: Readonly<Record<"en" | "zh-CN", Strings>> = { en, "zh-CN": { ...en, terminal } };

export function lookIn(language: "en" | "zh-CN", environment: Readonly<Record<string, string>> = {}): Look {
  return {
    strings: catalogues[language],
    paint: theme({ TERM: "xterm-256color", ...environment }, "dark"),
    glyphs: glyphsFor(environment),
    now: 10_000,
  };
}

/** Removes sequences that only change colors. */
export function plain(line: string): string {
  return line.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "gu"), "");
}
