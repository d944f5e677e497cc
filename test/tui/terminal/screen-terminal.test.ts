import { describe, expect, it, vi } from "vitest";
import { ScreenTerminal } from "../../../src/tui/terminal/terminal.ts";
import { standInStreams } from "./stand-in-streams.ts";

const OTHER_KEYS = "\x1b[>4;2m";
const KITTY_KEYS = "\x1b[>7u";
const later = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function taking() {
  const streams = standInStreams();
  const terminal = new ScreenTerminal(streams);
  const heard: string[] = [];
  let resized = 0;
  const start = (): void =>
    terminal.start(
      (data) => heard.push(data),
      () => {
        resized += 1;
      },
    );
  return { ...streams, terminal, heard, start, resized: () => resized };
}

describe("the terminal", () => {
  it("takes the other buffer, and gives back everything that it took", () => {
    const { terminal, start, written, isRaw } = taking();
    terminal.setMouse("on");
    expect(written()).toBe("");
    start();
    expect([isRaw(), written()]).toEqual([
      true,
      "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[?u",
    ]);
    const before = written().length;
    terminal.stop();
    expect([isRaw(), written().slice(before)]).toEqual([
      false,
      "\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?7h\x1b[?2026l\x1b[0m\x1b[?25h\x1b[?1049l",
    ]);
  });

  it("is given back once, however often that is requested", () => {
    const { terminal, start, written } = taking();
    terminal.giveBack();
    start();
    terminal.giveBack();
    terminal.stop();
    expect(written().split("\x1b[?1049l")).toHaveLength(2);
  });

  it("asks for more keys if kitty's are not supported, but not after it was stopped", async () => {
    const { terminal, start, written } = taking();
    start();
    await vi.waitFor(() => expect(written()).toContain(OTHER_KEYS));
    terminal.stop();
    start();
    terminal.stop();
    const before = written().length;
    await later(250);
    expect(written().slice(before)).toBe("");
  });

  it("takes kitty's keys if the terminal supports them, and keeps the answer to itself", async () => {
    const { terminal, start, written, heard, type } = taking();
    start();
    type("\x1b[?0u");
    type("a");
    await vi.waitFor(() => expect(heard).toEqual(["a"]));
    await later(250);
    expect([written().includes(KITTY_KEYS), written().includes(OTHER_KEYS)]).toEqual([true, false]);
    terminal.stop();
  });

  it("puts sequences together that come in pieces, and what is pasted", async () => {
    const { terminal, start, heard, type } = taking();
    start();
    type("\x1b[");
    type("A\x1b[200~one\n");
    type("two\x1b[201~");
    await vi.waitFor(() => expect(heard).toEqual(["\x1b[A", "\x1b[200~one\ntwo\x1b[201~"]));
    terminal.stop();
  });

  it("receives nothing after it was stopped", () => {
    const { terminal, start, heard, type, resize, resized } = taking();
    start();
    resize(20, 5);
    expect([terminal.space, resized()]).toEqual([{ width: 20, rows: 5 }, 1]);
    terminal.stop();
    type("a");
    resize(30, 6);
    expect([heard, resized()]).toEqual([[], 1]);
  });
});
