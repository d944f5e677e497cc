import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Frame } from "../../../../src/cli/frame.ts";
import { Output } from "../../../../src/cli/output.ts";
import { readPrompt } from "../../../../src/cli/standard-input.ts";
import { stringsFor } from "../../../../src/strings/strings.ts";
import { paper } from "../../support/command-line.ts";

const strings = stringsFor("en");
const TYPED = { text: "fix it", source: "typed" };

function frameWith(stdin: PassThrough, isTTY = false) {
  const stderr = paper();
  const output = new Output({
    stdout: paper().stream,
    stderr: stderr.stream,
    mode: "text",
    environment: {},
    strings,
  });
  const surroundings = { stdin: Object.assign(stdin, { isTTY }) };
  return { frame: { output, strings, surroundings } as unknown as Frame, stderr };
}

function piped(content: string | Uint8Array): PassThrough {
  const stdin = new PassThrough();
  stdin.end(content);
  return stdin;
}

describe("a prompt", () => {
  it.each([
    { words: ["fix it"], stdin: "", text: "fix it", source: "typed" },
    { words: ["fix", "it"], stdin: " \n", text: "fix it", source: "typed" },
    { words: [], stdin: "one\ntwo\n", text: "one\ntwo", source: "piped" },
    { words: ["review this"], stdin: "diff\n", text: "review this\n\ndiff", source: "piped" },
    { words: [" "], stdin: "piped", text: "piped", source: "piped" },
  ])("is read from arguments and the pipe: $words, $stdin", async ({ words, stdin, ...read }) => {
    expect(await readPrompt(frameWith(piped(stdin)).frame, words)).toEqual(read);
  });

  it("does not wait for a terminal", async () => {
    expect(await readPrompt(frameWith(new PassThrough(), true).frame, ["fix it"])).toEqual(TYPED);
  });

  it.each([
    ["nothing", ""],
    ["blanks", " \n\n"],
  ])("is missing when there is %s", async (_name, content) => {
    await expect(readPrompt(frameWith(piped(content)).frame, [])).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: "No prompt was given.",
    });
  });

  it("that is not text is refused", async () => {
    await expect(
      readPrompt(frameWith(piped(Uint8Array.of(0xff, 0xfe, 0))).frame, ["x"]),
    ).rejects.toMatchObject({ code: "INPUT_INVALID", message: "Standard input is not UTF-8 text." });
  });

  it("continues without a pipe that stays open and silent, and says so", async () => {
    const { frame, stderr } = frameWith(new PassThrough());
    expect(await readPrompt(frame, ["fix it"], 5)).toEqual(TYPED);
    await frame.output.finish();
    expect(stderr.text()).toContain("warning: Received no data on standard input");
  });

  it("reads all of a pipe once data has arrived, however slowly the rest comes", async () => {
    const stdin = new PassThrough();
    stdin.write("one ");
    const reading = readPrompt(frameWith(stdin).frame, ["read:"], 5);
    await new Promise((resolve) => setTimeout(resolve, 20));
    stdin.end("two");
    expect((await reading).text).toBe("read:\n\none two");
  });
});
