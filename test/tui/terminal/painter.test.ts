import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { Terminal } from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Space } from "../../../src/tui/look/look.ts";
import { frame, Painter, ScreenTerminal, type Shown } from "../../../src/tui/terminal/terminal.ts";
import { standInStreams } from "./stand-in-streams.ts";

const SPACE: Space = { width: 12, rows: 4 };

async function write(terminal: Terminal, bytes: string): Promise<void> {
  return new Promise((resolve) => terminal.write(bytes, resolve));
}

function seen({ buffer, rows }: Terminal): string[] {
  return Array.from({ length: rows }, (_, row) => buffer.active.getLine(row)?.translateToString(true) ?? "");
}

describe("a frame", () => {
  it("writes the lines alone that have changed, and nothing where nothing has", () => {
    const first = frame(["one", "two", "three", "four"], SPACE, undefined);
    const second = frame(["one", "2", "three", "four"], SPACE, first.shown);
    expect(second.bytes).toBe("\x1b[?2026h\x1b[?7l\x1b[2;1H\x1b[2K2\x1b[0m\x1b]8;;\x07\x1b[?7h\x1b[?2026l");
    expect(frame(["one", "2", "three", "four"], SPACE, second.shown).bytes).toBe("");
    const moved = frame(["one", `2${CURSOR_MARKER}`, "three", "four"], SPACE, second.shown);
    expect(moved.bytes).toBe("\x1b[?2026h\x1b[?7l\x1b[2;2H\x1b[?7h\x1b[?2026l");
  });

  it("never erases what has scrolled away, which is the user's", () => {
    const narrow = frame(["one"], { width: 5, rows: 1 }, frame(["one"], SPACE, undefined).shown);
    expect([narrow.bytes.includes("\x1b[2J"), narrow.bytes.includes("\x1b[3J")]).toEqual([true, false]);
  });

  it("puts the terminal's cursor where the mark is, after wide characters too", async () => {
    const terminal = new Terminal({ cols: 12, rows: 4, allowProposedApi: true });
    await write(terminal, frame(["", `你好${CURSOR_MARKER}x`], SPACE, undefined).bytes);
    const { cursorX, cursorY } = terminal.buffer.active;
    expect([cursorX, cursorY, seen(terminal)[1]]).toEqual([4, 1, "你好x"]);
  });

  it("cuts a line that the terminal takes for wider than we do", async () => {
    const terminal = new Terminal({ cols: 12, rows: 4, allowProposedApi: true });
    await write(terminal, frame(["a".repeat(14), "second"], SPACE, undefined).bytes);
    expect(seen(terminal).slice(0, 2)).toEqual([`${"a".repeat(11)}a`, "second"]);
  });

  it("law: after any frames the terminal shows the last one", async () => {
    const unit = fc.constantFrom("a", "b", "中", " ", "─");
    const line = fc
      .string({ unit, maxLength: 12 })
      .filter((text) => visibleWidth(text) <= SPACE.width)
      .map((text) => text.trimEnd());
    const lines = fc.array(line, { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { minLength: 1, maxLength: 8 }), async (frames) => {
        const terminal = new Terminal({ cols: 12, rows: 4, allowProposedApi: true });
        let shown: Shown | undefined;
        for (const each of frames) {
          const next = frame(each, SPACE, shown);
          shown = next.shown;
          await write(terminal, next.bytes);
          expect(seen(terminal)).toEqual(each);
        }
        terminal.dispose();
      }),
      { numRuns: 40 },
    );
  });
});

describe("the painter", () => {
  const painting = () => {
    const streams = standInStreams();
    const pressed: string[] = [];
    const backgrounds: string[] = [];
    let drawn = 0;
    const painter = new Painter(
      {
        draw: ({ rows }) => {
          drawn += 1;
          return Array.from({ length: rows }, () => "line");
        },
        press: ({ key }) => pressed.push(key),
        background: (background) => backgrounds.push(background),
      },
      new ScreenTerminal(streams),
    );
    return { ...streams, painter, pressed, backgrounds, drawn: () => drawn };
  };

  it("draws once for everything that changes together, and not after it was stopped", async () => {
    const { painter, drawn } = painting();
    painter.start();
    painter.paint();
    painter.paint();
    await painter.painted;
    expect(drawn()).toBe(1);
    painter.paint();
    painter.stop();
    painter.paint();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(drawn()).toBe(1);
  });

  it("hands on keys, and takes the terminal's answer about its background for none", async () => {
    const { painter, type, pressed, backgrounds } = painting();
    painter.start();
    type("a\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[A");
    await vi.waitFor(() => expect([pressed, backgrounds]).toEqual([["a", "up"], ["light"]]));
    painter.stop();
  });

  it("draws everything again when the window has changed its size", async () => {
    const { painter, resize, written } = painting();
    painter.start();
    await painter.painted;
    const before = written().length;
    resize(10, 3);
    await vi.waitFor(() => expect(written().slice(before).split("line")).toHaveLength(4));
    painter.stop();
  });
});
