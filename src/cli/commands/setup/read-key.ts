import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { WorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";
import { readStandardInput } from "../../standard-input.ts";

const MAX_BYTES = 16 * 1024;

/** From a pipe, or typed at a terminal that does not show it. */
export async function readKey(frame: Frame, provider: string): Promise<string> {
  const { stdin } = frame.surroundings;
  const key = stdin.isTTY === true ? await typed(frame, provider) : await piped(frame);
  if (key.trim() === "") throw new WorldlineError("key-missing", { provider });
  return key.trim();
}

async function piped(frame: Frame): Promise<string> {
  const limits = { maxBytes: MAX_BYTES, piped: "key" } as const;
  return (await readStandardInput(frame, limits)).toString("utf8");
}

/** As a terminal, so that keys and a paste work as everywhere; what would be echoed goes nowhere. */
async function typed({ surroundings, strings }: Frame, provider: string): Promise<string> {
  const { stdin, stderr } = surroundings;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const say = (text: string) => stderr.write(text, () => undefined);
  say(strings.setup.keyQuestion(provider));
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new WorldlineError("cancelled", { left: "unchanged" })));
      lines.once("close", () => resolve(""));
    });
  } finally {
    lines.close();
    say("\n");
  }
}
