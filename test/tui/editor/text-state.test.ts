import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowAt, rowLayout, segmentsOf, unfold } from "../../../src/tui/editor/text-layout.ts";
import {
  EMPTY_TEXT,
  insert,
  paste,
  pressText,
  type TextState,
  withText,
} from "../../../src/tui/editor/text-state.ts";
import { paste as pasted, typing } from "./support/typing.ts";

/** Presses known key names as keys; everything else is typed as text. */
function press(state: TextState, ...keys: readonly string[]): TextState {
  const rows = (now: TextState, width = 20) => rowLayout()(now.text, width, now.folds);
  return keys.reduce<TextState>((now, key) => {
    if (key.startsWith("paste ")) return paste(now, key.slice("paste ".length));
    const isNamed = key.length > 2 || key === "up";
    return pressText(now, isNamed ? { key } : { key, text: key }, () => rows(now)) ?? now;
  }, state);
}

/** The text with its cursor as `|`. */
function shown({ text, cursor }: TextState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const started = (text: string): TextState => {
  const at = text.indexOf("|");
  const bare = text.replace("|", "");
  return { ...EMPTY_TEXT, text: bare, cursor: at === -1 ? bare.length : at };
};

describe("keys in a text", () => {
  it.each([
    ["one two|", ["ctrl+left"], "one |two"],
    ["one| two", ["alt+f"], "one two|"],
    ["你好，世界。|", ["alt+b", "alt+b"], "你好，|世界。"],
    ["a.b_c-d|", ["alt+b", "alt+b", "alt+b"], "a.|b_c-d"],
    ["ship it👩|", ["alt+b"], "ship |it👩"],
    ["one\n|two", ["alt+left"], "one|\ntwo"],
    ["one|\ntwo", ["ctrl+f"], "one\n|two"],
    ["one\ntw|o", ["ctrl+a", "x"], "one\nx|two"],
    ["o|ne\ntwo", ["ctrl+e", "x"], "onex|\ntwo"],
    ["e\u0301👩‍👩‍👧🇩🇪|", ["left", "left", "left"], "|e\u0301👩‍👩‍👧🇩🇪"],
    ["👩‍👩‍👧🇩🇪|x", ["backspace"], "👩‍👩‍👧|x"],
    ["|🇩🇪x", ["ctrl+d"], "|x"],
    ["one|\ntwo", ["delete"], "one|two"],
    ["one\n|two", ["backspace"], "one|two"],
    ["one |two three", ["ctrl+k", "ctrl+a", "ctrl+y"], "two three|one "],
    ["one\n|two", ["ctrl+u", "ctrl+y"], "one\n|two"],
    ["one two|", ["ctrl+w", "ctrl+w", "ctrl+y"], "one two|"],
    ["|one two", ["alt+d", "alt+d", "ctrl+y"], "one two|"],
    ["one two|", ["ctrl+w", "left", "right", "ctrl+w", "ctrl+y", "alt+y"], "two|"],
    ["a|bcab", ["ctrl+]", "b"], "abca|b"],
    ["abc\nab|c", ["ctrl+alt+]", "c"], "ab|c\nabc"],
    ["a|bc", ["ctrl+]", "ctrl+]", "c"], "ac|bc"],
    // The column is measured on the screen and is remembered across shorter lines.
    ["你好吗abc\nx\n你好ab|c", ["up", "up"], "你好吗|abc\nx\n你好abc"],
    ["first\nsec|ond", ["up", "up"], "|first\nsecond"],
    ["fi|rst\nsecond", ["down", "down"], "first\nsecond|"],
  ])("turn %j with %j into %j", (before, keys, after) => {
    expect(shown(press(started(before), ...keys))).toBe(after);
  });

  it("go up and down by what is drawn as a line", () => {
    const text = started("one two three four five six seven|");
    expect(rowLayout()(text.text, 20, text.folds).map(({ from, to }) => text.text.slice(from, to))).toEqual([
      "one two three four ",
      "five six seven",
    ]);
    expect(shown(press(text, "up"))).toBe("one two three |four five six seven");
  });

  it("undo what was typed word by word, and everything else step by step", () => {
    const state = press(EMPTY_TEXT, ..."fix it", "ctrl+w", "paste now");
    const undone = (times: number) => press(state, ...Array<string>(times).fill("ctrl+-")).text;
    expect([0, 1, 2, 3, 4].map(undone)).toEqual(["fix now", "fix ", "fix it", "fix", ""]);
  });

  it("mean nothing where a text has nothing for them", () => {
    expect(pressText(EMPTY_TEXT, { key: "ctrl+x" }, () => [])).toBeUndefined();
  });
});

describe("a folded paste", () => {
  const large = "line\n".repeat(20);
  const folded = paste(started("see |!"), large);

  it("is one thing for the cursor, for words and for what is cut out", () => {
    expect(shown(folded)).toBe("see [paste #1 +21 lines]|!");
    expect(shown(press(folded, "left"))).toBe("see |[paste #1 +21 lines]!");
    expect(press(folded, "backspace").text).toBe("see !");
    const moved = press(folded, "ctrl+w", "end", "ctrl+y");
    expect(unfold(moved.text, moved.folds)).toBe(`see !${large}`);
  });

  it("is never taken for a marker that was typed, nor for that of another", () => {
    const typed = paste(started("[paste #1 +21 lines] |"), large);
    expect(typed.text).toBe("[paste #1 +21 lines] [paste #2 +21 lines]");
    const two = paste(folded, "x".repeat(1_001));
    expect(unfold(two.text, two.folds)).toBe(`see ${large}${"x".repeat(1_001)}!`);
  });

  it("is broken only where it is wider than the room, and up and down pass it", () => {
    const rows = rowLayout()(folded.text, 9, folded.folds);
    expect(rows.map(({ from, to }) => folded.text.slice(from, to))).toEqual([
      "see ",
      "[paste ",
      "#1 +21 ",
      "lines]!",
    ]);
    const at = (state: TextState, key: string) =>
      shown(pressText(state, { key }, () => rows) ?? state).indexOf("|");
    const before = press(folded, "left");
    expect([at(before, "down"), at({ ...folded, cursor: folded.text.length }, "up")]).toEqual([24, 4]);
  });
});

const KEYS = [
  ..."ab 中，👩🏽é\u0301\u200d\ufe0f🇩🇪",
  ...["left", "right", "home", "end", "backspace", "delete", "alt+b", "alt+f", "up", "down"],
  ...["ctrl+w", "alt+d", "ctrl+u", "ctrl+k", "ctrl+y", "alt+y", "ctrl+-", "ctrl+]", "ctrl+alt+]"],
  ...["paste one two", "paste 第一行\n第二行", `paste ${"many\n".repeat(12)}`, "paste /tmp/a"],
];
const keys = fc.array(fc.constantFrom(...KEYS), { maxLength: 60 });

/** Whether the cursor is at a position that splits neither a grapheme nor a marker. */
function isAtBorder({ text, cursor, folds }: TextState): boolean {
  if (cursor < 0 || cursor > text.length) return false;
  const line = text.slice(0, cursor).split("\n").length - 1;
  const start = cursor - (text.slice(0, cursor).split("\n").at(-1)?.length ?? 0);
  const whole = text.split("\n")[line] ?? "";
  const borders = segmentsOf(whole, folds).map(({ at }) => start + at);
  return [...borders, start + whole.length].includes(cursor);
}

describe("law: whatever is typed", () => {
  it("the cursor is at a grapheme's border", () => {
    fc.assert(
      fc.property(keys, (story) => {
        let state = EMPTY_TEXT;
        for (const key of story) {
          state = press(state, key);
          expect([isAtBorder(state), shown(state)]).toEqual([true, shown(state)]);
        }
      }),
    );
  });

  it("undo leads back through what was there, to nothing", () => {
    fc.assert(
      fc.property(keys, (story) => {
        const texts = new Set([""]);
        let state = EMPTY_TEXT;
        for (const key of story) {
          state = press(state, key);
          texts.add(state.text);
        }
        for (let steps = state.undo.length; steps > 0; steps -= 1) {
          state = press(state, "ctrl+-");
          expect(texts).toContain(state.text);
        }
        expect(state.text).toBe("");
      }),
    );
  });

  it("one edit is undone by one step", () => {
    const edits = fc.constantFrom("ctrl+w", "alt+d", "ctrl+u", "ctrl+k", "backspace", "paste x\ny", "delete");
    fc.assert(
      fc.property(keys, edits, (story, edit) => {
        const before = press(EMPTY_TEXT, ...story, "left");
        const after = press(before, edit);
        const undone = after.undo.length > before.undo.length ? press(after, "ctrl+-") : after;
        expect(shown(undone)).toBe(shown(before));
      }),
    );
  });

  it("the rows are the text, each is as wide as the room at most, and the cursor is in one of them", () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 3, max: 30 }), (story, width) => {
        const { text, cursor, folds } = press(EMPTY_TEXT, ...story);
        const rows = rowLayout()(text, width, folds);
        const joined = rows.map(
          ({ from, to, end }, index) =>
            text.slice(from, to) + (end === "line" && index < rows.length - 1 ? "\n" : ""),
        );
        expect(joined.join("")).toBe(text);
        for (const { from, to } of rows)
          expect(visibleWidth(text.slice(from, to))).toBeLessThanOrEqual(width);
        const { from, to } = rows[rowAt(rows, cursor)] ?? { from: -1, to: -1 };
        expect(cursor >= from && cursor <= to).toBe(true);
      }),
    );
  });

  it("the same rows come of a layout that has laid out other texts before", () => {
    fc.assert(
      fc.property(keys, (story) => {
        const layOut = rowLayout();
        let state = EMPTY_TEXT;
        for (const key of story) {
          state = press(state, key);
          expect(layOut(state.text, 10, state.folds)).toEqual(rowLayout()(state.text, 10, state.folds));
        }
      }),
    );
  });

  it("drawn lines fit, and one of them has the cursor", () => {
    const bytes: Readonly<Record<string, string>> = {
      ...{ left: "\x1b[D", right: "\x1b[C", home: "\x1b[H", end: "\x1b[F", up: "\x1b[A", down: "\x1b[B" },
      ...{ backspace: "\x7f", delete: "\x1b[3~", "ctrl+w": "\x17", "ctrl+-": "\x1f", "ctrl+y": "\x19" },
    };
    fc.assert(
      fc.property(keys, fc.integer({ min: 8, max: 50 }), (story, width) => {
        const { type, screen } = typing();
        for (const key of story) {
          if (key.startsWith("paste ")) type(pasted(key.slice("paste ".length)));
          else type(bytes[key] ?? (key.length > 2 ? "" : key));
        }
        const lines = screen(width);
        expect(lines.filter((line) => visibleWidth(line) > width)).toEqual([]);
        expect(lines.filter((line) => line.includes(CURSOR_MARKER))).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

/** The simplest possible editor for plain text: the graphemes before the cursor, and those after it. */
interface Model {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function played({ before, after }: Model, key: string): Model {
  switch (key) {
    case "left":
      return { before: before.slice(0, -1), after: [...before.slice(-1), ...after] };
    case "right":
      return { before: [...before, ...after.slice(0, 1)], after: after.slice(1) };
    case "backspace":
      return { before: before.slice(0, -1), after };
    case "delete":
      return { before, after: after.slice(1) };
    case "home": {
      const start = before.lastIndexOf("\n") + 1;
      return { before: before.slice(0, start), after: [...before.slice(start), ...after] };
    }
    case "end": {
      const end = after.includes("\n") ? after.indexOf("\n") : after.length;
      return { before: [...before, ...after.slice(0, end)], after: after.slice(end) };
    }
    default:
      return { before: [...before, key], after };
  }
}

describe("law: a text", () => {
  it("is what a list of graphemes with a cursor in it would be", () => {
    const unit = fc.constantFrom("a", "中", "👩‍👩‍👧", "🇩🇪", "e\u0301", "\n", " ");
    const moves = fc.constantFrom("left", "right", "backspace", "delete", "home", "end");
    fc.assert(
      fc.property(fc.array(fc.oneof(unit, moves), { maxLength: 60 }), (story) => {
        let model: Model = { before: [], after: [] };
        let state = withText(EMPTY_TEXT, "");
        for (const key of story) {
          model = played(model, key);
          const isMove = /^[a-z]{2,}$/u.test(key);
          state = isMove ? press(state, key) : insert(state, key);
          expect(shown(state)).toBe(`${model.before.join("")}|${model.after.join("")}`);
        }
      }),
    );
  });
});
