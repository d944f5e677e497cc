import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { plainLook } from "../support/plain-look.ts";
import { paste, seen, typing } from "./support/typing.ts";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const RULE = "─".repeat(40);

describe("the editor", () => {
  it("shows a sign if there is no room for its whole placeholder", () => {
    expect(typing().lines(12)[1]).toBe("› | say some…");
  });

  it("shows where to type, and what can be typed", () => {
    expect(typing().lines()).toEqual([RULE, "› | say something", RULE]);
  });

  it("sends what was typed with Enter, and is empty again", () => {
    const { type, sent, typed, lines } = typing();
    type("fix 你好 🙂", "\r");
    expect(sent).toEqual([{ kind: "prompt", parts: [{ type: "text", text: "fix 你好 🙂" }] }]);
    expect(typed).toEqual(["fix 你好 🙂"]);
    expect(lines()[1]).toBe("› | say something");
  });

  it("puts together what the terminal's reader takes apart", () => {
    const { type, editor } = typing();
    type("a", "\ud83d", "\ude42", "b", "\x7f");
    expect(editor.text).toBe("a🙂");
  });

  it.each([
    ["Shift+Enter", "\x1b[13;2u"],
    ["Shift+Enter of modifyOtherKeys", "\x1b[27;2;13~"],
    ["Alt+Enter", "\x1b\r"],
    ["Alt+Enter of kitty", "\x1b[13;3u"],
    ["Ctrl+J", "\n"],
    ["Ctrl+J of kitty", "\x1b[106;5u"],
    ["a backslash and Enter", "\\\r"],
  ])("begins a new line with %s", (_name, data) => {
    const { type, lines, sent } = typing();
    type("one", data, "two");
    expect(lines()).toEqual([RULE, "› one", "  two|", RULE]);
    expect(sent).toEqual([]);
  });

  it("says in its border that a command is being typed, and who gets its output", () => {
    const { type, lines } = typing();
    type("!ls");
    expect(lines(50)[0]).toBe("── shell command (the model sees the output) ─────");
    type("\x01!");
    expect(lines(50)).toEqual([
      "── shell command (hidden from the model) ─────────",
      "› !|!ls",
      "─".repeat(50),
    ]);
  });

  it("keeps its text when the terminal changes its size, and no line is too wide", () => {
    const { type, editor, screen } = typing();
    const text = `${"word ".repeat(30)}${"长".repeat(60)} 👩‍👩‍👧‍👦`;
    type(paste(text));
    for (const width of [120, 40, 21, 8, 3, 80]) {
      expect(screen(width).filter((line) => visibleWidth(line) > width)).toEqual([]);
    }
    expect(editor.text).toBe(text);
  });

  it("is at most a third of the screen high, and shows the lines around the cursor", () => {
    const { type, lines } = typing();
    type(paste("1\n2\n3\n4\n5\n6\n7\n8"));
    expect(lines(40, 12)).toEqual([
      "── 2 more above ────────────────────────",
      "  3",
      "  4",
      "  5",
      "  6",
      "  7",
      "  8|",
      RULE,
    ]);
    expect(lines(40, 6)).toEqual(["── 6 more above ────────────────────────", "  7", "  8|", RULE]);
    type(...Array.from({ length: 8 }, () => UP));
    expect(lines(40, 6)).toEqual([RULE, "› |1", "  2", "── 6 more below ────────────────────────"]);
  });

  it("folds a large paste, and unfolds it when it is sent or edited elsewhere", () => {
    const { type, editor, sent, lines } = typing();
    const text = Array.from({ length: 12 }, (_, index) => `line ${index}`).join("\n");
    type("see ", paste(text.replaceAll("\n", "\r\n")), "!");
    expect(lines()[1]).toBe("› see [paste #1 +12 lines]!|");
    expect(editor.takeOut()).toBe(`see ${text}!`);
    type("\r");
    expect(sent).toEqual([{ kind: "prompt", parts: [{ type: "text", text: `see ${text}!` }] }]);
  });

  it("puts back what was cut out although the rest was sent, a folded paste too", () => {
    const { type, sent, editor } = typing();
    const text = "line\n".repeat(12);
    type("see ", paste(text), "\x17", "this\r", "\x19");
    expect(editor.text).toBe("[paste #1 +13 lines]");
    type("!\r");
    const texts = sent.map((each) => (each.kind === "prompt" ? each.parts : each.kind));
    expect(texts).toEqual([[{ type: "text", text: "see this" }], [{ type: "text", text: `${text}!` }]]);
  });

  it("removes colors and other control sequences from pasted or inserted text", () => {
    const { type, editor } = typing();
    type(paste("\x1b[31mred\x1b[0m\x07"));
    expect(editor.text).toBe("red");
    editor.put("\x1b[2Jgone\u0001");
    expect(editor.text).toBe("gone");
  });

  it("gives its text out, and takes it back edited", () => {
    const { type, editor, sent } = typing();
    type("draft");
    editor.putBack(`${editor.takeOut()} and more\n`);
    type("\r");
    expect(sent).toEqual([{ kind: "prompt", parts: [{ type: "text", text: "draft and more" }] }]);
  });

  it("does no layout while nothing changes", () => {
    const { type, screen, editor } = typing();
    type("one");
    const first = screen();
    expect(screen()).toBe(first);
    type("!");
    expect(screen()).not.toBe(first);
    editor.put("two");
    expect(screen().map(seen)[1]).toBe("› two|");
    editor.clear();
    expect(screen().map(seen)[1]).toBe("› | say something");
    expect(screen(60)[0]).toBe("─".repeat(60));
  });

  it("speaks Chinese in 40 columns", () => {
    const { type, editor } = typing();
    const draw = (): string[] =>
      editor.draw({ width: 40, rows: 6 }, plainLook(zhCn), zhCn.terminal.screen.placeholder).map(seen);
    expect(draw().filter((line) => visibleWidth(line) > 40)).toEqual([]);
    type("!!ls\n2\n3");
    expect(draw()).toEqual(["── 上方还有 1 行 ───────────────────────", "  2", "  3|", RULE]);
    type(UP, UP);
    expect(draw()).toEqual([
      "── 命令：不告诉模型 ────────────────────",
      "› !|!ls",
      "  2",
      "── 下方还有 1 行 ───────────────────────",
    ]);
  });

  it("shows no cursor while something else has the keys", () => {
    const { type, editor, screen } = typing();
    type("abc");
    editor.focus = "unfocused";
    expect(screen().join("")).not.toContain("\x1b[7m");
  });
});

