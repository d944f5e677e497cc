import { describe, expect, it } from "vitest";
import type { Json } from "../../src/record/parts.ts";
import { aboutCall, wholeAbout } from "../../src/timeline/turn-state.ts";

describe("the subject of a call", () => {
  it.each<readonly [string, Json | undefined, string]>([
    ["the first known field that has a value", { prompt: "p", path: " ", command: "npm test" }, "npm test"],
    ["on one line", { command: " npm\n  test\t-- a " }, "npm test -- a"],
    ["the first other field on one line", { plan: "short", note: "n", text: "a\nb", title: "Pool" }, "Pool"],
    ["a field that only ends with a line break", { text: "Pool\n" }, "Pool"],
    ["a number", { flag: true, depth: 3 }, "3"],
    ["empty without such a field", { flag: true, list: ["a"], text: " " }, ""],
    ["empty without input", undefined, ""],
    ["empty for a text", "npm test", ""],
    ["empty for a list", ["npm test"], ""],
  ])("is %s", (_what, input, about) => {
    expect(aboutCall(input)).toBe(about);
  });
});

describe("the field that a call's subject was derived from", () => {
  it.each<readonly [string, Json, string, string | undefined]>([
    ["has the same text on one line", { text: "npm", command: " npm\n\n test " }, "npm test", "command"],
    ["is a known one rather than another", { text: "npm test", command: "npm test" }, "npm test", "command"],
    ["may be another one", { path: "a.ts", text: "npm test" }, "npm test", "text"],
    [
      "begins like a subject that was cut at its end",
      { text: "all", command: "npm\n test" },
      "npm t…",
      "command",
    ],
    [
      "begins like one that was cut in its middle",
      { command: "npm test", text: "x" },
      " npm  ⋯ t\n⋯ x",
      "command",
    ],
    ["is none if a cut subject has no beginning", { command: "npm test" }, "…test", undefined],
    ["is none if it only ends like a cut subject", { command: "run npm" }, "npm…", undefined],
    ["is none if it is longer than an uncut subject", { command: "npm test" }, "npm", undefined],
    ["is none if its words are separated otherwise", { command: "npmtest" }, "npm test", undefined],
    ["is none if nothing has a text", { command: 3, text: " " }, "", undefined],
    ["is none for a text", "npm", "npm", undefined],
    ["is none for a list", ["npm"], "npm", undefined],
  ])("%s", (_what, input, about, field) => {
    expect(wholeAbout(input, about)).toBe(field);
  });
});
