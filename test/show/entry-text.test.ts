import { describe, expect, it } from "vitest";
import { entryText } from "../../src/show/entry-text.ts";
import { recapText } from "../../src/show/recap-text.ts";
import { en } from "../../src/strings/en.ts";
import type { Strings } from "../../src/strings/strings.ts";
import { zhCn } from "../../src/strings/zh-cn.ts";
import { Outline } from "../../src/timeline/outline.ts";
import { turnStateIn } from "../../src/timeline/turn-state.ts";

const common = { seq: 1, id: "e1", parent: null, at: "2026-01-01T00:00:00.000Z" };
const failed = {
  ...common,
  kind: "error",
  code: "MODEL_KEY",
  message: "An older wording.",
  hint: "An older hint.",
  reason: "model-not-connected",
  params: {},
} as never;
const uncaptured = {
  ...common,
  kind: "snapshot",
  checkpoint: 3,
  state: "none",
  why: "an older wording",
  reason: "capture-still-running",
  author: "timeline",
} as never;
const prompt = { ...common, kind: "prompt", parts: [{ type: "text", text: "hello" }] } as never;

const shown = (entry: never, strings: Strings) => entryText(entry, { outline: new Outline(), strings });

describe("the text of an entry", () => {
  it("says an error and its hint in the reader's language", () => {
    expect(shown(failed, zhCn)).toBe(
      "MODEL_KEY: 没有连接任何模型。 请用 worldline setup 连接提供方，或用 worldline models 选择模型。其他功能没有模型也能使用。",
    );
    expect(shown(failed, en)).toMatch(/^MODEL_KEY: No model is connected\. Connect/u);
  });

  it("says in it why files were not captured", () => {
    expect(shown(uncaptured, zhCn)).toContain("仍在捕获文件。");
    expect(shown(uncaptured, zhCn)).not.toContain("wording");
  });

  it("keeps the words of a log that has no reason", () => {
    const { reason: _, ...older } = failed as Record<string, unknown>;
    expect(shown(older as never, zhCn)).toBe("MODEL_KEY: An older wording. An older hint.");
  });
});

describe("a recap of a turn that failed", () => {
  it("says why in the reader's language", () => {
    const recap = {
      title: "",
      done: { todos: [], files: [], commands: [], reach: "whole" },
      open: { todos: [], turn: turnStateIn([prompt, failed]) },
      next: { do: "nothing" },
    } as const;
    expect(recapText(recap, zhCn)).toContain("没有连接任何模型。");
    expect(recapText(recap, en)).toContain("No model is connected.");
  });
});
