import type { Frame } from "../../command/frame.ts";

/** Whether there is a terminal that a screen can be drawn on, and whose keys can be read; and no document is wanted. */
export function canOpenScreen({ output, surroundings }: Pick<Frame, "output" | "surroundings">): boolean {
  return isTerminal(surroundings) && !isDumb(surroundings) && output.mode === "text";
}

/** Whether it is a terminal, but says of itself that nothing can be drawn on it. */
export function isDumb(surroundings: Frame["surroundings"]): boolean {
  return isTerminal(surroundings) && surroundings.environment["TERM"] === "dumb";
}

function isTerminal({ stdin, stdout }: Frame["surroundings"]): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
