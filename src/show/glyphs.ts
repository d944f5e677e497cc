import type { Environment } from "../app/places/home.ts";

/** What lines are drawn with. */
export interface Glyphs {
  /** An entry on the branch of the head, and one on a branch that was left. */
  readonly here: string;
  readonly left: string;
  readonly rail: string;
  readonly fork: string;
  readonly head: string;
  readonly arrow: string;
  readonly ellipsis: string;
  readonly dash: string;
  readonly yes: string;
  readonly no: string;
}

const unicode: Glyphs = {
  here: "●",
  left: "○",
  rail: "│ ",
  fork: "├─",
  head: "◀",
  arrow: "→",
  ellipsis: "…",
  dash: "─",
  yes: "✔",
  no: "✘",
};

const ascii: Glyphs = {
  here: "*",
  left: "o",
  rail: "| ",
  fork: "|-",
  head: "<",
  arrow: "->",
  ellipsis: "...",
  dash: "-",
  yes: "+",
  no: "!",
};

/** Box characters, unless the locale says that the terminal reads something else than UTF-8. */
export function glyphsFor(environment: Environment): Glyphs {
  const names = ["LC_ALL", "LC_CTYPE", "LANG"] as const;
  const locale = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  // Containers and services often name no locale at all, which says nothing about who reads the output.
  return locale === undefined || /utf-?8/iu.test(locale) ? unicode : ascii;
}
