import { Readable } from "node:stream";
import type { Surroundings } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import type { OutputStream } from "../../output/pipe.ts";

export interface Ran {
  /** What went to standard output, and what was said beside it. */
  readonly answer: string;
  readonly beside: string;
  readonly exitCode: ExitCode;
}

/** Runs a command line in this process, with nobody to ask; what it says is caught. */
export async function runLine(surroundings: Surroundings, words: readonly string[]): Promise<Ran> {
  // The table of all commands, which the screen needs only now.
  const [{ run }, { commands }] = await Promise.all([import("../../run.ts"), import("../../registry.ts")]);
  const [answer, beside] = [caught(), caught()];
  const stdin = Readable.from([]);
  const exitCode = await run(commands, {
    ...surroundings,
    arguments: words,
    stdin,
    stdout: answer.stream,
    stderr: beside.stream,
  });
  return { answer: answer.text(), beside: beside.text(), exitCode };
}

function caught(): { readonly stream: OutputStream; text(): string } {
  const pieces: Buffer[] = [];
  return {
    stream: {
      write(content, done) {
        pieces.push(Buffer.from(content));
        done();
      },
      on: () => undefined,
    },
    text: () => Buffer.concat(pieces).toString("utf8"),
  };
}
