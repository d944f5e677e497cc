import { describe, expect, it } from "vitest";
import type { ImagePart } from "../../../src/record/parts.ts";
import { readSubmission, splitInputs, typingMode } from "../../../src/tui/editor/inputs.ts";

const image = (data: string): ImagePart => ({ type: "image", mediaType: "image/png", data });
const none = new Map<number, ImagePart>();

describe("what is sent off", () => {
  it.each([
    ["  fix the leak \n", { kind: "prompt", parts: [{ type: "text", text: "fix the leak" }] }],
    ["!git status", { kind: "shell", command: "git status", visibility: "model" }],
    ["!! rm -r out", { kind: "shell", command: "rm -r out", visibility: "user-only" }],
    ["/undo 2", { kind: "slash", name: "undo", words: "2" }],
    ["/Compact  the parser ", { kind: "slash", name: "compact", words: "the parser" }],
    ["/nonsense", { kind: "slash", name: "nonsense", words: "" }],
    ["/usr/bin is broken", { kind: "prompt", parts: [{ type: "text", text: "/usr/bin is broken" }] }],
    ["// a comment", { kind: "prompt", parts: [{ type: "text", text: "// a comment" }] }],
    ["", { kind: "nothing" }],
    [" \n ", { kind: "nothing" }],
    ["!", { kind: "nothing" }],
    ["!! ", { kind: "nothing" }],
    ["/", { kind: "nothing" }],
  ])("is read from %j", (text, submission) => {
    expect(readSubmission(text, none)).toEqual(submission);
  });

  it("holds the images that the text still names, in order", () => {
    const images = new Map([
      [1, image("one")],
      [2, image("two")],
      [3, image("three")],
    ]);
    expect(readSubmission("[image #3] and [image #1], [image #3], [image #9]", images)).toEqual({
      kind: "prompt",
      parts: [
        { type: "text", text: "[image #3] and [image #1], [image #3], [image #9]" },
        image("three"),
        image("one"),
      ],
    });
  });

  it("is known while it is typed", () => {
    expect(["", "do", "!ls", "!!ls", "/undo", "/a/b"].map(typingMode)).toEqual([
      "prompt",
      "prompt",
      "shell",
      "shell-private",
      "slash",
      "prompt",
    ]);
  });
});

describe("several inputs that went back to the editor as one text", () => {
  it.each([
    ["one\n\ntwo", [], ["one\n\ntwo"]],
    ["!ls\n\nfix it", ["!ls", "fix it"], ["!ls", "fix it"]],
    [
      "fix it\n\n!ls\n\nand that\n\n  indented",
      ["fix it", "!ls"],
      ["fix it", "!ls", "and that\n\n  indented"],
    ],
    // A command stays a command after it was edited.
    ["!ls -l\n\nfix it", ["!ls", "fix it"], ["!ls -l", "fix it"]],
    ["fix it\n\n!ls -l", ["fix it", "!ls"], ["fix it", "!ls -l"]],
    ["!cat <<END\na\n\nb\nEND\n\nfix it", ["!cat <<END\na\n\nb\nEND"], ["!cat <<END\na\n\nb\nEND", "fix it"]],
    ["fix it\n\n/compact", ["fix it", "/compact"], ["fix it", "/compact"]],
    ["see\n\n/etc is gone", ["!ls"], ["see\n\n/etc is gone"]],
    // A command line inside a prompt never runs, whether the prompt is unchanged or edited, or the queued
    // command was deleted.
    ["look:\n\n!rm x\n\nok?\n\n!ls", ["look:\n\n!rm x\n\nok?", "!ls"], ["look:\n\n!rm x\n\nok?", "!ls"]],
    [
      "look at:\n\n!rm x\n\nok?\n\n!ls",
      ["look:\n\n!rm x\n\nok?", "!ls"],
      ["look at:\n\n!rm x\n\nok?", "!ls"],
    ],
    ["look at:\n\n!rm x\n\nok?", ["look:\n\n!rm x\n\nok?", "!ls"], ["look at:\n\n!rm x\n\nok?"]],
    ["look:\n\n!ls\n\nok?\n\n!ls", ["look:\n\n!ls\n\nok?", "!ls"], ["look:\n\n!ls\n\nok?", "!ls"]],
  ])("are %j again, each as what it was", (text, returned, inputs) => {
    expect(splitInputs(text, returned)).toEqual(inputs);
  });
});
