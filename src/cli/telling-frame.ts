import { Readable } from "node:stream";
import { type Frame, openFrame } from "./command/frame.ts";
import { Output } from "./output/output.ts";
import type { OutputStream } from "./output/pipe.ts";

/**
 * The same frame for work below a screen that has the terminal: what would be printed is told, line by line, and nobody
 * can be asked. Opened anew, so that what the settings warn of is told too.
 */
export function tellingFrame({ common, strings, surroundings }: Frame, tell: (line: string) => void): Frame {
  const { environment } = surroundings;
  const said = lineStream(tell);
  const output = new Output({ stdout: nowhere, stderr: said, mode: "text", environment, strings });
  output.linesOnly(tell);
  const quiet = { ...surroundings, stdin: Readable.from([]), stdout: nowhere, stderr: said };
  return openFrame({ common, output, strings, surroundings: quiet });
}

const nowhere: OutputStream = {
  write: (_content, done) => done(),
  on: () => undefined,
};

/** Hands over whole lines. */
function lineStream(tell: (line: string) => void): OutputStream {
  let rest = "";
  return {
    write(content, done) {
      const lines =
        `${rest}${typeof content === "string" ? content : Buffer.from(content).toString("utf8")}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") tell(line);
      done();
    },
    on: () => undefined,
  };
}
