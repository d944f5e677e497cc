import { createInterface } from "node:readline/promises";
import type { Frame } from "./command/frame.ts";
import { printable } from "./output/printable.ts";

/** Whether somebody is there to be asked. Not with `--json`, which promises a single document. */
export function canAsk({ output, surroundings }: Frame): boolean {
  return output.mode === "text" && surroundings.stdin.isTTY === true && surroundings.stderr.isTTY === true;
}

/** Reads one line; undefined when the input ends, or the person stops it, before there is one. */
export async function ask(question: string, { surroundings }: Frame): Promise<string | undefined> {
  const { stdin, stderr, cancelled } = surroundings;
  // Not in raw mode: there Ctrl-C would be a key like any other and never reach the signal's handler.
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = () => lines.close();
  cancelled.addEventListener("abort", stop);
  try {
    stderr.write(printable(question), () => undefined);
    for await (const line of lines) return line;
    return undefined;
  } finally {
    cancelled.removeEventListener("abort", stop);
    lines.close();
  }
}
