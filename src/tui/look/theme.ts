import {
  brush,
  type Colour,
  type ColourDepth,
  colour,
  colourDepth,
  foreground,
  together,
} from "./colours.ts";
import type { Brush, Paint } from "./look.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Background = "light" | "dark";

interface Palette {
  readonly accent: Colour;
  readonly good: Colour;
  readonly bad: Colour;
  readonly warning: Colour;
  readonly quiet: Colour;
  readonly said: Colour;
  readonly keyword: Colour;
  readonly string: Colour;
  readonly number: Colour;
  readonly name: Colour;
}

const palettes: Readonly<Record<Background, Palette>> = {
  dark: {
    accent: colour("#5fb3d4", 36),
    good: colour("#7fbf7f", 32),
    bad: colour("#e07a75", 31),
    warning: colour("#d9b25f", 33),
    quiet: colour("#8a8f98", 90),
    said: colour("#c9d4e0", 37),
    keyword: colour("#b392d8", 35),
    string: colour("#9fc089", 32),
    number: colour("#d9a05f", 33),
    name: colour("#7cb0e8", 34),
  },
  light: {
    accent: colour("#0b6a8f", 34),
    good: colour("#2a7a2a", 32),
    bad: colour("#b3261e", 31),
    warning: colour("#8a5a00", 33),
    quiet: colour("#6b7078", 90),
    said: colour("#2b3440", 30),
    keyword: colour("#7a3ea8", 35),
    string: colour("#3b6e22", 32),
    number: colour("#9a5200", 33),
    name: colour("#1f5fae", 34),
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
 * What the terminal can show, on the ground that it has. `background`: what the terminal answered when it was asked. Without
 * colours only attributes are used, and signs tell the rest.
 */
export function theme(environment: Environment, wanted: "auto" | Background, background?: Background): Paint {
  const depth = colourDepth(environment);
  const ground = wanted === "auto" ? (background ?? groundOf(environment)) : wanted;
  return depth === "none" ? withoutColours : withColours(palettes[ground], depth);
}

/** Some terminals say which of their colours they write with, and on which: `15;0`. */
function groundOf({ COLORFGBG: told = "" }: Environment): Background {
  const ground = Number.parseInt(told.split(";").at(-1) ?? "", 10);
  return ground === 7 || (ground >= 9 && ground <= 15) ? "light" : "dark";
}

const withoutColours: Paint = {
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

function withColours(palette: Palette, depth: ColourDepth): Paint {
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
