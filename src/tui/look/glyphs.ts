import type { Glyphs } from "./look.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const unicode: Glyphs = {
  prompt: "›",
  bullet: "●",
  done: "✓",
  failed: "✗",
  open: "○",
  doing: "◐",
  folded: "▸",
  unfolded: "▾",
  chosen: "❯",
  back: "↶",
  ellipsis: "…",
  horizontal: "─",
  vertical: "│",
  corners: ["╭", "╮", "╰", "╯"],
  tee: "├",
  elbow: "└",
  full: "█",
  empty: "░",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ascii: Glyphs = {
  prompt: ">",
  bullet: "*",
  done: "+",
  failed: "x",
  open: "o",
  doing: "~",
  folded: ">",
  unfolded: "v",
  chosen: ">",
  back: "<",
  ellipsis: "...",
  horizontal: "-",
  vertical: "|",
  corners: ["+", "+", "+", "+"],
  tee: "|",
  elbow: "`",
  full: "#",
  empty: ".",
  spinner: ["|", "/", "-", "\\"],
};

/** Box characters, unless the locale says that the terminal reads something else than UTF-8. */
export function glyphsFor(environment: Environment): Glyphs {
  const names = ["LC_ALL", "LC_CTYPE", "LANG"] as const;
  const locale = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  // Containers and remote shells often name no locale at all, which says nothing about the terminal.
  return locale === undefined || /utf-?8/iu.test(locale) ? unicode : ascii;
}
