import { on } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { printable } from "../record/printable.ts";
import type { Frame } from "./command/frame.ts";

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
  const say = () => stderr.write(printable(question), () => undefined);
  say();
  for await (const line of linesOf(stdin, cancelled)) {
    yield line;
    say();
  }
}

/** Lines that were typed ahead: whoever is asked two things may answer both at once. */
const typedAhead = new WeakMap<Readable, string[]>();

async function* linesOf(stdin: Readable, cancelled: AbortSignal): AsyncGenerator<string> {
  const ahead = typedAhead.get(stdin) ?? [];
  typedAhead.set(stdin, ahead);
  for (let line = ahead.shift(); line !== undefined; line = ahead.shift()) yield line;
  if (stdin.readableEnded || cancelled.aborted) return;
  // Not in raw mode: there Ctrl-C would be a key like any other and never reach the signal's handler.
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = () => lines.close();
  cancelled.addEventListener("abort", stop);
  lines.on("line", (line) => ahead.push(line));
  try {
    for await (const _line of on(lines, "line", { close: ["close"] })) {
      const next = ahead.shift();
      if (next !== undefined) yield next;
    }
  } finally {
    cancelled.removeEventListener("abort", stop);
    lines.close();
  }
}
