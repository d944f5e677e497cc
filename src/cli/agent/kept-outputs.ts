import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

export interface KeptOutputs {
  readonly outputs: string;
  readonly keepOutput: (call: string, bytes: Uint8Array) => Promise<string>;
}

/** Keeps outputs that are too long for the model in a folder, one file for each call. */
export function keptOutputs(outputs: string): KeptOutputs {
  return {
    outputs,
    keepOutput: async (call, bytes) => {
      await mkdir(outputs, { recursive: true, mode: 0o700 });
      const file = join(outputs, `${nameOf(call)}.txt`);
      await appendFile(file, bytes, { mode: 0o600 });
      return file;
    },
  };
}

/** A provider chooses the ids of calls, and may choose `../../evil`. */
function nameOf(call: string): string {
  return call.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 100) || "call";
}
