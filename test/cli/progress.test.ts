import { describe, expect, it } from "vitest";
import type { Frame } from "../../src/cli/frame.ts";
import { openProgress } from "../../src/cli/output.ts";
import { paper } from "./support/command-line.ts";

function told(kind: "pipe" | "terminal", mode: "text" | "json" = "text") {
  const stderr = paper(kind);
  let time = 0;
  const frame = { output: { mode }, surroundings: { stderr: stderr.stream } } as unknown as Frame;
  const progress = openProgress(frame, () => time);
  progress.show("at once");
  time = 500;
  progress.show("later\u001b[2J");
  time = 550;
  progress.show("too soon again");
  progress.clear();
  progress.clear();
  return stderr.text();
}

describe("progress", () => {
  it("is one line, shown when it takes longer, and erased before any other output", () => {
    expect(told("terminal")).toBe("\r\u001b[Klater␛[2J\r\u001b[K");
  });

  it("is nothing without a terminal", () => {
    expect(told("pipe")).toBe("");
    expect(told("terminal", "json")).toBe("");
  });
});
