import { describe, expect, it } from "vitest";
import { en } from "../../../src/strings/en.ts";
import { confirm, menu } from "../../../src/tui/dialogs/dialog.ts";
import { textQuestion } from "../../../src/tui/dialogs/list.ts";
import { play, roomOf } from "./played.ts";

const three = menu({
  title: "Which?",
  rows: [
    { text: "one", description: "the first", answer: 1 },
    { text: "two", description: "a description that has no room beside its row", answer: 2 },
    { text: "三", answer: 3 },
  ],
  keys: "keys",
});

describe("a menu", () => {
  it("takes a digit as the answer at once", () => {
    expect(play(three, ["2"]).outcome).toEqual({ answer: 2 });
    expect(play(three, ["9"]).outcome).toBe("open");
  });

  it("moves with the arrows and answers with Enter", () => {
    expect(play(three, ["down", "enter"]).outcome).toEqual({ answer: 2 });
    expect(play(three, ["end", "down", "enter"]).outcome).toEqual({ answer: 3 });
    expect(play(three, ["end", "home", "up", "enter"]).outcome).toEqual({ answer: 1 });
  });

  it("is left with Esc, 0, q and Ctrl+C", () => {
    for (const key of ["escape", "0", "q", "ctrl+c"]) {
      expect(play(three, [key]).outcome).toEqual({ answer: undefined });
    }
  });

  it("marks the chosen row with a sign, and puts long descriptions below", () => {
    expect(play(three, ["down"], roomOf(40)).lines).toEqual([
      "Which?",
      "  1. one  the first",
      "> 2. two",
      "     a description that has no room",
      "     beside its row",
      "  3. 三",
      "keys",
    ]);
  });

  it("keeps the chosen row in sight where rows are few", () => {
    expect(play(three, ["end"], roomOf(40, 3)).lines).toEqual([
      "     a description that has no room",
      "     beside its row",
      "> 3. 三",
    ]);
  });
});

describe("a confirmation", () => {
  const sure = confirm(en, { question: "Sure?", yes: "Yes", no: "No" });

  it("is a no for users who press Enter without reading", () => {
    expect(play(sure, ["enter"]).outcome).toEqual({ answer: "no" });
  });

  it("takes y and n", () => {
    expect(play(sure, ["y"]).outcome).toEqual({ answer: "yes" });
    expect(play(sure, ["n"]).outcome).toEqual({ answer: "no" });
    expect(play(sure, ["escape"]).outcome).toEqual({ answer: undefined });
  });
});

describe("a question for text", () => {
  it("answers what was typed, without the spaces around it", () => {
    const name = textQuestion({ title: "Name", text: "old", keys: "keys" });
    expect(play(name, ["'er '", "enter"]).outcome).toEqual({ answer: "older" });
    expect(play(name, ["escape"]).outcome).toEqual({ answer: undefined });
    expect(play(name, ["left"]).lines).toEqual(["Name", "> ol_d", "keys"]);
  });

  it("shows a key as bullets", () => {
    const key = textQuestion({ title: "Key", shown: "bullets", keys: "keys" });
    expect(play(key, ["'abc'"]).lines).toEqual(["Key", "> •••_", "keys"]);
  });
});
