import { WorldlineError } from "../record/error.ts";
import type { PipedInto } from "../strings/errors/en/commands.ts";
import type { Frame } from "./command/frame.ts";

export interface InputLimits {
  readonly maxBytes: number;
  /** What it was to give: a person at a terminal, where there is nothing to read yet, is told what to do instead. */
  readonly piped: PipedInto;
}

/** All that comes through the pipe. */
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
