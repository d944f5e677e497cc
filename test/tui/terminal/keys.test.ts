import { StdinBuffer } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { readKeys } from "../../../src/tui/terminal/keys.ts";

const names = (chunk: string): string[] => readKeys(chunk).map(({ key }) => key);

describe("reading keys", () => {
  it("takes two escapes in one chunk for two presses, as tmux sends them", () => {
    expect(names("\x1b\x1b")).toEqual(["escape", "escape"]);
    expect(names("\x1b")).toEqual(["escape"]);
    expect(names("\x1b\x1b\x1b")).toEqual(["escape", "escape", "escape"]);
    expect(names("\x1b\x1b[A")).toEqual(["escape", "up"]);
  });

  it("gives the same result through the reader that splits chunks", () => {
    const heard: string[] = [];
    const reader = new StdinBuffer();
    reader.on("data", (data) => heard.push(...names(data)));
    reader.on("paste", (text) => heard.push(...names(`\x1b[200~${text}\x1b[201~`)));
    reader.process("\x1b\x1b");
    reader.process("a\x1b[A\x1b[<6");
    reader.process("4;1;1M\x1b[200~x\x1b[201~\r");
    reader.destroy();
    expect(heard).toEqual(["escape", "escape", "a", "up", "wheel-up", "paste", "enter"]);
  });

  it.each([
    ["\x1b[A", "up"],
    ["\x1bOB", "down"],
    ["\x1b[1;2A", "shift+up"],
    ["\x1b[1;5C", "ctrl+right"],
    ["\x1b[H", "home"],
    ["\x1b[5~", "pageUp"],
    ["\x1b[3~", "delete"],
    ["\x1b[Z", "shift+tab"],
    ["\r", "enter"],
    ["\n", "ctrl+j"],
    ["\x1b\r", "alt+enter"],
    ["\x1b[13;2u", "shift+enter"],
    ["\x1b[27;2;13~", "shift+enter"],
    ["\x1b[13;2~", "shift+enter"],
    ["\x1b[106;5u", "ctrl+j"],
    ["\x0f", "ctrl+o"],
    ["\x1b[111;5u", "ctrl+o"],
    ["\x1b[27;5;111~", "ctrl+o"],
    ["\x03", "ctrl+c"],
    ["\x1b[27u", "escape"],
    ["\x1b[27;1:1u", "escape"],
    ["\x7f", "backspace"],
    ["\x1b[127u", "backspace"],
    ["\t", "tab"],
    ["\x1bd", "alt+d"],
    ["\x1b[", "alt+["],
    ["\x1b[<64;10;5M", "wheel-up"],
    ["\x1b[<65;10;5M", "wheel-down"],
    ["\x1b[<68;10;5M", "wheel-up"],
  ])("reads %j as %s", (data, key) => {
    expect(readKeys(data)).toEqual([{ key }]);
  });

  it.each([
    ["a", "a", "a"],
    ["A", "A", "A"],
    [" ", "space", " "],
    ["?", "?", "?"],
    ["é", "é", "é"],
    ["你", "你", "你"],
    ["🙂", "🙂", "🙂"],
    ["\x1b[97u", "a", "a"],
    ["\x1b[97:65;2u", "A", "A"],
    ["\x1b[32;2u", "space", " "],
    ["\x1b[27;2;63~", "?", "?"],
  ])("reads %j as %s, which writes %j", (data, key, text) => {
    expect(readKeys(data)).toEqual([{ key, text }]);
  });

  it("keeps the order of a chunk that holds many keys", () => {
    expect(names("ls你\x1b[A\r")).toEqual(["l", "s", "你", "up", "enter"]);
  });

  it("reads pasted text as one key, line ends as line breaks", () => {
    const data = "\x1b[200~one\r\ntwo\rthree \x1b[31m\x1b[201~";
    expect(readKeys(data)).toEqual([{ key: "paste", text: "one\ntwo\nthree \x1b[31m" }]);
    expect(names(`a${data}b`)).toEqual(["a", "paste", "b"]);
  });

  it("reads line breaks in pasted text as tmux sends them into a popup", () => {
    expect(readKeys("\x1b[200~one\x1b[106;5utwo\x1b[109;5uthree\x1b[105;5u\x1b[201~")).toEqual([
      { key: "paste", text: "one\ntwo\nthree\t" },
    ]);
  });

  it("knows Home and End as tmux sends them", () => {
    expect(names("\x1b[1~\x1b[4~")).toEqual(["home", "end"]);
  });

  it("ignores releases, and reports of focus, of the mouse's position and of the terminal", () => {
    const reports = [
      "\x1b[97;1:3u",
      "\x1b[I",
      "\x1b[O",
      "\x1b[<0;10;5M",
      "\x1b[<0;10;5m",
      "\x1b[<35;10;5M",
      "\x1b[<66;1;1M",
      "\x1b[M !!",
      "\x1b[?62;22c",
      "\x1b[6;20;10t",
      "\x1b]11;rgb:0000/0000/0000\x07",
      "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
      "\x1bP>|tmux 3.4\x1b\\",
      "\x1b[57441u",
    ];
    expect(reports.flatMap(names)).toEqual([]);
  });
});