describe("the history of the editor", () => {
  it("is on the arrow keys, from the edges of the text, and keeps what was being typed", () => {
    const { editor, type } = typing();
    editor.setHistory(["one", "two\nlines"]);
    type("draft", UP);
    expect(editor.text).toBe("draft");
    type(UP);
    expect(editor.text).toBe("two\nlines");
    type(UP, UP);
    expect(editor.text).toBe("one");
    type(UP);
    expect(editor.text).toBe("one");
    type(DOWN, DOWN, DOWN, DOWN);
    expect(editor.text).toBe("draft");
    type(DOWN);
    expect(editor.text).toBe("draft");
  });

  it("ends where the recalled text is changed", () => {
    const { editor, type } = typing();
    editor.setHistory(["one", "two"]);
    type(UP, "!", UP);
    expect(editor.text).toBe("two!");
  });

  it("holds what was sent, and what was cleared away or replaced", () => {
    const { editor, type } = typing();
    type("sent", "\r", "cleared");
    expect(editor.clear()).toBe("cleared");
    type("replaced");
    editor.put("put");
    editor.setHistory(["from the log"]);
    const found: string[] = [];
    type(UP);
    for (let index = 0; index < 5; index += 1) {
      type(UP);
      found.push(editor.text);
    }
    expect(found).toEqual(["replaced", "cleared", "sent", "from the log", "from the log"]);
  });

  it("can be searched, and Esc is the search's meanwhile", () => {
    const { editor, type, lines } = typing();
    editor.setHistory(["npm test", "fix it"]);
    type("draft");
    expect(editor.wantsKey("escape")).toBe(false);
    editor.searchHistory();
    type("npm");
    expect(editor.wantsKey("escape")).toBe(true);
    expect(lines(60)).toEqual([
      "❯ npm test",
      "history: npm|   1 of 1 · Ctrl+R older · Enter use",
      "─".repeat(60),
      "› draft",
      "─".repeat(60),
    ]);
    type("\x1b");
    expect([editor.text, editor.wantsKey("escape")]).toEqual(["draft", false]);
    editor.searchHistory();
    type("npm\r");
    expect([editor.text, editor.wantsKey("enter")]).toEqual(["npm test", false]);
  });
});
