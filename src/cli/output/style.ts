import type { Environment } from "../places/home.ts";
import { printable } from "./printable.ts";

/** Text as it should look; without colours, the text itself. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const ESCAPE = "\u001b";
const codes = {
  bold: ["[1m", "[22m"],
  dim: ["[2m", "[22m"],
  red: ["[31m", "[39m"],
  yellow: ["[33m", "[39m"],
} as const;
const ours = Object.values(codes).flat();

/** No escape sequences unless a person looks: https://no-color.org, and a terminal that knows them. */
export function styleFor(stream: { readonly isTTY?: boolean }, environment: Environment): Style {
  const noColor = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  const paint = ([on, off]: readonly [string, string]) =>
    stream.isTTY === true && !noColor
      ? (text: string) => `${ESCAPE}${on}${text}${ESCAPE}${off}`
      : (text: string) => text;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    yellow: paint(codes.yellow),
  };
}

/**
 * The last guard before a terminal: whatever a command forgot to make printable is made so here, and
 * only our own few colours pass.
 */
export function guarded(text: string): string {
  const [first = "", ...rest] = text.split(ESCAPE);
  return printable(first) + rest.map(guardedSequence).join("");
}

function guardedSequence(afterEscape: string): string {
  const code = ours.find((each) => afterEscape.startsWith(each));
  if (code === undefined) return printable(ESCAPE + afterEscape);
  return ESCAPE + code + printable(afterEscape.slice(code.length));
}
