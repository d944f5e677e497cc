import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeepOutput } from "../../agent/tools/bash/kept-output.ts";
import { systemCode } from "../places/system-error.ts";

export interface KeptOutputs {
  readonly outputs: string;
  readonly keepOutput: KeepOutput;
}

/**
 * Keeps outputs that are too long for the model in a folder, one file for each call. Ids of calls repeat: after a
 * backtrack, in a sub-agent, or because a provider counts from 1 in every reply. So a new file is never an old one.
 */
export function keptOutputs(outputs: string): KeptOutputs {
  return {
    outputs,
    keepOutput: async (call, bytes, file) => {
      if (file === undefined) return newFile(outputs, nameOf(call), bytes);
      await appendFile(file, bytes);
      return file;
    },
  };
}

async function newFile(outputs: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(outputs, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number += 1) {
    const file = join(outputs, number === 1 ? `${name}.txt` : `${name}-${number}.txt`);
    try {
      await writeFile(file, bytes, { mode: 0o600, flag: "wx" });
      return file;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

/** A provider chooses the ids of calls, and may choose `../../evil`. */
function nameOf(call: string): string {
  return call.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 100) || "call";
}
