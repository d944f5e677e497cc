import type { Settings } from "../../app/settings/table.ts";
import type { Language } from "../../strings/language.ts";
import { type Strings, stringsFor } from "../../strings/strings.ts";
import type { Brush, Glyphs, Look, Paint } from "./look.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Background = "light" | "dark";

interface Palette {
  readonly accent: Color;
  readonly good: Color;
  readonly bad: Color;
  readonly warning: Color;
  readonly quiet: Color;
  readonly said: Color;
  readonly keyword: Color;
  readonly string: Color;
  readonly number: Color;
  readonly name: Color;
}

const palettes: Readonly<Record<Background, Palette>> = {
  dark: {
    accent: color("#5fb3d4", 36),
    good: color("#7fbf7f", 32),
    bad: color("#e07a75", 31),
    warning: color("#d9b25f", 33),
    quiet: color("#8a8f98", 90),
    said: color("#c9d4e0", 37),
    keyword: color("#b392d8", 35),
    string: color("#9fc089", 32),
    number: color("#d9a05f", 33),
    name: color("#7cb0e8", 34),
  },
  light: {
    accent: color("#0b6a8f", 34),
    good: color("#2a7a2a", 32),
    bad: color("#b3261e", 31),
    warning: color("#8a5a00", 33),
    quiet: color("#6b7078", 90),
    said: color("#2b3440", 30),
    keyword: color("#7a3ea8", 35),
    string: color("#3b6e22", 32),
    number: color("#9a5200", 33),
    name: color("#1f5fae", 34),
  },
};

const bold = brush("1", "22");
const faint = brush("2", "22");
const italic = brush("3", "23");
const underline = brush("4", "24");
const inverse = brush("7", "27");
const strike = brush("9", "29");
const plain: Brush = (text) => text;

/**
 * Returns brushes with the colors that the terminal can show, suited to its background. `background` is the background
 * that the terminal reported. Without colors, the brushes use only attributes, and symbols carry the meaning.
 */
export function theme(environment: Environment, wanted: "auto" | Background, background?: Background): Paint {
  const depth = colorDepth(environment);
  const actual = wanted === "auto" ? (background ?? backgroundIn(environment)) : wanted;
  return depth === "none" ? withoutColors : withColors(palettes[actual], depth);
}

/**
 * Determines the background from a variable in which some terminals report their text and background colors, such as
 * `15;0`.
 */
function backgroundIn({ COLORFGBG: value = "" }: Environment): Background {
  const background = Number.parseInt(value.split(";").at(-1) ?? "", 10);
  return background === 7 || (background >= 9 && background <= 15) ? "light" : "dark";
}

const withoutColors: Paint = {
  accent: bold,
  strong: bold,
  dim: faint,
  good: plain,
  bad: bold,
  warning: bold,
  added: plain,
  removed: plain,
  heading: bold,
  code: plain,
  link: underline,
  quote: italic,
  italic,
  underline,
  strike,
  chosen: inverse,
  said: bold,
  border: faint,
  token: () => plain,
};

function withColors(palette: Palette, depth: ColorDepth): Paint {
  const of = (name: keyof Palette): Brush => foreground(palette[name], depth);
  const tokens = tokenBrushes(of);
  return {
    accent: of("accent"),
    strong: bold,
    dim: of("quiet"),
    good: of("good"),
    bad: of("bad"),
    warning: of("warning"),
    added: of("good"),
    removed: of("bad"),
    heading: together(bold, of("accent")),
    code: of("number"),
    link: of("name"),
    quote: of("quiet"),
    italic,
    underline,
    strike,
    chosen: inverse,
    said: together(bold, of("said")),
    border: of("quiet"),
    token: (scope) => tokens.get(scope.split(/[.\s]/u)[0] ?? "") ?? plain,
  };
}

const SCOPES: readonly (readonly [name: keyof Palette, ...scopes: string[]])[] = [
  ["keyword", "keyword", "built_in", "type", "literal", "selector-tag", "doctag", "meta"],
  ["string", "string", "regexp", "char", "addition", "template-variable", "link", "code"],
  ["number", "number", "symbol", "bullet", "variable", "params"],
  [
    "name",
    "title",
    "name",
    "attr",
    "attribute",
    "property",
    "section",
    "selector-class",
    "selector-id",
    "function",
    "class",
  ],
  ["quiet", "comment", "quote"],
  ["bad", "deletion"],
];

function tokenBrushes(of: (name: keyof Palette) => Brush): ReadonlyMap<string, Brush> {
  return new Map(SCOPES.flatMap(([name, ...scopes]) => scopes.map((scope) => [scope, of(name)] as const)));
}

