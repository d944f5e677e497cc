import { on } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { WorldlineError } from "../record/error.ts";
import { printable } from "../record/visible-text.ts";
import type { Frame } from "./frame.ts";

/**
 * Checks whether the user can be asked. With `--json`, the user cannot be asked, because the output must be a single
 * document.
 */
export function canAsk({ output, surroundings }: Frame): boolean {
  return output.mode === "text" && surroundings.stdin.isTTY === true && surroundings.stderr.isTTY === true;
}

/**
 * Asks a question and reads one line. Returns undefined if the input ends or the user cancels before the line is
 * complete.
 */
async function ask(question: string, frame: Frame): Promise<string | undefined> {
  for await (const line of askAgain(question, frame)) return line;
  return undefined;
}

/** Asks the same question again until the caller stops reading, the input ends or the user cancels. */
export async function* askAgain(question: string, { surroundings }: Frame): AsyncGenerator<string> {
  const { stdin, stderr, cancelled } = surroundings;
  const say = () => stderr.write(printable(question), () => undefined);
  say();
  for await (const line of linesOf(stdin, cancelled)) {
    yield line;
    say();
  }
}

/** Lines that the user has typed ahead, for example to answer two questions in a row. */
const typedAhead = new WeakMap<Readable, string[]>();

async function* linesOf(stdin: Readable, cancelled: AbortSignal): AsyncGenerator<string> {
  const ahead = typedAhead.get(stdin) ?? [];
  typedAhead.set(stdin, ahead);
  for (let line = ahead.shift(); line !== undefined; line = ahead.shift()) yield line;
  if (stdin.readableEnded || cancelled.aborted) return;
  // Raw mode would make Ctrl-C an ordinary key, which never reaches the signal handler.
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

export interface Consent {
  /** The action that needs consent, as a question, such as "Delete 3 sessions?" */
  readonly question: string;
  /** Whether `--yes` was given. */
  readonly yes: "given" | "absent";
}

/**
 * Returns if the user agrees. If the user cannot be asked, only `--yes` counts as agreement. Any answer other than a
 * clear yes counts as no.
 */
export async function requireConsent(consent: Consent, frame: Frame): Promise<void> {
  if (consent.yes === "given") return;
  if (!canAsk(frame)) {
    throw new WorldlineError("needs-consent", { question: consent.question });
  }
  const answer = await ask(frame.strings.confirm.question(consent.question), frame);
  if (!/^\s*y(es)?\s*$/iu.test(answer ?? "")) {
    throw new WorldlineError("cancelled", { left: "unchanged" });
  }
}

const MAX_MISTYPED = 3;
const ESCAPE_KEY = "\u001b";

/**
 * Asks for the number of a row. An empty answer means row 0, which changes nothing. Repeats the question after an
 * invalid answer.
 */
export async function askForRow(frame: Frame, last: number): Promise<number> {
  const { journeys } = frame.strings;
  let mistyped = 0;
  for await (const line of askAgain(journeys.pickQuestion(last), frame)) {
    const text = line.trim();
    if (text === "" || text === ESCAPE_KEY) return 0;
    const row = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (row >= 0 && row <= last) return row;
    mistyped += 1;
    if (mistyped > MAX_MISTYPED) throw notARow(text, last);
    frame.output.notice(journeys.notARow(text, last));
  }
  return 0;
}

function notARow(typed: string, last: number): WorldlineError {
  return new WorldlineError("not-a-row", { typed, last });
}
