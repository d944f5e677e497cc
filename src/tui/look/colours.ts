import type { Brush } from "./look.ts";

/** How many colours the terminal can show. */
export type ColourDepth = "none" | "16" | "256" | "true";

type Environment = Readonly<Record<string, string | undefined>>;

/** A colour, and what comes nearest to it where there are only 16: the code of a foreground, such as 36. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly basic: number;
}

export function colour(hex: string, basic: number): Colour {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  return { red: part(1), green: part(3), blue: part(5), basic };
}

const FORCED: Readonly<Record<string, ColourDepth>> = { "0": "none", false: "none", "2": "256", "3": "true" };

/** What was asked for comes first: FORCE_COLOR, then NO_COLOR; else what the terminal says of itself. */
export function colourDepth(environment: Environment): ColourDepth {
  const { FORCE_COLOR: forced, NO_COLOR: without, COLORTERM: many = "", TERM: terminal = "" } = environment;
  if (forced !== undefined)
    return FORCED[forced] ?? (known(many, terminal) === "none" ? "16" : known(many, terminal));
  if (without !== undefined && without !== "") return "none";
  return known(many, terminal);
}

function known(many: string, terminal: string): ColourDepth {
  if (terminal === "dumb") return "none";
  if (/truecolor|24bit/iu.test(many) || /-direct$/u.test(terminal)) return "true";
  return /256/u.test(terminal) ? "256" : "16";
}

export function foreground({ red, green, blue, basic }: Colour, depth: ColourDepth): Brush {
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

/** Ends what it begins and nothing else, so that one can stand inside another. */
export function brush(on: string, off: string): Brush {
  const begin = `\u001b[${on}m`;
  const end = `\u001b[${off}m`;
  return (text) => (text === "" ? "" : begin + text + end);
}

/** One after the other, the last one outermost. */
export function together(...brushes: readonly Brush[]): Brush {
  return (text) => brushes.reduce((painted, paint) => paint(painted), text);
}

/** The cube of six by six by six that 256 colours hold, or its ramp of greys. */
function nearest({ red, green, blue }: Omit<Colour, "basic">): number {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 12) {
    return 232 + Math.min(23, Math.max(0, Math.round((red - 8) / 10)));
  }
  const step = (value: number): number => (value < 48 ? 0 : value < 115 ? 1 : Math.round((value - 55) / 40));
  return 16 + 36 * step(red) + 6 * step(green) + step(blue);
}
