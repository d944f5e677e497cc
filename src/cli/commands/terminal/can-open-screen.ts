import type { Frame } from "../../command/frame.ts";

/** Whether there is a terminal that a screen can be drawn on, and whose keys can be read; and no document is wanted. */
export function canOpenScreen({ output, surroundings }: Pick<Frame, "output" | "surroundings">): boolean {
  const { stdin, stdout, environment } = surroundings;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && environment["TERM"] !== "dumb";
  return isTerminal && output.mode === "text";
}
