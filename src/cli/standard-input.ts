import { WorldlineError } from "../record/error.ts";
import type { Frame } from "./command/frame.ts";

export interface InputLimits {
  readonly maxBytes: number;
  /** What to do instead, for a person at a terminal, where there is nothing to read yet. */
  readonly hint: string;
}

/** All that comes through the pipe. */
export async function readStandardInput({ surroundings }: Frame, limits: InputLimits): Promise<Buffer> {
  const { stdin } = surroundings;
  if (stdin.isTTY === true) {
    throw new WorldlineError("INPUT_INVALID", "Nothing is piped into standard input.", { hint: limits.hint });
  }
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece as string | Uint8Array);
    length += bytes.length;
    if (length > limits.maxBytes) {
      throw new WorldlineError("INPUT_INVALID", `Standard input holds more than ${limits.maxBytes} bytes.`, {
        hint: "That is too much for this.",
      });
    }
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
