import type { Frame } from "../../command/frame.ts";
import { Output } from "../../output/output.ts";
import type { OutputStream } from "../../output/pipe.ts";

/** The same frame for work beside a command that has the terminal: it says nothing. */
export function quietFrame(frame: Frame): Frame {
  const { strings, surroundings } = frame;
  const { environment } = surroundings;
  const output = new Output({ stdout: nowhere, stderr: nowhere, mode: "text", environment, strings });
  return { ...frame, output, surroundings: { ...surroundings, stdout: nowhere, stderr: nowhere } };
}

const nowhere: OutputStream = {
  write: (_content, done) => done(),
  on: () => undefined,
};