/** How many colors the terminal can show. */
type ColorDepth = "none" | "16" | "256" | "true";

/** A color, and the nearest of the 16 basic colors as a foreground code, such as 36. */
interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly basic: number;
}

function color(hex: string, basic: number): Color {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  return { red: part(1), green: part(3), blue: part(5), basic };
}

const FORCED: Readonly<Record<string, ColorDepth>> = { "0": "none", false: "none", "2": "256", "3": "true" };

/**
 * Returns how many colors to use. The user's variables take precedence: first FORCE_COLOR, then NO_COLOR. Otherwise,
 * the terminal's own variables decide.
 */
export function colorDepth(environment: Environment): ColorDepth {
  const { FORCE_COLOR: forced, NO_COLOR: without, COLORTERM: many = "", TERM: terminal = "" } = environment;
  if (forced !== undefined)
    return FORCED[forced] ?? (known(many, terminal) === "none" ? "16" : known(many, terminal));
  if (without !== undefined && without !== "") return "none";
  return known(many, terminal);
}

function known(many: string, terminal: string): ColorDepth {
  if (terminal === "dumb") return "none";
  if (/truecolor|24bit/iu.test(many) || /-direct$/u.test(terminal)) return "true";
  return /256/u.test(terminal) ? "256" : "16";
}

function foreground({ red, green, blue, basic }: Color, depth: ColorDepth): Brush {
  switch (depth) {
    case "none":
      return (text) => text;
    case "16":
      return brush(String(basic), "39");
    case "256":
      return brush(`38;5;${nearest({ red, green, blue })}`, "39");
    case "true":
      return brush(`38;2;${red};${green};${blue}`, "39");
    default:
      return depth satisfies never;
  }
}

/** Creates a brush. The brush resets only the attributes that it sets, so that brushes can be nested. */
function brush(on: string, off: string): Brush {
  const begin = `\u001b[${on}m`;
  const end = `\u001b[${off}m`;
  return (text) => (text === "" ? "" : begin + text + end);
}

/** Combines brushes by applying them one after another. The last brush is the outermost one. */
function together(...brushes: readonly Brush[]): Brush {
  return (text) => brushes.reduce((painted, paint) => paint(painted), text);
}

/** Returns the nearest of the 256 colors, from the 6×6×6 color cube or the grayscale ramp. */
function nearest({ red, green, blue }: Omit<Color, "basic">): number {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 12) {
    return 232 + Math.min(23, Math.max(0, Math.round((red - 8) / 10)));
  }
  const step = (value: number): number => (value < 48 ? 0 : value < 115 ? 1 : Math.round((value - 55) / 40));
  return 16 + 36 * step(red) + 6 * step(green) + step(blue);
}

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

/** Returns Unicode symbols, unless the locale says that the terminal does not use UTF-8. */
export function glyphsFor(environment: Environment): Glyphs {
  const names = ["LC_ALL", "LC_CTYPE", "LANG"] as const;
  const locale = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  // In containers and remote shells, the locale is often not set, which proves nothing about the terminal.
  return locale === undefined || /utf-?8/iu.test(locale) ? unicode : ascii;
}

/** Provides the current look, which depends on the settings, the terminal's background and the language. */
export class Appearance {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #glyphs: Glyphs;
  readonly #now: () => number;
  #strings: Strings;
  #paint: Paint;
  #wanted: Settings["ui.theme"] = "auto";
  #background: "light" | "dark" | undefined;

  constructor(parts: {
    readonly environment: NodeJS.ProcessEnv;
    readonly strings: Strings;
    readonly now: () => number;
  }) {
    this.#environment = parts.environment;
    this.#strings = parts.strings;
    this.#now = parts.now;
    this.#glyphs = glyphsFor(parts.environment);
    this.#paint = theme(parts.environment, this.#wanted, undefined);
  }

  get strings(): Strings {
    return this.#strings;
  }

  get look(): Look {
    return { strings: this.#strings, paint: this.#paint, glyphs: this.#glyphs, now: this.#now() };
  }

  setTheme(wanted: Settings["ui.theme"]): void {
    if (wanted !== this.#wanted) this.#repaint(wanted, this.#background);
  }

  setBackground(background: "light" | "dark"): void {
    if (background !== this.#background) this.#repaint(this.#wanted, background);
  }

  async setLanguage(language: Language): Promise<void> {
    this.#strings = await stringsFor(language);
  }

  #repaint(wanted: Settings["ui.theme"], background: "light" | "dark" | undefined): void {
    this.#wanted = wanted;
    this.#background = background;
    this.#paint = theme(this.#environment, wanted, background);
  }
}
