import { describe, expect, it, vi } from "vitest";
import type { Suggested } from "../../../src/tui/editor/completion.ts";
import { fileMentions } from "../../../src/tui/editor/completion.ts";
import { typing } from "./support/typing.ts";

const NAMES = ["/undo ", "/tree", "/title "];

async function slash(before: string): Promise<Suggested | undefined> {
  const [name = "", ...words] = before.split(" ");
  if (words.length === 0) {
    return {
      prefix: before,
      items: NAMES.filter((one) => one.startsWith(name)).map((value) => ({ value, description: "d" })),
    };
  }
  const prefix = words.join(" ");
  return { prefix, items: ["12", "3"].filter((one) => one.startsWith(prefix)).map((value) => ({ value })) };
}

const files = ["README.md", "src/tui/editor.ts", "src/tui/edit all.ts", "test/a.ts"];
const listed = async (editor: { wantsKey(key: string): boolean }): Promise<void> =>
  vi.waitFor(() => expect(editor.wantsKey("tab")).toBe(true));

describe("completion in the editor", () => {
  it("offers and takes names without what a terminal would act on", async () => {
    const { type, editor, screen } = typing({ files: ["a\u001b[8mb\u009b3Jc.ts"] });
    type("@a");
    await listed(editor);
    const drawn = screen().join("\n");
    expect([drawn.includes("\u001b[8m"), drawn.includes("\u009b")]).toEqual([false, false]);
    type("\t");
    expect(editor.text).toBe("@abc.ts ");
  });

  it("offers commands with what they do, and has the keys of its list only", async () => {
    const { type, editor, lines } = typing({ slash });
    type("/t");
    await listed(editor);
    expect(lines(50)).toEqual([
      "─".repeat(50),
      "› /t|",
      "─".repeat(50),
      "  → /tree       d",
      "    /title      d",
    ]);
    expect(
      ["escape", "up", "enter", "ctrl+c", "ctrl+o", "shift+tab", "pageUp"].filter((key) =>
        editor.wantsKey(key),
      ),
    ).toEqual(["escape", "up", "enter"]);
    type("\x1b");
    expect(editor.wantsKey("escape")).toBe(false);
    expect(editor.text).toBe("/t");
  });

  it("takes a row with Tab to continue typing, and with Enter to send it", async () => {
    const one = typing({ slash });
    one.type("/u");
    await listed(one.editor);
    one.type("\t");
    expect(one.editor.text).toBe("/undo ");
    const other = typing({ slash });
    other.type("/t");
    await listed(other.editor);
    other.type("\x1b[B", "\r");
    expect(other.sent).toEqual([{ kind: "slash", name: "title", words: "" }]);
  });

  it("never takes a row of a list that more was typed after", async () => {
    const { type, editor, sent } = typing({ slash });
    type("/");
    await listed(editor);
    type("exit\r");
    expect(sent).toEqual([{ kind: "slash", name: "exit", words: "" }]);
  });

  it("sends the whole text although a list is open", async () => {
    const { type, editor, sent } = typing({ slash });
    type("/undo 3");
    await listed(editor);
    type("\r");
    expect(sent).toEqual([{ kind: "slash", name: "undo", words: "3" }]);
  });

  it("completes the argument of a command with Tab", async () => {
    const { type, editor, sent } = typing({ slash });
    type("/undo 1");
    await listed(editor);
    type("\t");
    expect([editor.text, sent]).toEqual(["/undo 12", []]);
  });

  it.each([
    ["1", "12"],
    ["0", "20"],
    ["-1", "6"],
    ["fix", "the fix"],
  ])("sends %s with Enter as it was typed, where the first row is %s", async (words, value) => {
    const { type, editor, sent } = typing({ slash: async () => ({ prefix: words, items: [{ value }] }) });
    type(`/undo ${words}`);
    await listed(editor);
    type("\r");
    expect(sent).toEqual([{ kind: "slash", name: "undo", words }]);
  });

  it("closes its list when the cursor leaves what it is for", async () => {
    const { type, editor, sent } = typing({ slash });
    type("/t");
    await listed(editor);
    type("\x1b[D");
    expect(editor.wantsKey("tab")).toBe(false);
    type("\r");
    expect(sent).toEqual([{ kind: "slash", name: "t", words: "" }]);
  });

  it("asks again when a letter is taken away, and opens for what is left", async () => {
    const { type, editor, lines } = typing({ slash });
    type("/tx");
    await vi.waitFor(() => expect(editor.wantsKey("tab")).toBe(false));
    type("\x7f");
    await listed(editor);
    expect(lines(50).slice(3)).toHaveLength(2);
  });

  it("finds files by some of their letters, and quotes those with spaces", async () => {
    const { type, editor, lines } = typing({ files });
    type("see @edall");
    await listed(editor);
    expect(lines().slice(3)).toEqual(['  → @"src/tui/edit all.ts"']);
    type("\t", "and @tuiedtr");
    await vi.waitFor(() => expect(lines(60).slice(3)).toEqual(["  → @src/tui/editor.ts"]));
    type("\r");
    expect(editor.text).toBe('see @"src/tui/edit all.ts" and @src/tui/editor.ts ');
  });

  it("takes the chosen row, although the typed text would be complete by itself", async () => {
    const items = [{ value: "1" }, { value: "12" }];
    const { type, editor } = typing({ slash: async () => ({ prefix: "1", items }) });
    type("/undo 1");
    await listed(editor);
    type("\x1b[B", "\r");
    expect(editor.text).toBe("/undo 12");
  });

  it("writes a path without its sign into a command", async () => {
    const { type, editor } = typing({ files });
    type("!cat @READ");
    await listed(editor);
    type("\t");
    expect(editor.text).toBe("!cat README.md ");
  });

  it("says where the cursor is while its list is open, for input methods", async () => {
    const { type, editor, lines } = typing({ files });
    type("@");
    await listed(editor);
    expect(lines()[1]).toBe("› @|");
  });

  it("completes paths with Tab where no @ was typed", async () => {
    const { type, editor } = typing({ files });
    type("!cat READ\t");
    await vi.waitFor(() => expect(editor.text).toBe("!cat README.md "));
  });
});

describe("files that can be mentioned", () => {
  it("are asked for once, and again when the list is old; the old one serves meanwhile", async () => {
    let now = 0;
    let asked = 0;
    const mentions = fileMentions(
      async () => {
        asked += 1;
        return asked === 1 ? ["old.ts"] : ["new.ts"];
      },
      () => now,
    );
    expect([await mentions.find("ts"), await mentions.find(""), asked]).toEqual([["old.ts"], ["old.ts"], 1]);
    now = 6_000;
    expect(await mentions.find("ts")).toEqual(["old.ts"]);
    await vi.waitFor(async () => expect(await mentions.find("ts")).toEqual(["new.ts"]));
    expect(asked).toBe(2);
  });

  it("are none if the list is unavailable", async () => {
    const mentions = fileMentions(async () => Promise.reject(new Error("gone")), Date.now);
    expect(await mentions.find("a")).toEqual([]);
  });

  it("begin with those that lie nearest", async () => {
    expect(await fileMentions(async () => ["a/b/c.ts", "d/e.ts", "f.ts"], Date.now).find("")).toEqual([
      "f.ts",
      "d/e.ts",
      "a/b/c.ts",
    ]);
  });
});
