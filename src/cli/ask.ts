import { createInterface } from "node:readline/promises";
import type { Frame } from "./command/frame.ts";
import { printable } from "./output/printable.ts";

/** Whether somebody is there to be asked. Not with `--json`, which promises a single document. */
export function canAsk({ output, surroundings }: Frame): boolean {
  return output.mode === "text" && surroundings.stdin.isTTY === true && surroundings.stderr.isTTY === true;
}

/** Reads one line; undefined when the input ends, or the person stops it, before there is one. */
export async function ask(question: string, frame: Frame): Promise<string | undefined> {
  for await (const line of askAgain(question, frame)) return line;
  return undefined;
}

/** Asks the same until the caller has heard enough, the input ends or the person stops it. */
export async function* askAgain(question: string, { surroundings }: Frame): AsyncGenerator<string> {
  const { stdin, stderr, cancelled } = surroundings;
  // Not in raw mode: there Ctrl-C would be a key like any other and never reach the signal's handler.
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = () => lines.close();
  cancelled.addEventListener("abort", stop);
  try {
    const say = () => stderr.write(printable(question), () => undefined);
    say();
    for await (const line of lines) {
      yield line;
      say();
    }
  } finally {
    cancelled.removeEventListener("abort", stop);
    lines.close();
  }
}
