import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Frame } from "../../../../src/cli/command/frame.ts";
import { readPrompt } from "../../../../src/cli/commands/agent/prompt.ts";
import { Output } from "../../../../src/cli/output/output.ts";
import { stringsFor } from "../../../../src/strings/strings.ts";
import { paper } from "../../support/command-line.ts";

const strings = stringsFor("en");

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
    { words: ["fix it"], stdin: "", prompt: "fix it" },
    { words: ["fix", "it"], stdin: "", prompt: "fix it" },
    { words: [], stdin: "one\ntwo\n", prompt: "one\ntwo" },
    { words: ["review this"], stdin: "diff\n", prompt: "review this\n\ndiff" },
    { words: [" "], stdin: "piped", prompt: "piped" },
  ])("is read from arguments and the pipe: $words, $stdin", async ({ words, stdin, prompt }) => {
    expect(await readPrompt(frameWith(piped(stdin)).frame, words)).toBe(prompt);
  });

  it("does not wait for a terminal", async () => {
    expect(await readPrompt(frameWith(new PassThrough(), true).frame, ["fix it"])).toBe("fix it");
  });

  it.each([
    ["nothing", ""],
    ["blanks", " \n\n"],
  ])("is missing when there is %s", async (_name, content) => {
    await expect(readPrompt(frameWith(piped(content)).frame, [])).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: "There is no prompt.",
    });
  });

  it("that is no text is refused", async () => {
    await expect(
      readPrompt(frameWith(piped(Uint8Array.of(0xff, 0xfe, 0))).frame, ["x"]),
    ).rejects.toMatchObject({ code: "INPUT_INVALID", message: "Standard input is not UTF-8 text." });
  });

  it("goes on without a pipe that stays open and silent, and says so", async () => {
    const { frame, stderr } = frameWith(new PassThrough());
    expect(await readPrompt(frame, ["fix it"], 5)).toBe("fix it");
    await frame.output.finish();
    expect(stderr.text()).toContain("warning: Nothing came through standard input");
  });

  it("takes all of a pipe that has begun, however slowly it goes on", async () => {
    const stdin = new PassThrough();
    stdin.write("one ");
    const reading = readPrompt(frameWith(stdin).frame, ["read:"], 5);
    await new Promise((resolve) => setTimeout(resolve, 20));
    stdin.end("two");
    expect(await reading).toBe("read:\n\none two");
  });
});
