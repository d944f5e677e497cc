import type { PromptSource } from "../ports/agent.ts";
import { WorldlineError } from "../record/error.ts";
import type { PipedInto } from "../strings/en/errors/commands.ts";
import type { Frame } from "./frame.ts";

interface InputLimits {
  readonly maxBytes: number;
  /** The kind of data that is expected. If standard input is a terminal, the error explains what to do instead. */
  readonly piped: PipedInto;
}

/** Reads standard input to its end. */
export async function readStandardInput({ surroundings }: Frame, limits: InputLimits): Promise<Buffer> {
  const { stdin } = surroundings;
  if (stdin.isTTY === true) {
    throw new WorldlineError("pipe-empty", { piped: limits.piped });
  }
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece as string | Uint8Array);
    length += bytes.length;
    if (length > limits.maxBytes) {
      throw new WorldlineError("pipe-too-long", { most: limits.maxBytes });
    }
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

const MIB = 1024 * 1024;
/** Maximum size of piped input: more than fits into any model's context. */
const MAX_BYTES = 16 * MIB;
/** Time limit for another program to start writing, if the arguments already contain a prompt. */
const PATIENCE_MS = 3_000;

/**
 * Reads the prompt: the arguments, followed by the piped input. Without arguments, waits for the pipe. With arguments,
 * ignores a silent pipe after a while, because many programs leave a pipe open and never write to it.
 */
export async function readPrompt(
  frame: Frame,
  words: readonly string[],
  patienceMs: number = PATIENCE_MS,
): Promise<{ readonly text: string; readonly source: PromptSource }> {
  const argument = words.join(" ");
  const hasArgument = argument.trim() !== "";
  const piped = await readPiped(frame, hasArgument ? patienceMs : undefined);
  if (piped === "silent") frame.output.warn(frame.strings.agent.silentPipe(patienceMs));
  const parts = [argument, piped === "silent" ? "" : piped].filter((part) => part.trim() !== "");
  if (parts.length === 0) throw promptMissing();
  return { text: parts.join("\n\n"), source: parts.length > 1 || !hasArgument ? "piped" : "typed" };
}

async function readPiped({ surroundings }: Frame, patienceMs: number | undefined): Promise<string> {
  const { stdin } = surroundings;
  if (stdin.isTTY === true) return "";
  if (patienceMs !== undefined && (await firstSign(stdin, patienceMs)) === "silent") {
    stdin.pause();
    return "silent";
  }
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece as string | Uint8Array);
    length += bytes.length;
    if (length > MAX_BYTES) throw tooLong();
    pieces.push(bytes);
  }
  return textOf(Buffer.concat(pieces));
}

/** Waits for the first data or the end of the input, without reading the data. */
async function firstSign(
  stdin: Frame["surroundings"]["stdin"],
  patienceMs: number,
): Promise<"there" | "silent"> {
  if (stdin.readableLength > 0 || stdin.readableEnded) return "there";
  const signs = ["readable", "end", "error", "close"] as const;
  return new Promise((resolve) => {
    const settle = (found: "there" | "silent") => () => {
      clearTimeout(timer);
      for (const sign of signs) stdin.off(sign, isThere);
      resolve(found);
    };
    const isThere = settle("there");
    const timer = setTimeout(settle("silent"), patienceMs);
    for (const sign of signs) stdin.on(sign, isThere);
  });
}

function textOf(bytes: Buffer): string {
  try {
    // The final line break is part of the pipe's output, and not of the text.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/u, "");
  } catch (cause) {
    throw new WorldlineError("prompt-not-utf8", {}, { cause });
  }
}

function tooLong(): WorldlineError {
  return new WorldlineError("prompt-too-long", { mebibytes: MAX_BYTES / MIB });
}

function promptMissing(): WorldlineError {
  return new WorldlineError("prompt-missing", {});
}
