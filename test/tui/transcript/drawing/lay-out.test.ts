import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { EntryId } from "../../../../src/record/ids.ts";
import type { Block } from "../../../../src/tui/transcript/block.ts";
import { layOut } from "../../../../src/tui/transcript/drawing/draw-block.ts";
import { loadHighlighter } from "../../../../src/tui/transcript/drawing/text.ts";
import { lookIn, plain } from "./looks.ts";
import { samples } from "./samples.ts";

beforeAll(loadHighlighter);

const entry = "00000000000a" as EntryId;
const odd = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc
    .array(
      fc.constantFrom(
        "回溯到检查点",
        "👩‍👩‍👧‍👦",
        "🇨🇳",
        "é",
        "x".repeat(300),
        "\u001b[31m",
        "\u001b]8;;http://a\u0007",
        "\t",
        "\r",
        "\n",
        "\n\n",
        "```ts\n",
        "```",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "- ",
        "        - ",
        "> ",
        "1. ",
        "**",
        "`",
        "[a](b)",
        "<b>",
        "&#27;",
        "# ",
        "~~",
        "\u0e33",
        "ﾊﾟ",
        "\u200b",
        "\u009b2J",
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join("")),
);

function blocksOf(text: string): readonly Block[] {
  const call = {
    kind: "call",
    key: "k",
    call: "c",
    about: text,
    output: text,
    below: [],
    state: "ok",
  } as const;
  return [
    { kind: "prompt", key: "k", text, images: 1, checkpoint: 7, entry },
    { kind: "text", key: "k", text, place: "first" },
    { kind: "text", key: "k", text, place: "joined", insideFence: { sign: "`", length: 3, language: text } },
    { kind: "thinking", key: "k", text, state: "done" },
    { ...call, name: "Bash", input: { command: text } },
    { ...call, name: text, input: { a: text, b: 1 }, state: "error", took: 5 },
    { ...call, name: "Edit", input: { file_path: text, old_string: text, new_string: `${text}x` } },
    { ...call, name: "Write", input: { file_path: text, content: text } },
    {
      kind: "card",
      key: "k",
      journey: entry,
      to: 1,
      note: text,
      rationale: text,
      files: "keep",
      left: { entries: 1, tokens: 1, prompt: text },
    },
    {
      kind: "left",
      key: "k",
      journey: entry,
      by: "backtrack",
      holds: { calls: 1, messages: 2 },
    },
    ...(
      [
        { kind: "prompt", key: "k", text, images: 1, entry },
        { kind: "text", key: "k", text, place: "first" },
      ] as const
    ).map((block): Block => {
      return { kind: "left-item", key: "k", by: "backtrack", block, folded: "line" };
    }),
    { kind: "happening", key: "k", happening: { what: "error", message: text, hint: text } },
    {
      kind: "happening",
      key: "k",
      happening: { what: "compaction", reason: "full", before: 1, after: 1, summary: text },
    },
    { kind: "happening", key: "k", happening: { what: "title", title: text } },
    { kind: "notice", key: "k", tone: "quiet", line: text, details: text },
    { kind: "files", key: "k", files: [{ path: text, change: "created", added: 1 }], more: 2, of: entry },
    { kind: "todos", key: "k", items: [{ text, status: "doing" }] },
    { kind: "answer", key: "k", asked: text, text, form: "plain" },
  ];
}

