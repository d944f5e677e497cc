import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { OutputStream } from "../../src/cli/output.ts";
import { Output } from "../../src/cli/output.ts";
import { stringsFor } from "../../src/strings/strings.ts";
import { paper } from "./support/command-line.ts";

const strings = stringsFor("en");

function outputTo(
  stdout: OutputStream,
  environment: Record<string, string> = {},
  mode: "text" | "json" = "text",
) {
  const stderr = paper();
  return { output: new Output({ stdout, stderr: stderr.stream, mode, environment, strings }), stderr };
}

/** A stream on which every write fails, like a pipe without a reader or a full disk. */
function broken(code: string): OutputStream {
  const stream = new PassThrough();
  stream.write = ((_text: string, done: (error: Error) => void) => {
    const error = Object.assign(new Error(`${code}: write`), { code });
    queueMicrotask(() => {
      stream.emit("error", error);
      done(error);
    });
    return false;
  }) as typeof stream.write;
  return stream;
}

describe("output", () => {
  it("goes to a pipe byte for byte and to a terminal made safe", async () => {
    const pipe = paper();
    const terminal = paper("terminal");
    for (const { stream } of [pipe, terminal]) {
      const { output } = outputTo(stream);
      output.answer({}, () => "title \u001b[2J");
      await output.finish();
    }
    expect([pipe.text(), terminal.text()]).toEqual(["title \u001b[2J\n", "title \u241b[2J\n"]);
  });

  it("has colors only on a terminal without NO_COLOR", async () => {
    const dim = async (kind: "pipe" | "terminal", environment = {}) => {
      const stdout = paper(kind);
      const { output } = outputTo(stdout.stream, environment);
      output.answer({}, () => output.style.dim("x"));
      await output.finish();
      return stdout.text();
    };
    expect(await dim("terminal")).toBe("\u001b[2mx\u001b[22m\n");
    expect(await dim("terminal", { NO_COLOR: "" })).toBe("\u001b[2mx\u001b[22m\n");
    for (const plain of [
      dim("pipe"),
      dim("terminal", { NO_COLOR: "1" }),
      dim("terminal", { TERM: "dumb" }),
    ]) {
      expect(await plain).toBe("x\n");
    }
  });

  it("is one document with --json, even when nothing was answered", async () => {
    const stdout = paper();
    const { output, stderr } = outputTo(stdout.stream, {}, "json");
    output.warn("careful");
    output.notice("working");
    await output.finish();
    expect(JSON.parse(stdout.text())).toEqual({ warnings: ["careful"] });
    expect(stderr.text()).toBe("working\n");
  });

  it("does not mind a reader that has left", async () => {
    const { output, stderr } = outputTo(broken("EPIPE"));
    for (let line = 0; line < 3; line += 1) output.answer({}, () => "more");
    expect(await output.finish()).toBe("written");
    expect(stderr.text()).toBe("");
  });

  it("says when the answer could not be written", async () => {
    const { output, stderr } = outputTo(broken("ENOSPC"));
    output.answer({}, () => "lost");
    expect(await output.finish()).toBe("unwritten");
    expect(stderr.text()).toBe("Could not write to standard output: ENOSPC: write\n");
  });
});