describe("laying out a block", () => {
  it("law: no line is wider than the room, and nothing of others controls the terminal", () => {
    const look = lookIn("en");
    const layout = fc.record({
      width: fc.integer({ min: 20, max: 200 }),
      folds: fc.constantFrom("folded" as const, "unfolded" as const),
      display: fc.constantFrom("card" as const, "line" as const, "off" as const),
    });
    fc.assert(
      fc.property(odd, layout, (text, room) => {
        for (const block of blocksOf(text)) {
          const lines = layOut(block, room, look);
          expect(Math.max(0, ...lines.map(visibleWidth))).toBeLessThanOrEqual(room.width);
          expect(lines.map(plain).join("")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("distinguishes states of calls without colors", () => {
    const look = lookIn("en", { NO_COLOR: "1" });
    const calls = samples.filter(([name]) =>
      /^call (asked|running|ok|failed|denied|interrupted)$/u.test(name),
    );
    const heads = calls.map(([, block]) =>
      plain(layOut(block, { width: 80, folds: "folded", display: "card" }, look)[0] ?? ""),
    );
    expect(new Set(heads).size).toBe(6);
  });

  it("shows of a backtrack what the user wants to see", () => {
    const [, card] = samples.find(([name]) => name === "card") ?? [];
    if (card === undefined) throw new Error("no card");
    const drawn = (display: "line" | "off") =>
      layOut(card, { width: 80, folds: "folded", display }, lookIn("en")).map(plain);
    expect([drawn("line"), drawn("off")]).toEqual([
      ["↶ Backtracked to #12 · Left 14 entries, about 23,456 tokens · Undo this backtra…"],
      [],
    ]);
  });

  it.each([{}, { NO_COLOR: "1" }])(
    "draws counts, prompt, rationale and note in four styles (%j)",
    (environment) => {
      const [, card] = samples.find(([name]) => name === "card") ?? [];
      if (card === undefined) throw new Error("no card");
      const layout = { width: 80, folds: "folded", display: "card" } as const;
      const lines = layOut(card, layout, lookIn("en", environment));
      const styleOf = (text: string): string => {
        const line = lines.find((each) => plain(each).includes(text)) ?? "";
        const sequence = String.fromCharCode(27);
        return [...(line.split(text)[0] ?? "").matchAll(new RegExp(`${sequence}\\[[0-9;]*m`, "gu"))]
          .join("")
          .replaceAll(sequence, "");
      };
      const styles = ["Left 14 entries", "Back at:", "Why:", "nobody releases"].map(styleOf);
      expect(new Set(styles).size, JSON.stringify(styles)).toBe(4);
      expect(lines.map(plain).join("\n")).toMatch(
        /Left 14 .*Back to: Find.*Why: 40 files.*Note to itself:/su,
      );
    },
  );

  it("shows nothing about a dropped backtrack if backtracks are hidden", () => {
    const dropped: readonly Block[] = [
      {
        kind: "happening",
        key: "k",
        happening: { what: "warning", code: "BACKTRACK_DROPPED", message: "Dropped." },
      },
      {
        kind: "call",
        key: "k",
        call: "c",
        name: "Backtrack",
        about: "9",
        input: {},
        output: "",
        below: [],
        state: "error",
      },
    ];
    const drawn = (display: "card" | "off") =>
      dropped.map((block) => layOut(block, { width: 80, folds: "folded", display }, lookIn("en")).length);
    expect([drawn("card"), drawn("off")]).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  it("paints code by what it means", () => {
    const look = lookIn("en");
    const block: Block = { kind: "text", key: "k", text: "```js\nconst a = '<&>';\n```", place: "first" };
    const lines = layOut(block, { width: 80, folds: "folded", display: "card" }, look);
    const { token } = look.paint;
    expect(lines[1]).toBe(`  ${token("keyword")("const")} a = ${token("string")("'<&>'")};`);
  });

  it("marks the words that an edit changed", () => {
    const look = lookIn("en");
    const { added, removed, strong, underline, dim } = look.paint;
    const input = { file_path: "a", old_string: "let one = 1;", new_string: "let two = 1;" };
    const block: Block = {
      kind: "call",
      key: "k",
      call: "c",
      name: "Edit",
      about: "a",
      input,
      state: "ok",
      output: "",
      below: [],
    };
    const mark = (text: string) => underline(strong(text));
    expect(dim("")).toBe("");
    expect(layOut(block, { width: 80, folds: "folded", display: "card" }, look).slice(1)).toEqual([
      `  ${removed("-")} ${removed("let ")}${removed(mark("one"))}${removed(" = 1;")}`,
      `  ${added("+")} ${added("let ")}${added(mark("two"))}${added(" = 1;")}`,
    ]);
  });

  it("wraps the output of a command, four lines of it while it is folded, and an error in full with its hint", () => {
    const words = "Restored to checkpoint: #1 rm a.txt /redo goes forward";
    const say = (tone: "good" | "error", line: string, folds: "folded" | "unfolded" = "folded") =>
      layOut(
        { kind: "notice", key: "k", tone, line, details: "what to do" },
        { width: 30, folds, display: "card" },
        lookIn("en"),
      ).map(plain);
    expect(say("good", words)).toEqual(["✓ Restored to checkpoint: #1", "  rm a.txt /redo goes forward"]);
    const long = say("good", `${words} ${words} ${words}`);
    expect([long.length, long.at(-1)?.endsWith("…")]).toEqual([4, true]);
    expect(say("good", words, "unfolded").at(-1)).toBe("  what to do");
    expect(say("error", words)).toEqual([
      "✗ Restored to checkpoint: #1",
      "  rm a.txt /redo goes forward",
      "  what to do",
    ]);
    expect(say("error", `${words} ${words} ${words}`).at(-1)).toBe("  what to do");
  });

  it("shows at most 2,000 lines of what a call answered", () => {
    const output = "line\n".repeat(5000);
    const block: Block = {
      kind: "call",
      key: "k",
      call: "c",
      name: "Bash",
      about: "x",
      input: {},
      state: "ok",
      output,
      below: [],
    };
    const lines = layOut(block, { width: 80, folds: "unfolded", display: "card" }, lookIn("en")).map(plain);
    expect([lines.length, lines.at(-1)]).toEqual([2002, "  … 3,000 more lines"]);
  });
});
